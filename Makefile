# Two commands set everything up on a fresh machine: `make run` and `make test`. Each makes its own .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SCHEMA_HINT := people, places, factions, creatures, items, quests, dates and how they relate

.PHONY: run test lint check bench snapshots wheel clean

run: $(VENV)/.installed  ## Compress the sample crawl, keyless, and show the summary and its statistics
	@LLM_MODEL=extractive $(BIN)/summarizer run examples/crawl/*.md --max-output-tokens 2000 --schema-hint "$(SCHEMA_HINT)" --stats

test: $(VENV)/.installed-dev  ## Run the tests
	$(BIN)/pytest -n auto

lint: $(VENV)/.installed-dev  ## Format, lint and type checks
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright

check: lint test

bench: $(VENV)/.installed-dev  ## Benchmarks, as ratios against a baseline in the same run
	$(BIN)/python -m tests.bench

snapshots: $(VENV)/.installed-dev  ## Rewrite the inline snapshots
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pytest --inline-snapshot=fix,create

wheel: $(VENV)/.installed-dev  ## Build the wheel into dist/
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .hypothesis

# pip is the last thing that venv makes: an interrupted one is made again.
$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one with make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.installed
