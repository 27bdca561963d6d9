# SPDX-License-Identifier: Apache-2.0
# `make` lists the targets. Two are enough: `make run` and `make test`.

SWIFT ?= swift
DATA ?= data
LISTEN ?= 127.0.0.1:8080
# With the Swift runtime inside: programs that start sooner and need no toolchain where they run.
RELEASE := -c release --static-swift-stdlib
PRODUCTS := sheetmarket sheets sheet-inspect SheetCleaning sheet-import

.PHONY: help setup build run test test-release bench bench-million bench-desk measure fuzz check format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the Debian packages and Python packages of all targets (idempotent)
	@scripts/setup

build: ## release binaries in .build/release/
	@scripts/setup run
	@for product in $(PRODUCTS); do $(SWIFT) build $(RELEASE) --product $$product || exit 1; done

run: build ## a working marketplace on http://$(LISTEN), its data in $(DATA)/
	exec .build/release/sheetmarket up --data "$(DATA)" --listen "$(LISTEN)"

test: ## every test, against a real PostgreSQL of its own; then no secret may stand in any log of them
	@scripts/setup run test
	$(SWIFT) build --build-tests
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 scripts/check-logs run $(SWIFT) test --skip-build

test-release: build ## the tests from outside on the release programs
	@scripts/setup run test
	$(SWIFT) build --build-tests
	SHEETMARKET_TEST_PROGRAMS=.build/release SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 \
		$(SWIFT) test --skip-build --filter EndToEndTests

bench: ## performance as ratios to pgbench and nginx, measured side by side
	@scripts/setup run check bench
	@for product in $(PRODUCTS) market-bench; do $(SWIFT) build $(RELEASE) --product $$product || exit 1; done
	/usr/bin/python3 Benchmarks/bench.py $(BENCH)

bench-million: ## searching and browsing up to a million generated templates, over HTTP (BENCH="--sizes 10000" for less)
	@scripts/setup run check bench
	@for product in $(PRODUCTS); do $(SWIFT) build $(RELEASE) --product $$product || exit 1; done
	/usr/bin/python3 Benchmarks/million.py $(BENCH)

bench-desk: ## 64 moderators who work a queue of 10,000 cases at once, over HTTP (BENCH="--rush" without pauses)
	@scripts/setup run check bench
	@for product in $(PRODUCTS); do $(SWIFT) build $(RELEASE) --product $$product || exit 1; done
	/usr/bin/python3 Benchmarks/moderation_queue.py $(BENCH)

measure: build ## seconds to ready and of restarts; how well the reader does on the shared sheets
	@scripts/setup run bench
	@$(SWIFT) build $(RELEASE) --product market-bench
	@scripts/measure
	@scripts/measure-reader
	@scripts/measure-similarity

fuzz: ## libFuzzer on what parses hostile output, FUZZ_SECONDS (60) for each target
	@scripts/setup run
	@scripts/fuzz

check: ## what CI demands besides the tests: format, imports, linkage, lint
	@scripts/setup run check
	@scripts/check

format: ## bring all Swift sources into the project's format
	$(SWIFT) format format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks Fuzz

clean: ## remove what was built (never the data)
	$(SWIFT) package clean
