# Two commands on a fresh machine do everything: `make demo` and `make test`. Each makes its own environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test check bench lock clean
.DELETE_ON_ERROR:

$(STAMP): requirements/dev.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

test: $(STAMP)  ## everything that CI runs
	bash tests/install_servers.sh
	$(MAKE) check
	$(BIN)/python -m pytest

check: $(STAMP)  ## static checks: style, types, layer order
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

demo: $(STAMP)  ## a live page with a hallucination spike, nothing else needed
	$(BIN)/ragsonde demo

bench: $(STAMP)
	$(BIN)/python -m bench

lock:  ## resolve the dependencies anew
	$(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --extra server --extra local --extra postgres --extra parquet --group dev pyproject.toml -o requirements/dev.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --extra server --extra local --extra postgres --extra parquet pyproject.toml -o requirements/server.txt

clean:
	rm -rf $(VENV) .cache dist
