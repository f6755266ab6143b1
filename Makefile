# Two commands do all set-up on a fresh machine:
#
#   make site    environment, install, build of protocols/ and reports/ into _site/
#   make test    environment, a browser and a sandbox if there is none, lint, all tests but the slow sweeps
#
# make test-all adds the slow sweeps; make reliability runs those that try to break a build and writes their page; make
# docs writes the manual into _docs/; make screenshot takes the README's picture anew; make lint, bench, rerun, lock and
# clean do what they say.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

VENV ?= .venv
BIN := $(VENV)/bin
SITE ?= _site
# Workers of the test run: as many as there are processors, but never a crowd of browsers.
WORKERS ?= logical
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --maxprocesses=4 --dist=loadgroup
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
PIP_LOCKED := $(PIP) install --quiet --require-hashes --only-binary=:all:
UV_VERSION := 0.13.9
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version=3.11 --fork-strategy=fewest --generate-hashes \
	--only-binary=:all: --no-emit-index-url --no-emit-find-links --no-annotate --no-header

.PHONY: site docs test test-all reliability lint bench screenshot rerun lock clean environment development system

site: environment
	$(BIN)/sitegen build . -o $(SITE)

docs: environment
	$(BIN)/sitegen docs -o _docs

test: system lint
	$(PYTEST) -m "not slow"

test-all: system lint
	$(PYTEST)

lint: development
	$(BIN)/ruff check
	$(BIN)/ruff format --check --quiet sitegen tests
	$(BIN)/mypy
	$(BIN)/lint-imports

# Everything that tries to break a build, in its long form, one thing after another; it takes hours. Then the page.
reliability: export SITEGEN_FIGURES := $(CURDIR)/build/reliability
reliability: system development
	rm -rf $(SITEGEN_FIGURES)
	mkdir -p $(SITEGEN_FIGURES)
	$(BIN)/python -m pytest -p no:xdist tests/reliability
	$(BIN)/python -m tests.reliability.bite
	$(BIN)/python -m tests.reliability.report $(SITEGEN_FIGURES)

bench: development
	$(BIN)/python -m tests.bench

screenshot: development system site
	$(BIN)/python -m tests.screenshot $(SITE)

rerun: environment
	contestants/rerun

clean:
	rm -rf $(SITE) _docs build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find sitegen tests -name __pycache__ -type d -prune -exec rm -rf {} +

# --- environments: a stamp says which lock was installed, so that the second call has nothing to do ---

environment: $(VENV)/runtime.stamp
development: $(VENV)/development.stamp

# The first Python that really runs and can make an environment: a version manager's shim may be on PATH and still fail.
# An environment that is already there is kept while its own Python still runs.
$(BIN)/python:
	@for python in $(PYTHON) python3.13 python3.12 python3.11 python3; do \
		if "$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
			echo "$$python -m venv $(VENV)"; exec "$$python" -m venv --clear $(VENV); \
		fi; \
	done; \
	echo "No Python 3.11 or newer with the venv module was found. Install one (Debian: python3 python3-venv)" \
		"or name it: make PYTHON=/path/to/python3" >&2; exit 1

$(VENV)/runtime.stamp: .ci/build.txt .ci/runtime.txt pyproject.toml sitegen/__init__.py | $(BIN)/python
	$(PIP_LOCKED) -r .ci/build.txt -r .ci/runtime.txt
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/development.stamp: .ci/dev.txt $(VENV)/runtime.stamp
	$(PIP_LOCKED) -r .ci/dev.txt
	@touch $@

# Locks hold every version with the hashes of its files and name no index, so that a mirror serves as well.
lock: | $(BIN)/python
	$(PIP) install --quiet uv==$(UV_VERSION)
	$(LOCK) pyproject.toml -o .ci/runtime.txt $(UPGRADE)
	echo hatchling | $(LOCK) - -c .ci/runtime.txt -o .ci/build.txt $(UPGRADE)
	$(LOCK) pyproject.toml --extra dev -c .ci/runtime.txt -c .ci/build.txt -o .ci/dev.txt $(UPGRADE)

# --- what tests need beyond Python: a browser for the pages, bubblewrap for the solvers' sandbox ---

system:
	@missing=""; \
	if ! command -v chromium google-chrome chromium-browser >/dev/null; then missing="chromium fonts-liberation"; fi; \
	if [ "$$(uname -s)" = Linux ] && ! command -v bwrap >/dev/null; then missing="$$missing bubblewrap"; fi; \
	if ! command -v git >/dev/null; then missing="$$missing git"; fi; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	else \
		echo "Please install with your system's package manager: $$missing. Tests that need them are skipped until then." >&2; \
	fi
