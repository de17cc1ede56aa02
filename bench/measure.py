#!/usr/bin/env python3
"""Time the benchmark's statements on the DuckDB of the running Python, and print the figures as JSON.

The statements of a group take turns, so that a slow minute of the machine hits all of them; each is run once
before, unmeasured, to fill the page cache. What a statement returns is fetched in full.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import duckdb
from dataset import add_dataset_options, dataset_from_options

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from packaged_extension import load_statement  # noqa: E402

FLOOR = "scan floor: bit_xor(hash(COLUMNS(*)))"
OWN_AGGREGATES = "min(COLUMNS(*)), max(COLUMNS(*)), count(COLUMNS(*))"


def quote(text):
    return "'" + str(text).replace("'", "''") + "'"


def statements_for(source, grouped_source):
    """What is measured on lineitem: (label, statement) pairs; the first is what ratios refer to."""
    by_file = "COLUMNS(* EXCLUDE filename)"
    return [
        (FLOOR, f"SELECT bit_xor(hash(COLUMNS(*))) FROM read_parquet({source})"),
        ("file_column_stats(files)", f"FROM file_column_stats({source})"),
        ("column_stats(COLUMNS(*))", f"SELECT column_stats(COLUMNS(*)) FROM read_parquet({source})"),
        ("column_stats(COLUMNS(*)) grouped by filename",
         f"SELECT filename, column_stats({by_file}) FROM {grouped_source} GROUP BY filename"),
        ("column_stats_state(COLUMNS(*))", f"SELECT column_stats_state(COLUMNS(*)) FROM read_parquet({source})"),
        ("hive_column_stats(files)", f"FROM hive_column_stats({source})"),
        ("DuckDB min, max, count, approx_count_distinct",
         f"SELECT {OWN_AGGREGATES}, approx_count_distinct(COLUMNS(*)) FROM read_parquet({source})"),
        ("SUMMARIZE", f"SUMMARIZE FROM read_parquet({source})"),
    ]


def small_file_statements(source, grouped_source):
    """What is measured on very many small files."""
    by_file = OWN_AGGREGATES.replace("COLUMNS(*)", "COLUMNS(* EXCLUDE filename)")
    return [
        (FLOOR, f"SELECT bit_xor(hash(COLUMNS(*))) FROM read_parquet({source})"),
        ("file_column_stats(files)", f"FROM file_column_stats({source})"),
        ("column_stats(COLUMNS(*)) grouped by filename",
         f"SELECT filename, column_stats(COLUMNS(* EXCLUDE filename)) FROM {grouped_source} GROUP BY filename"),
        ("DuckDB min, max, count grouped by filename",
         f"SELECT filename, {by_file} FROM {grouped_source} GROUP BY filename"),
    ]


def groups_of(dataset):
    """All groups: a title and its statements."""
    def sources(path):
        return quote(path), f"read_parquet({quote(path)}, filename = true)"

    rows = f"{dataset.row_count:,} rows x 16 columns"
    return [
        (f"{rows}, 1 file", statements_for(*sources(dataset.single))),
        (f"{rows}, 50 files", statements_for(*sources(dataset.split / "*.parquet"))),
        (f"{dataset.small_file_count:,} files of 1,000 rows x 20 columns",
         small_file_statements(*sources(dataset.small / "*.parquet"))),
    ]


# What takes longer (SUMMARIZE) is measured once.
SLOW_SECONDS = 10


def time_statement(connection, statement):
    started = time.perf_counter()
    connection.execute(statement).fetchall()
    return time.perf_counter() - started


def is_missing_function(error):
    return isinstance(error, duckdb.CatalogException) and "does not exist" in str(error)


def measure_group(connection, statements, run_count):
    """Median seconds per label; None where this build lacks the function."""
    times = {}
    for label, statement in statements:
        try:
            time_statement(connection, statement)
            times[label] = []
        except duckdb.Error as error:
            if not is_missing_function(error):
                raise
            times[label] = None
    for _ in range(run_count):
        for label, statement in statements:
            taken = times[label]
            if taken is not None and not (taken and taken[0] > SLOW_SECONDS):
                taken.append(time_statement(connection, statement))
    return {label: statistics.median(taken) if taken else None for label, taken in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_dataset_options(parser)
    parser.add_argument("--extension", required=True, type=Path)
    parser.add_argument("--runs", required=True, type=int)
    parser.add_argument("--threads", required=True, type=int)
    options = parser.parse_args()
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": str(options.threads)})
    connection.execute(load_statement(options.extension.resolve()))
    results = []
    for title, statements in groups_of(dataset_from_options(options)):
        print(f"DuckDB {duckdb.__version__}: {title}", file=sys.stderr, flush=True)
        results.append({"title": title, "seconds": measure_group(connection, statements, options.runs)})
    print(json.dumps(results))


if __name__ == "__main__":
    main()
