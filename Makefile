# Two commands on a fresh machine do everything: `make demo` and `make test`. Each makes its own environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
SERVER := $(VENV)/.server
DEV := $(VENV)/.dev

.PHONY: demo test check bench docs lock clean
.DELETE_ON_ERROR:

# What the sidecar needs, and no more: a demonstration should not wait for linters.
$(SERVER): requirements/server.txt requirements/build.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	@echo "installing what Ragsonde needs into $(VENV) (a minute or two the first time)"
	$(PIP) install --require-hashes -r requirements/server.txt
	$(PIP) install --require-hashes -r requirements/build.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

$(DEV): $(SERVER) requirements/dev.txt
	$(PIP) install --require-hashes -r requirements/dev.txt
	touch $@

demo: $(SERVER)  ## a live page with a hallucination spike, nothing else needed
	$(BIN)/ragsonde demo

test: $(DEV)  ## everything that CI runs
	bash tests/install_servers.sh
	$(MAKE) check
	@# Tests that talk to real servers may run out of time on a busy machine: what failed is run once more, alone.
	$(BIN)/python -m pytest || $(BIN)/python -m pytest --last-failed

check: $(DEV)  ## static checks: style, types, layer order
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(DEV)
	$(BIN)/python -m bench --help

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
EXTRAS := --extra server --extra local --extra entailment --extra postgres --extra parquet

lock:  ## resolve the dependencies anew; presidio stays out, it brings spaCy along
	$(PYTHON) -m venv $(VENV) && $(PIP) install uv
	$(LOCK) $(EXTRAS) --group dev pyproject.toml -o requirements/dev.txt
	$(LOCK) $(EXTRAS) -c requirements/dev.txt pyproject.toml -o requirements/server.txt
	$(LOCK) --group pyproject.toml:build -c requirements/dev.txt -o requirements/build.txt

clean:
	rm -rf $(VENV) .cache dist
