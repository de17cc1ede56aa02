#!/usr/bin/env python3
"""Show colstats at work: the statistics of a file, printed by DuckDB itself.

Without a file it writes a sample first, with what statistics usually stumble over: NaN in one row group only,
NULLs, nested columns, strings longer than a bound may be, several row groups. `make demo` passes the file in
COLSTATS_DEMO_FILE, so that no shell has to quote its name.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

import duckdb
from packaged_extension import load_statement

SAMPLE = Path("build/demo/sample.parquet")
# Enough for every column of the result.
FULL_WIDTH = 320
ROW_COUNT = 50_000
ROW_GROUP_SIZE = 10_240
SAMPLE_QUERY = f"""
    SELECT
        i AS id,
        (i * 7919 % 100000 / 100)::DECIMAL(10, 2) AS price,
        CASE WHEN i = 20 THEN 'NaN'::DOUBLE WHEN i % 11 = 0 THEN NULL ELSE sin(i) * 1e6 END AS reading,
        (i % 97 / 7.0)::FLOAT AS ratio,
        i % 3 = 0 AS is_third,
        CASE WHEN i % 5 <> 0 THEN 'name ' || i END AS name,
        repeat('long ', 60) || lpad(i::VARCHAR, 6, '0') AS long_text,
        encode('blob ' || i % 100) AS payload,
        DATE '2020-02-29' + (i % 1000)::INTEGER AS day,
        TIMESTAMP '2024-01-01 00:00:00' + INTERVAL (i) SECOND AS seen_at,
        TIMESTAMPTZ '2024-06-01 12:00:00+00' + INTERVAL (i) MINUTE AS seen_at_utc,
        CASE WHEN i % 4 <> 0 THEN range(i % 3) END AS list,
        {{'x': i % 10, 'y': {{'z': 'inner ' || i % 1000}}}} AS nested,
        MAP {{'key ' || i % 7: i / 3.0}} AS mapping
        GEOMETRY_COLUMN
    FROM range({ROW_COUNT}) numbers(i)
"""
GEOMETRY_COLUMN = ", ('POINT(' || i % 360 - 180 || ' ' || i % 180 - 90 || ')')::GEOMETRY AS place"


def has_geometry(connection):
    """GEOMETRY became a type of DuckDB itself in 1.5; before, it needs the spatial extension."""
    try:
        connection.execute("SELECT 'POINT(1 2)'::GEOMETRY").fetchall()
        return True
    except duckdb.Error:
        return False


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def write_sample(connection):
    """Write the sample file and say what is in it."""
    SAMPLE.parent.mkdir(parents=True, exist_ok=True)
    query = SAMPLE_QUERY.replace("GEOMETRY_COLUMN", GEOMETRY_COLUMN if has_geometry(connection) else "")
    options = f"FORMAT parquet, ROW_GROUP_SIZE {ROW_GROUP_SIZE}"
    connection.execute(f"COPY ({query}) TO {quote(str(SAMPLE))} ({options})").fetchall()
    groups = connection.execute(
        f"SELECT count(DISTINCT row_group_id) FROM parquet_metadata({quote(str(SAMPLE))})"
    ).fetchall()[0][0]
    print(f"Wrote {SAMPLE}: {ROW_COUNT} rows in {groups} row groups; one NaN, in the first row group.\n")
    return str(SAMPLE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extension", required=True, type=Path, help="the built colstats.duckdb_extension")
    parser.add_argument("file", nargs="?", default=os.environ.get("COLSTATS_DEMO_FILE", ""))
    options = parser.parse_args()
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(load_statement(options.extension.resolve()))
    file = options.file or write_sample(connection)
    statement = f"FROM file_column_stats({quote(file)})"
    print(f"DuckDB {duckdb.__version__}:  {statement}\n")
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else FULL_WIDTH
    connection.sql(statement).show(max_width=width, max_rows=200, max_col_width=32)
    if width < FULL_WIDTH:
        print(f"DuckDB leaves out columns that {width} characters cannot hold; pipe this into `less -S` to see all.")


if __name__ == "__main__":
    try:
        main()
    except duckdb.Error as error:
        sys.exit(f"error: {error}")
