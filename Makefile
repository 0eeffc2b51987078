# `make demo` and `make test` do everything from a fresh Debian 12; `make help` lists the rest.
# Thin on purpose: CMakePresets.json is the build, scripts/ the set-up.
.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: deps build lab model demo test test-slow python test-python test-python-if-reachable wheel python-stub lint format dev tsan fuzz fuzz-build bench install clean help

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
CONFIGURE := cmake --log-level=WARNING --preset
BUILD := cmake --build --parallel $(JOBS) --preset
# Two build folders, one cache of objects: build-python has the flags of build.
export CCACHE_NOHASHDIR := 1
export CCACHE_BASEDIR := $(CURDIR)
CTEST := ctest --parallel $(JOBS) --preset

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

deps: ## install the Debian packages that are missing (apt-get, with sudo when not root)
	@scripts/deps.sh

build: deps ## the program build/sotto
	@$(CONFIGURE) release
	@$(BUILD) release --target sotto_cli

model: build ## fetch the default model into the user's cache
	@scripts/default_model.sh

demo: model ## privatise a sample review and a 1,000-row CSV, before and after
	@python3 scripts/demo.py

test: build fuzz-build ## everything but the slow tests
	@$(BUILD) release
	@scripts/default_model.sh
	@$(CTEST) release -LE slow
	@$(MAKE) --no-print-directory test-python-if-reachable

test-slow: build ## the slow tests: a 5 GB stream, 100,000 random tables, a quick run of the lab, a Spark cluster
	@$(BUILD) release
	@$(CTEST) release -L slow
	@if scripts/python_env.sh reachable; then scripts/python_env.sh install slow && scripts/test_spark.sh; \
	else echo "The slow Python tests are skipped: the package index is not reachable."; fi

python: deps ## the Python package, in the virtual environment build/venv
	@JOBS=$(JOBS) scripts/python_env.sh install

test-python: python ## pytest on it; part of `make test` where the package index is reachable
	@SOTTO_ALL_TESTS=1 build/venv/bin/pytest -q -m "not slow"

test-python-if-reachable:
	@if scripts/python_env.sh reachable; then $(MAKE) --no-print-directory test-python; \
	else echo "The Python tests are skipped: the package index is not reachable."; fi

wheel: python ## build/wheelhouse: a wheel that needs no system package
	@JOBS=$(JOBS) scripts/python_env.sh wheel

python-stub: python ## python/sotto/_engine.pyi again, after a change of the bindings
	@scripts/python_env.sh stub

# Without libtorch and liblinear `make test` leaves the lab's tests out; this installs them.
lab: ## the papers' experiments: build/sotto-lab (installs libtorch and liblinear)
	@scripts/deps.sh lab
	@$(CONFIGURE) release -DSOTTO_BUILD_LAB=ON
	@$(BUILD) release --target sotto_lab sotto_cli

lint: build ## clang-format and clang-tidy, warnings are errors
	@JOBS=$(JOBS) scripts/lint.sh

format: ## rewrite the sources with clang-format
	@scripts/sources.sh | xargs -0 clang-format -i

dev: deps ## build and test with AddressSanitizer and UBSan
	@$(CONFIGURE) dev && $(BUILD) dev && $(CTEST) dev -LE "slow|fuzz|install"

tsan: deps ## build and test with ThreadSanitizer
	@$(CONFIGURE) tsan && $(BUILD) tsan && $(CTEST) tsan -LE "slow|fuzz|install"

# Without clang the fuzz tests of ctest report themselves as skipped.
fuzz-build: deps
	@if command -v clang++ >/dev/null; then $(CONFIGURE) fuzz && $(BUILD) fuzz --target fuzzers; \
	else echo "No clang++: the fuzz targets are skipped."; fi

fuzz: fuzz-build ## fuzz every parser, SECONDS_EACH (default 60) for each
	@scripts/fuzz.sh build-fuzz/fuzz $(or $(SECONDS_EACH),60)

bench: deps ## build and run the benchmarks: bench/RESULTS.md
	@$(CONFIGURE) release -DSOTTO_BUILD_BENCH=ON && $(BUILD) release
	@$(CONFIGURE) release -DSOTTO_BUILD_BENCH=OFF
	@scripts/default_model.sh
	@python3 bench/run.py build

install: build ## the program, library, headers and CMake package under PREFIX (default /usr/local)
	@$(BUILD) release --target sotto && cmake --install build --prefix "$(PREFIX)"

clean: ## remove what the build made
	@rm -rf build build-dev build-tsan build-fuzz build-python
