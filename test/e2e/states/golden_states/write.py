#!/usr/bin/env python3
"""Writes the golden states that are not there yet (README.md). Those that are there stay as they are."""

import argparse
import json
import sys
from pathlib import Path

import duckdb

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "scripts"))

from packaged_extension import load_statement  # noqa: E402

# Name, oldest DuckDB that knows the types, query of a column `x`.
QUERIES = (
    ("boolean", "1.3.0", "SELECT unnest([true, NULL, false, true]) AS x"),
    ("integers", "1.3.0", "SELECT {'a': -1::TINYINT, 'b': 300::SMALLINT, 'c': -70000, 'd': 1::BIGINT << 40} AS x"),
    ("unsigned", "1.3.0", "SELECT {'a': 255::UTINYINT, 'b': 65535::USMALLINT, 'c': 7::UINTEGER, 'd': 1::UBIGINT} AS x"),
    ("wide", "1.3.0", "SELECT {'a': -(1::HUGEINT << 99), 'b': 1::UHUGEINT << 127, 'c': uuid} AS x"
     " FROM (SELECT '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::UUID AS uuid)"),
    ("decimals", "1.3.0", "SELECT {'a': 1.5::DECIMAL(4, 1), 'b': -1.5::DECIMAL(9, 3), 'c': 1.25::DECIMAL(18, 2),"
     " 'd': -12345678901234567890.5::DECIMAL(38, 1)} AS x"),
    ("float", "1.3.0", "SELECT unnest(['nan'::FLOAT, '-inf'::FLOAT, -0.0::FLOAT, 1e-30::FLOAT, NULL]) AS x"),
    ("double", "1.3.0", "SELECT unnest(['nan'::DOUBLE, '-0.0'::DOUBLE, 1e300, 0.1]) AS x"),
    ("all_nan", "1.3.0", "SELECT 'nan'::DOUBLE AS x FROM range(3)"),
    ("text", "1.3.0", "SELECT unnest(['', 'duck', repeat('🦆', 100), chr(0) || 'nul', NULL]) AS x"),
    ("bytes", "1.3.0", "SELECT unnest(['\\x00\\xFF'::BLOB, repeat('\\xFF', 300)::BLOB]) AS x"),
    ("bit", "1.3.0", "SELECT unnest(['101'::BIT, '0000000011111'::BIT]) AS x"),
    ("json", "1.3.0", "SELECT '{\"a\": 1}'::JSON AS x"),
    ("enum", "1.3.0", "SELECT unnest(['low', 'high', NULL]::ENUM('high', 'mid', 'low')[]) AS x"),
    ("dates", "1.3.0", "SELECT {'d': DATE '0044-03-15 (BC)', 't': TIME '24:00:00', 'z': TIMETZ '12:00:00+02',"
     " 'i': INTERVAL 1 MONTH} AS x"),
    ("timestamps", "1.3.0", "SELECT {'s': '1969-07-20 20:17:40'::TIMESTAMP_S, 'm': '2038-01-19 03:14:07.5'::TIMESTAMP_MS,"
     " 'u': TIMESTAMP 'infinity', 'n': '1970-01-01 00:00:00.000000001'::TIMESTAMP_NS,"
     " 'z': '2024-02-29 12:00:00+00'::TIMESTAMPTZ} AS x"),
    ("nested", "1.3.0", "SELECT {'l': [[1, NULL], [], NULL], 'm': MAP {'k': {'a.b': 1.5}}, 'a': array_value('x', NULL)} AS x"
     " FROM range(3) UNION ALL SELECT NULL"),
    ("union", "1.3.0", "SELECT union_value(n := 1)::UNION(n INTEGER, s VARCHAR) AS x"
     " UNION ALL SELECT union_value(s := 'a')::UNION(n INTEGER, s VARCHAR)"),
    ("no_rows", "1.3.0", "SELECT 1 AS x WHERE false"),
    ("no_values", "1.3.0", "SELECT NULL::VARCHAR AS x FROM range(1000)"),
    ("null_type", "1.3.0", "SELECT NULL AS x FROM range(2)"),
    ("dense_sketch", "1.3.0", "SELECT i::BIGINT AS x FROM range(20000) r(i)"),
    ("widest_sparse_sketch", "1.3.0", "SELECT i::BIGINT AS x FROM range(2457) r(i)"),
    ("bignum", "1.4.0", "SELECT ('-' || repeat('9', 60))::BIGNUM AS x"),
    ("variant", "1.5.0", "SELECT 42::VARIANT AS x"),
    ("time_ns", "1.5.0", "SELECT '12:34:56.123456789'::TIME_NS AS x"),
    ("geometry", "1.5.0", "SELECT unnest(['POINT Z (1 2 3)', 'LINESTRING (-5 0, 5 10)', NULL])::GEOMETRY AS x"),
)


def write(connection, name, minimum, query):
    state, leaves = connection.execute(
        f"SELECT s, column_stats_read(s) FROM (SELECT column_stats_state(x) AS s FROM ({query}))"
    ).fetchone()
    (HERE / f"{name}.state").write_bytes(state)
    return {"name": name, "host_minimum": minimum, "written_by": duckdb.__version__, "query": query, "leaves": leaves}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("extension")
    options = parser.parse_args()
    index_path = HERE / "index.json"
    index = json.loads(index_path.read_text(encoding="utf-8")) if index_path.exists() else []
    present = {golden["name"] for golden in index}
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(load_statement(options.extension))
    for name, minimum, query in QUERIES:
        if name in present:
            continue
        try:
            index.append(write(connection, name, minimum, query))
            print("written:", name)
        except duckdb.Error as error:
            print(f"not on DuckDB {duckdb.__version__}: {name}: {str(error).splitlines()[0]}")
    index_path.write_text(json.dumps(index, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
