# Build, test and try colstats. Needs cargo, python3 with venv, and the network once for `make configure`.
#
#   make release      build/release/colstats.duckdb_extension
#   make test         build, then every test on every DuckDB of scripts/hosts.ini
#                     (HOSTS="2.0.1 1.5.5" and STAGES="cargo runner sql e2e cases" restrict it)
#   make test_nightly the same, with more random lakes
#   make demo         statistics of a sample file, or of FILE=path
#   make shell        DuckDB's command line with colstats loaded
#   make bench        measure (BENCH_ARGS="--quick", ...; see bench/README.md)
#
# The targets that DuckDB's extension tooling calls (configure_ci, set_duckdb_version, ...) are at the end.

EXTENSION_NAME := colstats
PYTHON ?= python3
CARGO ?= cargo
HOSTS ?=
STAGES ?=
BENCH_ARGS ?=
TEST_ARGS ?=

export CARGO
# __pycache__ folders beside the scripts are of no use to anybody.
export PYTHONDONTWRITEBYTECODE := 1

EXTENSION := build/release/$(EXTENSION_NAME).duckdb_extension
DEFAULT_PYTHON = $(shell $(PYTHON) scripts/hosts.py --role default --python)
RUN_TESTS = $(PYTHON) test/runner/run_all.py --hosts "$(HOSTS)" --stages "$(STAGES)" $(TEST_ARGS)

.DEFAULT_GOAL := all
.PHONY: all configure debug release test test_nightly test_debug test_release demo shell bench format lint clean clean_all \
	configure_hosts configure_default configure_cli \
	configure_ci set_duckdb_version set_duckdb_tag set_duckdb_repository output_distribution_matrix

all: configure debug

# Environments: one per host, one for the shell. Nothing happens while they are up to date.
configure: configure_hosts configure_cli

configure_hosts:
	@$(PYTHON) scripts/environment.py hosts $(HOSTS)

configure_default:
	@$(PYTHON) scripts/environment.py default

configure_cli:
	@$(PYTHON) scripts/environment.py cli

debug:
	$(CARGO) build --locked
	@$(PYTHON) scripts/package_extension.py debug

release:
	$(CARGO) build --release --locked
	@$(PYTHON) scripts/package_extension.py release

test: test_release

test_release: release configure_hosts
	@$(RUN_TESTS) --build-type release

# The same with 200 random lakes instead of 20.
test_nightly: export COLSTATS_LAKES = 200
test_nightly: release configure_hosts
	@$(RUN_TESTS) --build-type release --timeout 14400

test_debug: debug configure_hosts
	@$(RUN_TESTS) --build-type debug

# The file's name travels in the environment, unexpanded: blanks, quotes and dollar signs in it are harmless.
demo: export COLSTATS_DEMO_FILE = $(value FILE)
demo: release configure_default
	@"$(DEFAULT_PYTHON)" scripts/demo.py --extension $(EXTENSION)

shell: release configure_cli
	@$(PYTHON) scripts/shell.py --extension $(EXTENSION)

bench: release configure_hosts
	@$(PYTHON) bench/bench.py --extension $(EXTENSION) $(BENCH_ARGS)

format:
	$(CARGO) fmt --all

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

clean:
	rm -rf build
	$(CARGO) clean

clean_all: clean
	rm -rf configure

# What the workflows of DuckDB's extension-ci-tools call. One library serves every DuckDB version, so there is no
# version to set.
configure_ci: configure

set_duckdb_version set_duckdb_tag set_duckdb_repository:
	@echo "$@: nothing to do, one binary serves every supported DuckDB"

output_distribution_matrix:
	@cat extension-ci-tools/config/distribution_matrix.json 2>/dev/null || echo "{}"
