# `make demo` and `make test` do everything from a fresh Debian 12; `make help` lists the rest.
# Thin on purpose: CMakePresets.json is the build, scripts/ the set-up.
.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: deps deps-ledger deps-package deps-web package build lab model demo demo-web test test-web screenshots test-slow python test-python test-python-if-reachable wheel python-stub lint format dev tsan odr fuzz fuzz-build \
  check site pictures test-slow-cpp test-spark bench bench-build bench-check install clean help

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
CONFIGURE := cmake --log-level=WARNING --preset
BUILD := cmake --build --parallel $(JOBS) --preset
# Two build folders, one cache of objects: build-python has the flags of build.
export CCACHE_NOHASHDIR := 1
export CCACHE_BASEDIR := $(CURDIR)
CTEST := ctest --parallel $(JOBS) --preset

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

deps: ## install the Debian packages that are missing (apt-get, with sudo when not root)
	@scripts/deps.sh

deps-ledger: ## PostgreSQL, for the tests of the ledger against a real server
	@scripts/deps.sh ledger

deps-package: ## lintian, mmdebstrap and umoci, for `make package` and its test
	@scripts/deps.sh package

deps-web: ## Chromium and fonts, Playwright and axe-core, for the tests of the playground
	@scripts/deps.sh web
	@scripts/web_env.sh install

build: deps ## the program build/sotto
	@$(CONFIGURE) release
	@$(BUILD) release --target sotto_cli

model: build ## fetch the default model into the user's cache
	@scripts/default_model.sh

demo: model ## privatise a sample review and a 1,000-row CSV, before and after
	@python3 scripts/demo.py

demo-web: model ## start the service with the default model and print the address of the playground
	@scripts/demo_web.sh

test: build ## everything but the slow tests
	@$(BUILD) release
	@scripts/default_model.sh
	@$(CTEST) release -LE slow
	@$(MAKE) --no-print-directory test-python-if-reachable

test-web: deps-web build ## the playground in Chromium; part of `make test-slow` where deps-web was run
	@ctest --test-dir build --output-on-failure -R '^(web/|project/small_model)'

screenshots: deps-web model ## docs/images/playground-*.png again
	@build/web/venv/bin/python scripts/screenshots.py build/sotto docs/images

test-slow: test-slow-cpp ## the slow tests: a 5 GB stream, 100,000 random tables and JSON records, a quick run of the lab, a Spark cluster
	@if scripts/python_env.sh reachable; then $(MAKE) --no-print-directory test-spark; \
	else echo "The slow Python tests are skipped: the package index is not reachable."; fi

test-slow-cpp: build
	@$(BUILD) release
	@$(CTEST) release -L slow

test-spark: deps
	@JOBS=$(JOBS) scripts/python_env.sh install slow && scripts/test_spark.sh

python: deps ## the Python package, in the virtual environment build/venv
	@JOBS=$(JOBS) scripts/python_env.sh install

test-python: python ## pytest on it; part of `make test` where the package index is reachable
	@SOTTO_ALL_TESTS=1 build/venv/bin/pytest -q -m "not slow"

test-python-if-reachable:
	@if scripts/python_env.sh reachable; then $(MAKE) --no-print-directory test-python; \
	else echo "The Python tests are skipped: the package index is not reachable."; fi

wheel: deps ## build/wheelhouse: wheels that need no system package, for each CPython from 3.10 here, and an sdist
	@JOBS=$(JOBS) scripts/wheels.sh

python-stub: python ## python/sotto/_engine.pyi again, after a change of the bindings
	@scripts/python_env.sh stub

# Without libtorch and liblinear `make test` leaves the lab's tests out; this installs them.
lab: ## the papers' experiments: build/sotto-lab (installs libtorch and liblinear)
	@scripts/deps.sh lab
	@$(CONFIGURE) release -DSOTTO_BUILD_LAB=ON
	@$(BUILD) release --target sotto_lab sotto_cli

# Configured, not built: clang-tidy needs the flags of every file, those of benchmarks and fuzz targets too.
lint: deps ## clang-format and clang-tidy over the whole tree, findings are errors
	@$(CONFIGURE) lint >/dev/null
	@JOBS=$(JOBS) scripts/lint.sh

format: ## rewrite the sources with clang-format
	@scripts/sources.sh | xargs -0 clang-format -i

# clang compiles this build faster than g++ and has libFuzzer: fuzz targets and tests share its objects. Without clang g++
# makes it, and the fuzz targets are skipped.
CLANG = $(if $(shell command -v clang++),-DCMAKE_CXX_COMPILER=clang++)
DEV = $(CONFIGURE) dev $(if $(CLANG),$(CLANG) -DSOTTO_BUILD_FUZZ=ON) >/dev/null

dev: deps ## build and test with AddressSanitizer and UBSan, and run every fuzz target on 5,000 inputs
	@$(DEV) && $(BUILD) dev && $(CTEST) dev -LE "slow|install"
	@$(if $(CLANG),,echo "No clang++: the fuzz targets are skipped.")

tsan: deps ## build and test with ThreadSanitizer
	@$(CONFIGURE) tsan $(CLANG) >/dev/null && $(BUILD) tsan && $(CTEST) tsan -LE "slow|install"

odr: deps ## link with -flto: a name with two definitions in one program is an error
	@$(CONFIGURE) odr >/dev/null && $(BUILD) odr -- -k 0 && scripts/programs.sh build-odr

fuzz-build: deps
	@$(if $(CLANG),,echo "The fuzz targets need clang++: make deps installs it."; exit 1;) $(DEV) && $(BUILD) dev --target fuzzers

fuzz: fuzz-build ## fuzz every parser, SECONDS_EACH (60) for each, FUZZ_JOBS (twice the cores) at a time
	@FUZZ_JOBS=$(FUZZ_JOBS) scripts/fuzz.sh build-dev/fuzz $(or $(SECONDS_EACH),60)

check: deps ## everything that CI does not run, written to docs/quality.md; STEPS="lint tsan" chooses
	@JOBS=$(JOBS) python3 scripts/check.py $(STEPS)

bench-build: deps
	@scripts/deps.sh bench
	@$(CONFIGURE) release -DSOTTO_BUILD_BENCH=ON && $(BUILD) release
	@$(CONFIGURE) release -DSOTTO_BUILD_BENCH=OFF
	@scripts/default_model.sh

bench: bench-build ## build and run the benchmarks: bench/RESULTS.md
	@python3 bench/run.py build

bench-check: bench-build ## compare the ratios of a new run with the committed ones; names what fell by more than 20%
	@python3 bench/run.py build --check

site: deps ## the documentation as a site that needs no network: build/site/index.html
	@scripts/deps.sh site
	@scripts/site_env.sh && python3 scripts/site.py build && python3 scripts/site.py check build/site

pictures: model ## docs/images/terminal.svg again: real commands and their output
	@scripts/pictures.sh

# The manual is made by the program itself; scripts/package.sh says what is left out where a tool is missing.
package: build deps-package ## build/package: Debian packages and an OCI image
	@$(BUILD) release --target sotto manual && scripts/package.sh

install: build ## the program, library, headers, man pages and completions under PREFIX (default /usr/local)
	@$(BUILD) release --target sotto manual && cmake --install build --prefix "$(PREFIX)"

clean: ## remove what the build made
	@rm -rf build build-dev build-tsan build-odr build-lint build-check build-python build-python-*
