# SPDX-License-Identifier: Apache-2.0
# `make` lists the targets. Two are enough: `make run` and `make test`.

SWIFT ?= swift
DATA ?= data
LISTEN ?= 127.0.0.1:8080
# `make test ONLY=Filter` runs the tests whose names match.
ONLY ?=
# The longest that all tests may take.
TEST_SECONDS ?= 3600
# What every debug build is called with.
DEBUG = $(shell scripts/build flags)
export SWIFT
# Most tests wait for other processes most of the time.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8
# A stack for each error that is thrown takes a twentieth of the time; nobody reads those of errors that are expected.
export SWT_SWIFT_ERROR_BACKTRACING_ENABLED ?= 0

.PHONY: help setup build deb release check-deb run test test-release nightly bench bench-million bench-moderation bench-recovery bench-trust bench-load bench-soak screenshots measure fuzz check format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the Debian packages and Python packages of all targets (idempotent)
	@scripts/setup

build: ## release programs in .build/release/, the players' `sheets` among them
	@scripts/setup run
	@scripts/build programs

deb: build ## Debian packages in .build/debian/: the server, and the players' `sheets`
	@scripts/setup run deb
	@scripts/make-deb

release: deb ## packages, sources, bill of materials and checksums of a tagged release in .build/dist/; RELEASE_KEY=FILE signs
	@scripts/make-release

check-deb: ## install, run, upgrade and remove those packages in a fresh Debian (as root)
	@scripts/setup deb
	@scripts/check-deb

run: ## a working marketplace on http://$(LISTEN), its data in $(DATA)/
	@scripts/setup run
	@scripts/build server
	@printf 'run: starting; the first time makes a database and reads the examples\n' >&2
	exec .build/release/sheetmarket up --data "$(DATA)" --listen "$(LISTEN)"

test: ## every test, against a real PostgreSQL; then no secret may stand in any log of them; ONLY=Filter for some tests
	@scripts/setup run
	@scripts/setup test & setup=$$!; scripts/build tests; built=$$?; wait $$setup && exit $$built
ifeq ($(ONLY),)
	scripts/check-logs run scripts/run-tests $(TEST_SECONDS) $(SWIFT) test --skip-build $(DEBUG)
else
	$(SWIFT) test --skip-build $(DEBUG) --filter '$(ONLY)'
endif

test-release: build ## the tests from outside on the release programs
	@scripts/setup run test
	@scripts/build tests
	SHEETMARKET_TEST_PROGRAMS=.build/release $(SWIFT) test --skip-build $(DEBUG) --filter EndToEndTests

nightly: build ## a market of many nodes under load, while one part after the other fails (NIGHTLY="--only replica" for less)
	@scripts/setup run test
	/usr/bin/python3 -B Tests/Cluster/nightly.py $(NIGHTLY)

# Both programs run, whatever becomes of the first: each ends with 3 where a goal is missed, with 1 where it could not measure.
bench: ## performance as ratios to pgbench and nginx, measured side by side; fails where a goal is missed
	@scripts/setup run check bench
	@scripts/build benchmarks
	/usr/bin/python3 Benchmarks/bench.py $(BENCH); service=$$?; /usr/bin/python3 Benchmarks/clients.py; clients=$$?; \
		[ $$service -eq 1 ] && exit 1; [ $$clients -eq 0 ] && exit $$service; exit $$clients

bench-million: ## searching and browsing up to a million generated templates, over HTTP (BENCH="--sizes 10000" for less)
	@scripts/setup run check bench
	@scripts/build benchmarks
	/usr/bin/python3 Benchmarks/million.py $(BENCH)

bench-moderation: ## 64 moderators who work a queue of 10,000 cases at once, over HTTP (BENCH="--rush" without pauses)
	@scripts/setup run check bench
	@scripts/build benchmarks
	/usr/bin/python3 Benchmarks/moderation_queue.py $(BENCH)

bench-recovery: ## what is lost with a machine of 1,000 and 100,000 templates, and how long its restore takes (BENCH="--sizes 1000" for less)
	@scripts/setup run check bench
	@scripts/build benchmarks
	/usr/bin/python3 Benchmarks/recovery.py $(BENCH)

bench-trust: ## what signed metadata of 1,000 to a million files costs clients, and how long until a version is in it (BENCH="--sizes 1000" for less; BENCH="--lost-key")
	@scripts/setup run check bench
	@scripts/build benchmarks
	/usr/bin/python3 Benchmarks/trust.py $(BENCH)

bench-load: build ## how much one, two and three servers behind nginx serve of a mix like real use, and what the limit is (BENCH="--servers 1")
	@scripts/setup run bench
	/usr/bin/python3 -B Benchmarks/load/knee.py $(BENCH)

bench-soak: build ## the same mix for two hours: what grows (BENCH="--hours 0.5 --rate 20")
	@scripts/setup run bench
	/usr/bin/python3 -B Benchmarks/load/soak.py $(BENCH)

screenshots: build ## pictures of every page, in both themes and two widths, into docs/images/
	@scripts/setup run test
	.venv/bin/python Tests/Browser/screenshots.py --program .build/release/sheetmarket

measure: ## seconds to ready and of restarts; how well the reader does on the shared sheets
	@scripts/setup run bench
	@scripts/build benchmarks
	@scripts/measure
	@scripts/measure-reader
	@scripts/measure-similarity

fuzz: ## libFuzzer on what parses hostile output, and mutated PDFs for the reader; FUZZ_SECONDS (60) for each
	@scripts/setup run test
	@scripts/fuzz
	$(SWIFT) build $(DEBUG) --product sheet-inspect
	@$(RM) -r .build/fuzz/hostile
	/usr/bin/python3 Tests/Fixtures/make_hostile.py .build/fuzz/hostile >/dev/null
	/usr/bin/python3 -B Fuzz/reader.py .build/debug/sheet-inspect --seconds $${FUZZ_SECONDS:-60} .build/fuzz/hostile examples/sheets

check: ## what CI demands besides the tests: format, imports, linkage, lint
	@scripts/setup run check
	@scripts/check

format: ## bring all Swift sources into the project's format
	$(SWIFT) format format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks Fuzz

clean: ## remove what was built (never the data)
	$(SWIFT) package clean
