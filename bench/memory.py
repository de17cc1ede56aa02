#!/usr/bin/env python3
"""Measure the memory of a group: bytes per group and type, as a Markdown table.

    python bench/memory.py --extension build/release/colstats.duckdb_extension [--groups 1000000] [--values 1]

Run it with the Python of a host. Each figure is the peak memory of a process of its own that groups by a number, less
that of one that only counts; every group has `--values` different values.
"""

import argparse
import resource
import subprocess
import sys
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from packaged_extension import load_statement  # noqa: E402

# An expression over the number of the row for each type.
TYPES = {
    "BOOLEAN": "i % 2 = 0",
    "BIGINT": "i",
    "DECIMAL(18,2)": "(i % 100000)::DECIMAL(18,2)",
    "HUGEINT": "i::HUGEINT",
    "DOUBLE": "i / 7",
    "TIMESTAMP": "make_timestamp(i * 1000000)",
    "VARCHAR, 10 bytes": "lpad(i::VARCHAR, 10, '0')",
    "VARCHAR, 300 bytes": "lpad(i::VARCHAR, 300, '0')",
    "INTEGER[]": "[i::INTEGER]",
    "STRUCT of 3 BIGINT": "{'a': i, 'b': i, 'c': i}",
}
BASELINE = "count"
FUNCTIONS = ("column_stats", "column_stats_state", "hive_stats")


def measure(options):
    """Peak memory of this process after one grouping, in bytes."""
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
    connection.execute(load_statement(options.extension.resolve()))
    rows = options.groups * options.values
    connection.execute(
        f"SELECT count(s) FROM (SELECT {options.function}(x) AS s FROM (SELECT i % {options.groups} AS g,"
        f" {TYPES[options.type]} AS x FROM range({rows}) numbers(i)) GROUP BY g)"
    ).fetchall()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def peak(options, function, column_type):
    command = [sys.executable, __file__, "--extension", options.extension, "--groups", options.groups]
    command += ["--values", options.values, "--function", function, "--type", column_type]
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=True)
    return int(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extension", required=True, type=Path)
    parser.add_argument("--groups", type=int, default=1_000_000)
    parser.add_argument("--values", type=int, default=1)
    parser.add_argument("--function", help=argparse.SUPPRESS)
    parser.add_argument("--type", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.function:
        print(measure(options))
        return
    print(f"DuckDB {duckdb.__version__}, {options.groups:,} groups, values per group: {options.values}\n")
    print(f"| type | {' | '.join(FUNCTIONS)} |\n| --- |{' ---: |' * len(FUNCTIONS)}")
    for column_type in TYPES:
        base = peak(options, BASELINE, column_type)
        sizes = [(peak(options, function, column_type) - base) / options.groups for function in FUNCTIONS]
        print(f"| {column_type} | {' | '.join(f'{size:.0f}' for size in sizes)} |", flush=True)


if __name__ == "__main__":
    main()
