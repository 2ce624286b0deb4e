"""
Leagues of bots: who plays whom, and what came of it.
"""
