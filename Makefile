# `make demo` and `make test` set everything up by themselves on a machine that has Python >= 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LIBRARY := $(VENV)/.library
STAMP := $(VENV)/.installed
SITE := $(VENV)/.site

.PHONY: demo docs pages wheel release test test-all test-avx2 test-machine test-doctor test-caches test-files test-matrices \
  test-memory test-pure first lint types warm bench matrix clean

# Dots while a command that says nothing runs; they end with the shell that runs it, whatever ends that.
DOTS := (while kill -0 $$$$ 2>/dev/null; do printf .; sleep 0.3; done) &

# What the demo and the examples need; the tests need peers, browsers and robots beside it, four times as much.
# Not quietly: somebody is looking on. Python makes bytecode of what is imported, a fifth of what pip would make it of.
$(LIBRARY): pyproject.toml
	@echo "setting up $(VENV), once"
	@$(DOTS) $(PYTHON) -m venv $(VENV) && echo
	$(BIN)/python -m pip install --no-compile --disable-pip-version-check -e .
	touch $(LIBRARY)

$(STAMP): $(LIBRARY) benchmarks/pyproject.toml checker/pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test,lint]" -e ./benchmarks -e ./checker
	touch $(STAMP)

# The site needs MkDocs, which nothing else does; its pages that play are made by the examples of the gallery.
$(SITE): $(LIBRARY) benchmarks/pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]" -e ./benchmarks
	touch $(SITE)

docs: $(SITE)
	$(BIN)/python tools/gallery.py
	$(MAKE) --no-print-directory pages

# The pages alone, strictly; without the gallery's scenes, which take minutes to make.
pages: $(SITE)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "the site is out/site/index.html"

demo: $(LIBRARY)
	PYTHONDONTWRITEBYTECODE= $(BIN)/tocsin demo

# A wheel that holds compiled kernels, for the levels of x86-64 that this processor has: ten minutes of processor the first time.
wheel: $(LIBRARY)
	$(BIN)/python tools/wheel.py

# What is put on an index, tried in an empty environment: the wheel, the sources, and what they say about themselves.
release: $(LIBRARY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[release]"
	rm -rf dist
	$(BIN)/python tools/wheel.py --check
	$(BIN)/python -m build --sdist
	$(BIN)/python tools/smoke.py dist/tocsin-*.tar.gz
	$(BIN)/twine check --strict dist/*

lint: $(STAMP)
	$(BIN)/pyright src
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	cd benchmarks && ../$(BIN)/lint-imports

types: $(STAMP)
	$(BIN)/pyright

warm: $(LIBRARY)
	$(BIN)/tocsin warmup

test-pure: $(STAMP)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m pure

# Two processes that test would each compile every kernel; so that is done before, beside what needs no kernels.
first: $(STAMP)
	$(MAKE) --no-print-directory -j 2 warm lint test-pure

# Neighbours share what a file makes once, so each process has half of the tests, and who is done takes of the other's.
TWO := -n 2 --dist worksteal --durations 15

test: first
	$(BIN)/python -m pytest $(TWO) -m "not slow"

# With another matrix library inside, and with the code of the v3 wheel, without AVX-512: no answer may hang on last bits.
# Compiled before: some tests count calls of functions. What only reads files is the same on every processor.
AVX2 := NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES= OPENBLAS_CORETYPE=Haswell
test-avx2: $(STAMP)
	for core in Haswell Zen SkylakeX; do \
	  OPENBLAS_CORETYPE=$$core $(BIN)/python -m pytest -m "not slow" tests/geometry tests/model tests/io || exit 1; \
	done
	$(AVX2) $(BIN)/tocsin warmup
	$(AVX2) $(BIN)/python -m pytest -m "not slow" --ignore tests/cli/test_lying_files.py \
	  tests/promise tests/test_scene.py tests/test_answers.py tests/cli

# What is quick of: any machine, any file. Known cases, damaged caches and files, another matrix library; two at a time.
test-machine: $(STAMP)
	$(MAKE) --no-print-directory -j 2 test-doctor test-caches test-files test-matrices

test-doctor: $(STAMP)
	$(BIN)/tocsin doctor

test-caches: $(STAMP)
	$(BIN)/python -m tocsin_bench caches --count 500 --kills 100

test-files: $(STAMP)
	$(BIN)/python -m tocsin_bench mutate --count 2000 --seed 1

test-matrices: $(STAMP)
	OPENBLAS_CORETYPE=Haswell $(BIN)/python -m pytest -m "not slow" tests/geometry tests/model

test-all: first
	$(BIN)/python -m pytest $(TWO)

# How many questions of each engine: make test-memory COUNT=100000
COUNT ?= 500
test-memory: $(STAMP)
	$(BIN)/python -m tocsin_bench memory --count $(COUNT) --bounds

bench: $(STAMP)
	$(BIN)/tocsin bench list

# The oldest and the newest libraries that pyproject.toml allows, each with kernels of its own: ten minutes the first time.
matrix:
	$(PYTHON) tools/matrix.py

clean:
	rm -rf $(VENV) .matrix build dist out *.egg-info src/*.egg-info benchmarks/*.egg-info benchmarks/build
