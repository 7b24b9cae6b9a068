# One command per task; each makes the virtual environment by itself.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
DEMO_ARGS ?=
BENCH_ARGS ?=
PYTEST_ARGS ?=

PACKAGES := server barrier catalog

.DEFAULT_GOAL := help
.PHONY: help venv system clients compiled check format test test-clients test-all demo bench lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

venv: $(VENV)/.complete ## make .venv, with uv when it is there and with venv and pip otherwise

# pip before 25.1 knows no dependency groups, so it is brought up to date first.
$(VENV)/.complete: pyproject.toml requirements.lock
ifneq ($(UV),)
	[ -x $(BIN)/python ] || $(UV) venv $(VENV)
	$(UV) pip install --quiet --python $(BIN)/python --constraint requirements.lock --editable '.[demo]' --group dev
else
	[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --editable '.[demo]' --group dev
endif
	touch $@

# Where Python is told to keep no bytecode by itself, every start would compile the sources anew.
compiled: venv
	$(BIN)/python -m compileall -q $(PACKAGES)

check: venv ## lint, formatting, types, import rules
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: venv ## let ruff put the code in order
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

system:
	tests/support/system_packages.sh

# Node.js, Java and ODBC with their drivers; pyodbc wants the library of ODBC.
clients: system venv
	tests/support/system_packages.sh clients
ifneq ($(UV),)
	$(UV) pip install --quiet --python $(BIN)/python --constraint requirements.lock --group clients
else
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --group clients
endif

test: system check compiled ## check, and all tests but the slow ones
	$(BIN)/pytest --numprocesses 2 --dist worksteal $(PYTEST_ARGS)

test-clients: clients compiled ## the tests of all clients, those of Node.js, Java and ODBC too
	$(BIN)/pytest --numprocesses 2 --dist worksteal --clients $(PYTEST_ARGS) tests/clients

test-all: clients check compiled ## check, and all tests
	$(BIN)/pytest --numprocesses 2 --dist worksteal --all $(PYTEST_ARGS)

demo: compiled ## live views over the flights of 2013 (DEMO_ARGS=--exit ends after the checks)
	$(BIN)/tidegate demo $(DEMO_ARGS)

bench: compiled ## measure what an epoch costs
	$(BIN)/python -m bench $(BENCH_ARGS)

lock: ## resolve the dependencies anew (needs uv)
	uv pip compile --quiet --universal --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	  --python-version 3.11 --extra demo --group dev --group clients --output-file requirements.lock pyproject.toml

clean: ## remove everything that can be made again
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
