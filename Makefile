# `make demo` and `make test` set everything up by themselves on a machine that has Python >= 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-all test-pure lint bench clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test,lint]"
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/tocsin demo

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/pyright

test: lint test-pure
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-pure: $(STAMP)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m pure

test-all: lint test-pure
	$(BIN)/python -m pytest -n 2

bench: $(STAMP)
	$(BIN)/tocsin bench list

clean:
	rm -rf $(VENV) build dist out *.egg-info src/*.egg-info
