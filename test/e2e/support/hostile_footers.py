"""Footers with bounds of every length for columns of every type: written by `hostile_footers`, and run through our
functions in a process of its own (`hostile_footers.py EXTENSION FOLDER`), as such footers can end the process.

Prints a line per file: its name, and whether each call gave an answer or a plain error and left the database alive.
"""

import itertools
import json
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from packaged_extension import load_statement  # noqa: E402
from parquet_footer import BYTE, FILE_COLUMN_ORDERS, FILE_SCHEMA, I32, STRUCT, TRUE, Footer  # noqa: E402

# Fields of SchemaElement and FileMetaData.
CONVERTED_TYPE, SCALE, PRECISION, LOGICAL_TYPE, KEY_VALUES = 6, 7, 8, 10, 5


def unit(number):
    return (STRUCT, {number: (STRUCT, {})})


PHYSICAL = {
    "boolean": pa.array([True, False]),
    "int32": pa.array([1, 2], pa.int32()),
    "int64": pa.array([1, 2], pa.int64()),
    "double": pa.array([1.0, 2.0]),
    "bytes": pa.array([b"aaaaaaaaaaaa", b"b"]),
    "fixed12": pa.array([b"a" * 12, b"b" * 12], pa.binary(12)),
}
ANNOTATIONS = {
    "interval": {CONVERTED_TYPE: (I32, 21)},
    "time_millis": {CONVERTED_TYPE: (I32, 7)},
    "time_micros": {CONVERTED_TYPE: (I32, 8)},
    "decimal": {CONVERTED_TYPE: (I32, 5), SCALE: (I32, 2), PRECISION: (I32, 9)},
    "unknown": {LOGICAL_TYPE: (STRUCT, {11: (STRUCT, {})})},
    "logical_time": {LOGICAL_TYPE: (STRUCT, {7: (STRUCT, {1: (TRUE, True), 2: unit(1)})})},
    "logical_timestamp": {LOGICAL_TYPE: (STRUCT, {8: (STRUCT, {1: (TRUE, True), 2: unit(3)})})},
    "logical_decimal": {LOGICAL_TYPE: (STRUCT, {5: (STRUCT, {1: (I32, 2), 2: (I32, 4)})})},
    "uint64": {LOGICAL_TYPE: (STRUCT, {10: (STRUCT, {1: (BYTE, b"\x40"), 2: (TRUE, False)})})},
    "uuid": {LOGICAL_TYPE: (STRUCT, {14: (STRUCT, {})})},
    "date": {CONVERTED_TYPE: (I32, 6)},
    "enum": {CONVERTED_TYPE: (I32, 4)},
}
BOUNDS = {f"{byte:02x}x{length}": bytes([byte]) * length for byte in (0, 1, 0xFF) for length in (0, 4, 8)}


def write_hostile_footers(folder):
    """The second column is sound, and none of its values may be lost over the first."""
    for name, values in PHYSICAL.items():
        plain = Path(folder) / "plain.parquet"
        pq.write_table(pa.table({"c": values, "k": [1, 2]}), plain, use_dictionary=False, write_statistics=False)
        for (annotation, fields), (bound, data) in itertools.product(ANNOTATIONS.items(), BOUNDS.items()):
            footer = Footer(plain)
            element = footer.fields[FILE_SCHEMA][1][1][1]
            element.pop(CONVERTED_TYPE, None)
            element.pop(LOGICAL_TYPE, None)
            element.update(fields)
            footer.fields.pop(KEY_VALUES, None)
            footer.fields.pop(FILE_COLUMN_ORDERS, None)
            footer.set(0, 0, min=data, max=data, min_value=data, max_value=data, null_count=0)
            footer.write(Path(folder) / f"{name}-{annotation}-{bound}.parquet")
        plain.unlink()


# DuckDB's own SELECT over some of these ends the process on some hosts, so no values of the column are read.
CALLS = [
    "FROM parquet_stats_audit(?, columns := ['k'])",
    "SELECT value_count, min_value, max_value FROM file_column_stats(?, columns := ['k'])",
    "SELECT num_nulls FROM hive_column_stats(?, columns := ['k'])",
]


def outcome(connection, call, path):
    try:
        return connection.execute(call, [str(path)]).fetchall()
    except duckdb.Error as error:
        return str(error)


def main():
    extension, folder = sys.argv[1:]
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
    connection.execute(load_statement(extension))
    for path in sorted(Path(folder).glob("*.parquet")):
        print(path.name, end="\t", flush=True)
        outcomes = [outcome(connection, call, path) for call in CALLS]
        print(json.dumps([outcomes, connection.execute("SELECT 42").fetchone()[0]]), flush=True)


if __name__ == "__main__":
    main()
