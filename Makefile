# Needs Python 3.11 (Debian: python3, python3-venv), a C compiler (gcc) and make. Everything else is installed into .venv.
PYTHON ?= python3
BIN = .venv/bin
# uv unpacks packages side by side, in a third of the time that pip takes; where it cannot be had, or does not find the packages, pip is there.
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
UV = .venv/uv/bin/uv pip install --quiet --python $(BIN)/python
# Tests of one component or file share a worker, and with it what takes long to make; the order of the groups is that of tests/conftest.py.
WORKERS = -n 2 --dist loadgroup --no-loadscope-reorder
# Examples and benchmarks are programs of their own: what one of them has compiled, the next need not compile again.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test test-all timings lint fmus benchmarks fuzz soak mutants wheel docs pages clean

# Builds the FMUs that it runs, and no others.
demo: .venv/product
	$(BIN)/python examples/00_three_uses.py --out build/demo

test: .venv/test
	$(BIN)/python -m pytest $(WORKERS) -m "not slow"

test-all: .venv/installed
	$(BIN)/python -m pytest $(WORKERS)

# Measures all tests and the components again; most of what is costly is left to test-all.
timings: .venv/installed
	$(BIN)/python -m pytest $(WORKERS) --junitxml build/tests.xml
	$(BIN)/python -m tests.support.timings

lint: .venv/lint
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/python tests/support/lint_size.py

fmus: .venv/product
	$(BIN)/python build_fmus.py --out build/fmus

benchmarks: .venv/benchmarks
	$(BIN)/python benchmarks/first_run.py
	$(BIN)/python benchmarks/runtime.py
	$(BIN)/python benchmarks/andrews.py
	$(BIN)/python benchmarks/exported.py
	$(BIN)/python benchmarks/chain.py
	$(BIN)/python benchmarks/space.py
	$(BIN)/python benchmarks/trees.py
	$(BIN)/python benchmarks/links.py
	$(BIN)/python benchmarks/compiling.py
	$(BIN)/python benchmarks/runs.py
	$(BIN)/python benchmarks/checkpoints.py
	$(BIN)/python benchmarks/isolation.py
	$(BIN)/python benchmarks/sweeps.py
	$(BIN)/python benchmarks/loading.py
	$(BIN)/python benchmarks/pictures.py
	$(BIN)/python benchmarks/assembly.py
	$(BIN)/python benchmarks/parameter_grids.py
	$(BIN)/python benchmarks/masters.py
	$(BIN)/python benchmarks/index3.py
	$(BIN)/python benchmarks/real_time.py
	$(BIN)/python benchmarks/real_time.py --busy
	$(BIN)/python benchmarks/constraints.py
	$(BIN)/python benchmarks/crane.py --schemes explicit gauss-seidel

# Damaged FMUs, checkpoints, results and packages, and calls in any order; FUZZ="--mutants 500 --files 500 --seed 7" for fewer or others.
fuzz: .venv/test
	$(BIN)/python -m tests.fuzz $(FUZZ)

# A crane whose valve crashes at random and is restarted, for an hour; MINUTES=5 for less.
MINUTES ?= 60
soak: .venv/test
	$(BIN)/python -m tests.soak --minutes $(MINUTES)

# Random mutants of sources, and the tests that kill them: at most two hours; MUTANTS="--count 20 --only coupling/plan" for fewer or others.
mutants: .venv/test
	$(BIN)/python -m tests.mutants $(MUTANTS)

# One wheel for all versions of Python, into dist, for the oldest glibc that it runs with; with compiled libraries of the whole catalogue.
wheel: .venv/wheel
	rm -rf build/wheel && JOURDAIN_LIBRARIES=1 $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
	rm -rf dist && PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m auditwheel repair --wheel-dir dist build/wheel/*.whl
	$(BIN)/python -m tests.support.glibc dist/*.whl

docs: .venv/docs
	$(BIN)/python -m docs.site

# Pages and pictures that are kept with the sources, written anew.
pages: .venv/test
	$(BIN)/python -m docs.programs.parts_page
	$(BIN)/python -m docs.programs.examples_page
	$(BIN)/python -m docs.programs.readme_picture
	$(BIN)/python -m docs.programs.frame_pictures
	$(BIN)/python -m docs.programs.stability_page
	$(BIN)/python -m docs.programs.interoperability_page

# The product with what it depends on.
.venv/product: pyproject.toml setup.py $(wildcard coupling/kernel/*/*.[ch])
	$(PYTHON) -m venv .venv
	$(PIP) --target .venv/uv uv && $(UV) --editable . || $(PIP) --editable .
	touch $@

# Besides, what each command needs; or all of it. A stamp that has nothing to install takes a second.
.venv/test: EXTRAS = test peers
.venv/lint: EXTRAS = lint
.venv/docs: EXTRAS = docs
.venv/benchmarks: EXTRAS = benchmarks
.venv/wheel: EXTRAS = wheel
.venv/installed: EXTRAS = test peers lint docs wheel
.venv/test .venv/lint .venv/docs .venv/benchmarks .venv/wheel .venv/installed: .venv/product
	$(UV) -r pyproject.toml $(EXTRAS:%=--extra %) || $(PIP) --editable ".[$(subst $(SPACE),$(COMMA),$(EXTRAS))]"
	touch $@
COMMA = ,
SPACE = $(EMPTY) $(EMPTY)

clean:
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache *.egg-info
