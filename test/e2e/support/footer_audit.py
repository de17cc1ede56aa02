"""`parquet_stats_audit` for tests: files to audit, bounds as a footer has them, and what the audit finds."""

import datetime
import decimal
import struct

import pyarrow as pa
import pyarrow.parquet as pq
from parquet_footer import Footer

COLUMNS = (
    "file_name row_group_id column_name column_type statistic footer_value true_value first_offending_value"
    " first_offending_row writer effect"
).split()


def audit(connection, files, columns=None):
    """The findings as dicts."""
    paths = [str(file) for file in files] if isinstance(files, list) else str(files)
    option = "" if columns is None else ", columns := $columns"
    parameters = {"files": paths} if columns is None else {"files": paths, "columns": columns}
    rows = connection.execute(f"FROM parquet_stats_audit($files{option})", parameters).fetchall()
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def seen(findings, *names):
    """The named columns of the findings; by default those that say what is wrong and where."""
    names = names or ("row_group_id", "column_name", "statistic", "footer_value", "true_value")
    return [tuple(finding[name] for name in names) for finding in findings]


def offences(findings):
    return seen(findings, "statistic", "footer_value", "first_offending_value", "first_offending_row")


def packed(kind):
    return lambda value: struct.pack(f"<{kind}", value)


def write(path, array, **options):
    pq.write_table(pa.table({"x": array}), path, store_schema=False, **options)
    return path


def day(number):
    return datetime.date(1970, 1, 1) + datetime.timedelta(days=number)


def uuid_bytes(number):
    return bytes(15) + bytes([number])


INTEGER, LONG = packed("i"), packed("q")
# Each: a function of three numbers that gives the column, and one that gives the bytes of a bound.
TYPES = {
    "int8": (lambda n: pa.array(n, pa.int8()), INTEGER),
    "int16": (lambda n: pa.array(n, pa.int16()), INTEGER),
    "int32": (lambda n: pa.array(n, pa.int32()), INTEGER),
    "int64": (lambda n: pa.array(n, pa.int64()), LONG),
    "uint8": (lambda n: pa.array(n, pa.uint8()), INTEGER),
    "uint16": (lambda n: pa.array(n, pa.uint16()), INTEGER),
    "uint32": (lambda n: pa.array(n, pa.uint32()), INTEGER),
    "uint64": (lambda n: pa.array(n, pa.uint64()), LONG),
    "float16": (lambda n: pa.array(n, pa.float16()), packed("e")),
    "float": (lambda n: pa.array(n, pa.float32()), packed("f")),
    "double": (lambda n: pa.array(n, pa.float64()), packed("d")),
    "string": (lambda n: pa.array([f"{k:03}" for k in n]), lambda k: f"{k:03}".encode()),
    "binary": (lambda n: pa.array([bytes([k, 0xFF]) for k in n]), lambda k: bytes([k, 0xFF])),
    "fixed": (lambda n: pa.array([bytes([k]) for k in n], pa.binary(1)), lambda k: bytes([k])),
    "date": (lambda n: pa.array([day(k) for k in n]), INTEGER),
    "time_ms": (lambda n: pa.array(n, pa.int32()).cast(pa.time32("ms")), INTEGER),
    "time_us": (lambda n: pa.array(n, pa.int64()).cast(pa.time64("us")), LONG),
    "timestamp_ms": (lambda n: pa.array(n, pa.timestamp("ms")), LONG),
    "timestamp_us": (lambda n: pa.array(n, pa.timestamp("us")), LONG),
    "timestamp_ns": (lambda n: pa.array(n, pa.timestamp("ns")), LONG),
    "timestamp_utc": (lambda n: pa.array(n, pa.timestamp("us", "UTC")), LONG),
    "decimal": (lambda n: pa.array([decimal.Decimal(k) for k in n], pa.decimal128(5, 1)), None),
    "wide_decimal": (lambda n: pa.array([decimal.Decimal(k) for k in n], pa.decimal128(30, 1)), None),
    "uuid": (lambda n: pa.array([uuid_bytes(k) for k in n], pa.uuid()), uuid_bytes),
}


def big_endian(path, chunk=0):
    """Bytes of a DECIMAL with one digit of scale, as long as the file has them."""
    width = len(Footer(path).column(0, chunk)[12][1][5][1])
    return lambda value: (value * 10).to_bytes(width, "big", signed=True)


def uneven_file(path, sizes, first=0):
    with pq.ParquetWriter(path, pa.schema([("i", pa.int64())])) as writer:
        for size in sizes:
            writer.write_table(pa.table({"i": pa.array(range(first, first + size), pa.int64())}))
            first += size
    return path
