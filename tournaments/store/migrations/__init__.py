"""
Migrations of the store, for Alembic: each version of the tables from the one before.

A new one: change `schema.py`, then
`alembic --config tournaments/store/migrations/alembic.ini revision --autogenerate -m WHY`,
read what it wrote, and set `HEAD` in `schema.py` to its id.
"""
