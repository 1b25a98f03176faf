# make install   .venv with everything          make run    the main job on real data
# make test      all checks and tests           make ui     Dagster's UI on the runs of make run
# make conformance   both tables against Flink's answers
# make pyflink FLINK_VENV=...   programs under real PyFlink and here, the same results
# make clients FLINK_VENV=...   Flink's command line and dashboard against the gateway
# make long      tests that make test leaves out: jobs killed on Kafka and in an object store
# make chaos     a streaming job killed a hundred times, also on a cluster; 200 random runs against an oracle
# make soak      a streaming job for half an hour: does anything grow?
# make bench     ratios against PySpark and PyFlink

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DAGSTER_HOME := $(CURDIR)/.flinkpy/dagster_home
HEAVY := nice -n 5

.DEFAULT_GOAL := help
.PHONY: help install java run ui test lint types imports unit long conformance pyflink clients fuzz chaos soak bench docs pictures constraints clean

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

install: $(STAMP) ## make .venv and install the project and its tools

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed, $(PYTHON) is older: make PYTHON=python3.11 ..." >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[jobs,dev]'
	touch $@

java:
	@test -n "$$JAVA_HOME" -a -x "$$JAVA_HOME/bin/java" || command -v java >/dev/null || \
	  { echo "Java 17 is needed to run Spark: apt-get install openjdk-17-jre-headless (or set JAVA_HOME)" >&2; exit 1; }

$(DAGSTER_HOME)/dagster.yaml: docs/dagster.yaml
	@mkdir -p $(DAGSTER_HOME)
	@cp $< $@

run: install java $(DAGSTER_HOME)/dagster.yaml ## run jobs/flight_delays.py on the real flights
	DAGSTER_HOME=$(DAGSTER_HOME) $(BIN)/flinkpy run --show 5 jobs/flight_delays.py
	@echo "To browse the run, its op graph and its assets: make ui, then open http://127.0.0.1:3000/runs" >&2

ui: install java $(DAGSTER_HOME)/dagster.yaml ## Dagster's UI on the instance of make run
	DAGSTER_HOME=$(DAGSTER_HOME) $(BIN)/dagster dev -w workspace.yaml

test: install java lint types imports unit ## everything: ruff, mypy, import-linter, pytest

lint: install ## ruff
	$(BIN)/ruff check .

types: install ## mypy
	$(BIN)/mypy

imports: install ## the floors, by import-linter
	$(BIN)/lint-imports

unit: install java ## pytest, in two processes: many tests wait for what runs elsewhere
	@$(BIN)/flinkpy class-archive
	$(HEAVY) $(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "not long" --durations=25

long: install java ## tests that take minutes each: jobs killed on Kafka and in an object store
	$(HEAVY) $(BIN)/python -m pytest -q -m long

conformance: install java ## run and plan every program of the corpus, compare with Flink's answers
	@status=0; \
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/conformance/check_plans.py tests/conformance \
	  --cmd "flinkpy info -c build {program}" || status=1; \
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/conformance/check.py tests/conformance \
	  --cmd "flinkpy run {program}" --strict-errors || status=1; exit $$status

pyflink: install ## compare with real PyFlink: FLINK_VENV=<venv with apache-flink 2.3>
	@test -n "$(FLINK_VENV)" -a -x "$(FLINK_VENV)/bin/python" || \
	  { echo "PyFlink is needed: make pyflink FLINK_VENV=<a venv with apache-flink==2.3.*, and Java 17>" >&2; exit 1; }
	FLINK_VENV=$(abspath $(FLINK_VENV)) $(HEAVY) $(BIN)/python -m pytest -q tests/pyflink

clients: install java ## Flink's command line and dashboard against the gateway: FLINK_VENV=<venv with apache-flink 2.3>
	@test -n "$(FLINK_VENV)" -a -x "$(FLINK_VENV)/bin/python" || \
	  { echo "Flink is needed: make clients FLINK_VENV=<a venv with apache-flink==2.3.*, and Java 17>" >&2; exit 1; }
	FLINK_VENV=$(abspath $(FLINK_VENV)) $(HEAVY) $(BIN)/python -m pytest -q tests/gateway -m pyflink

fuzz: install ## 10,000 requests that schemathesis makes up, against the gateway
	$(HEAVY) $(BIN)/python -m tests.gateway.fuzz 10000

chaos: install java ## kill parts of an unbounded job 100 times, 30 times on a cluster; 200 random runs with failures and cancels
	$(HEAVY) $(BIN)/python -m tests.dataplane.chaos
	$(HEAVY) $(BIN)/python -m tests.dataplane.chaos --cluster --kills 30
	CHAOS_RUNS=200 $(HEAVY) $(BIN)/python -m pytest -q tests/chaos

soak: install java ## half an hour of a continuous job: memory, folders, event log (benchmarks/SOAK.md)
	$(HEAVY) $(BIN)/python -m benchmarks.soak --write

bench: install java ## benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

docs: install ## write the pages that are made from the code, then the site: build/site/index.html
	$(BIN)/python docs/reference.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

pictures: install java ## docs/pictures anew, as the browser tests see Dagster's UI
	FLINKPY_PICTURES=docs/pictures $(HEAVY) $(BIN)/python -m pytest -q --basetemp=/tmp/flights tests/browser

constraints: install ## pin what is installed now
	{ echo "# Everything the project and its checks install, tried together on Python 3.11. Written by: make constraints"; \
	  $(BIN)/python -m pip freeze --exclude-editable --disable-pip-version-check; } > constraints.txt.new
	mv constraints.txt.new constraints.txt

clean: ## remove what make wrote, but .venv
	rm -rf .flinkpy spark-warehouse .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
