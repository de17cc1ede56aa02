#!/usr/bin/env python3
"""Calls every kind of function once, errors included, and closes the database: to be run under valgrind.

    PYTHONMALLOC=malloc valgrind --leak-check=full --show-leak-kinds=definite --log-file=valgrind.log \\
        configure/hosts/1.5.5/bin/python bench/leaks.py --extension build/release/colstats.duckdb_extension
    grep -c colstats valgrind.log

docs/memory.md has the result.
"""

import argparse
import contextlib
import sys
import tempfile
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from packaged_extension import load_statement  # noqa: E402

SOURCE = "(SELECT i, i % 5 AS g, 'text ' || repeat('x', i % 300) AS s, i / 7 AS d, [i, NULL] AS l, {'a': i, 'b': 'b' || i} AS r, MAP {'k': i} AS m, i::VARCHAR::BLOB AS b FROM range(3000) t(i))"  # fmt: skip
STATEMENTS = [
    "SELECT column_stats(COLUMNS(*)) FROM {source}",
    "SELECT g, column_stats(COLUMNS(* EXCLUDE g)) FROM {source} GROUP BY g",
    "SELECT column_stats(s) FILTER (WHERE i % 2 = 0), column_stats(l) FILTER (WHERE false) FROM {source}",
    "SELECT column_stats(i) OVER (ORDER BY i ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM {source} LIMIT 50",
    "SELECT column_stats(COLUMNS(*)) FROM test_all_types()",
    "SELECT column_stats_read(column_stats_merge(x)) FROM (SELECT column_stats_state(r) AS x FROM {source} GROUP BY g)",
    "SELECT column_stats_distincts(column_stats_state(s)) FROM {source}",
    "SELECT hive_stats(i, 10), hive_stats(s, 14), frequent_items(g, 3), hive_bit_vector(d) FROM {source}",
    "SELECT exact_column_stats(d), exact_column_stats(m) FROM {source}",
    "FROM query_column_stats('SELECT * FROM range(100) t(i)')",
    "FROM hive_query_column_stats('SELECT i, i::VARCHAR AS s FROM range(100) t(i)', histogram := true, top_k := 3)",
    "FROM file_column_stats('{folder}/*.parquet')",
    "FROM hive_column_stats('{folder}/*.parquet', nested := true)",
    "FROM parquet_stats_audit('{folder}/*.parquet')",
    "FROM file_column_stats('{folder}/a.csv')",
    # Errors: at binding, at running, and inside of update.
    "FROM file_column_stats('{folder}/absent.parquet')",
    "FROM file_column_stats('{folder}/damaged.parquet')",
    "FROM file_column_stats('{folder}/a.parquet', columns := ['absent'])",
    "SELECT column_stats(i, i + 1) FROM {source}",
    "SELECT column_stats_merge(b) FROM {source}",
    "SELECT column_stats_merge(x) FROM (SELECT column_stats_state(i) AS x FROM {source} UNION ALL SELECT column_stats_state(s) FROM {source})",  # fmt: skip
    "SELECT hive_bit_vector_merge(b) FROM {source}",
    "SELECT error('stop') FROM (SELECT column_stats(s) AS x FROM {source})",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extension", required=True, type=Path)
    extension = parser.parse_args().extension.resolve()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "2"})
        connection.execute(load_statement(extension))
        connection.execute(f"COPY (SELECT * EXCLUDE m FROM {SOURCE}) TO '{folder}/a.parquet'")
        connection.execute(f"COPY (SELECT i, s FROM {SOURCE}) TO '{folder}/a.csv'")
        for statement in STATEMENTS:
            if "damaged" in statement:
                Path(folder, "damaged.parquet").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
            with contextlib.suppress(duckdb.Error):
                connection.execute(statement.format(source=SOURCE, folder=folder)).fetchall()
                continue
            failed += 1
        connection.close()
    print(f"{len(STATEMENTS)} statements, {failed} of them errors")


if __name__ == "__main__":
    main()
