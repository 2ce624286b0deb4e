# The first use of a target sets up what it needs in .venv; later uses find it there.
# A changed pyproject.toml, constraints.txt or .proto file is noticed, so nothing here runs stale code.

LEAGUE ?= tournaments/leagues/quick.toml
SERVE_LEAGUE ?= tournaments/leagues/open.toml
BOTS ?=
ARGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help league standings serve test coverage check bench bench-long bench-mirror bots protos lock clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1#/p' Makefile | while IFS='#' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

league: .venv/ready-run ## Play a league and print its standings: [LEAGUE=file.toml] [ARGS=...]
	@.venv/bin/league run "$(LEAGUE)" $(ARGS)

standings: .venv/ready-run ## Print the newest standings, also while they grow: [LEAGUE=file.toml] [ARGS=...]
	@.venv/bin/league standings $(if $(filter command environment,$(firstword $(origin LEAGUE))),"$(LEAGUE)") $(ARGS)

serve: .venv/ready-run ## Host an open league for bots that connect: [SERVE_LEAGUE=file.toml] [ARGS=...]
	@.venv/bin/referee serve "$(SERVE_LEAGUE)" $(ARGS)

test: .venv/ready-test ## Run all tests: [ARGS=pytest's arguments]
	@.venv/bin/pytest $(ARGS)

coverage: .venv/ready-test ## Check that short tests alone reach all of the rules, half a minute
	@.venv/bin/pytest -q -m 'not slow' $(foreach each,$(COVERED),--cov=referee.$(each)) --cov-branch \
	  --cov-report=term-missing:skip-covered --cov-fail-under=100 tests/rules tests/referee tests/wire

check: .venv/ready-check ## Check style, types, protocol files and who imports whom
	@cd protos && ../.venv/bin/buf lint && ../.venv/bin/buf format --diff --exit-code && ../.venv/bin/buf breaking --against released.binpb
	@export PATH="$$PWD/.venv/bin:$$PATH"; ruff format --check . && ruff check . && mypy && mypy --strict $(TYPED_BOTS) && lint-imports --no-logo

bench: .venv/ready-run ## Measure the speed of the rules and of the referee, some minutes: [ARGS=...]
	@.venv/bin/python tests/bench/report.py $(ARGS)

bench-long: .venv/ready-run ## Measure memory and resuming over 50,000 games, a quarter of an hour: [ARGS=games]
	@.venv/bin/python tests/bench/long_memory.py $(ARGS)

bench-mirror: .venv/ready-run ## Measure how many deals mirroring saves, some minutes: [ARGS=...]
	@.venv/bin/python tests/bench/mirror.py $(ARGS)

bots: .venv/ready-dev ## Build the sample bots in other languages, some minutes: [BOTS="go rust"]
	@PYTHON="$$PWD/.venv/bin/python" sample_bots/build.sh $(BOTS)

protos: .venv/ready-dev ## Generate the protocol code now (it happens by itself when a .proto changes)
	@.venv/bin/python protos/generate.py

lock: .venv/ready-dev ## Move constraints.txt to the newest versions that pyproject.toml allows
	@$(PIP) --upgrade --upgrade-strategy eager --editable . --group dev >&2
	@{ sed -n '/^#/p' constraints.txt; .venv/bin/python -m pip freeze --exclude-editable; } > .venv/lock && cp .venv/lock constraints.txt

clean: ## Remove .venv, caches and generated code; results/ stays
	@rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -prune -exec rm -rf {} + ; git clean -fdXq protos sample_bots 2>/dev/null || true

# Setting up. Everything goes to standard error, so that the output of a target is its own.

COVERED := rules table view record
TYPED_BOTS := sample_bots/python/euchrebot
PIP := .venv/bin/python -m pip --quiet --disable-pip-version-check install
SOURCES := pyproject.toml constraints.txt protos/generate.py $(shell find protos -name '*.proto')

.venv/ready-pip:
	@test -x .venv/bin/python || for each in python3 python3.14 python3.13 python3.12 python3.11; do \
	    "$$each" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && "$$each" -m venv .venv >&2 && break; done; \
	  test -x .venv/bin/python || { echo 'make: needs Python 3.11 or newer with its venv module (Debian: apt install python3-venv)' >&2; exit 1; }
	@$(PIP) --upgrade 'pip>=25.1' >&2 && touch $@

.venv/ready-run: $(SOURCES) | .venv/ready-pip
	@echo 'make: setting up .venv, which takes a minute' >&2
	@$(PIP) --constraint constraints.txt --editable . >&2 && touch $@

.venv/ready-%: .venv/ready-run
	@$(PIP) --constraint constraints.txt --group $* >&2 && touch $@
