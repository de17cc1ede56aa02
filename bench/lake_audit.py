"""Times `ducklake_stats_audit` beside a bare scan of the same lake, and beside DuckDB's own count, minimum and maximum of
every column by file: many small files, added to a DuckLake catalogue.

    configure/hosts/1.5.5/bin/python bench/lake_audit.py --extension build/release/colstats.duckdb_extension
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
from packaged_extension import packaged_extension_path  # noqa: E402

COLUMNS = "id BIGINT, a INTEGER, d DOUBLE, s VARCHAR, dt DATE, m DECIMAL(18, 2), b BOOLEAN, ts TIMESTAMP"
ROWS = """SELECT ({file} * {rows} + i)::BIGINT AS id, (i % 100)::INTEGER AS a, i / 7.0::DOUBLE AS d, 'name ' || (i % 1000) AS s,
                 DATE '2020-01-01' + (i % 365)::INTEGER AS dt, (i % 90000)::DECIMAL(18, 2) AS m, i % 3 = 0 AS b,
                 TIMESTAMP '2020-01-01' + to_seconds(i) AS ts FROM range({rows}) numbers(i)"""
SCAN = "SELECT bit_xor(hash(COLUMNS(*))) FROM lake.t"
BOUNDS = ("SELECT filename, count(COLUMNS(* EXCLUDE filename)), min(COLUMNS(* EXCLUDE filename)), "
          "max(COLUMNS(* EXCLUDE filename)) FROM read_parquet('{folder}/*.parquet', filename = true) GROUP BY filename")  # fmt: skip
AUDIT = "SELECT severity, count(*) FROM ducklake_stats_audit('lake') GROUP BY severity"


def cpu_seconds(connection, query):
    before = os.times()
    started = time.monotonic()
    connection.execute(query).fetchall()
    after = os.times()
    return after.user + after.system - before.user - before.system, time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extension", required=True)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--runs", type=int, default=5)
    # Before 2.0, the Python client spins while a table function runs on another thread: that is CPU time of neither.
    parser.add_argument("--threads", type=int, help="DuckDB's threads; with one, nothing but the work is measured")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
        connection.execute("SET enable_progress_bar = false")
        if options.threads:
            connection.execute(f"SET threads = {options.threads}")
        for path in (packaged_extension_path("ducklake"), Path(options.extension).resolve()):
            connection.execute(f"LOAD '{path}'")
        for file in range(options.files):
            rows = ROWS.format(file=file, rows=options.rows)
            connection.execute(f"COPY ({rows}) TO '{folder}/{file}.parquet'")
        connection.execute(f"ATTACH 'ducklake:{folder}/catalogue.ducklake' AS lake (DATA_PATH '{folder}/data/')")
        connection.execute(f"CREATE TABLE lake.t({COLUMNS})")
        connection.execute(f"CALL ducklake_add_data_files('lake', 't', '{folder}/*.parquet')").fetchall()
        queries = (SCAN, BOUNDS.format(folder=folder), AUDIT)
        runs = [[cpu_seconds(connection, query) for query in queries] for _ in range(options.runs)]
        connection.close()
    for position, name in enumerate(("scan", "bounds", "audit")):
        cpu, wall = (statistics.median(run[position][part] for run in runs) for part in (0, 1))
        print(f"{name:6} {cpu:6.2f} CPU s {wall:6.2f} s")


if __name__ == "__main__":
    main()
