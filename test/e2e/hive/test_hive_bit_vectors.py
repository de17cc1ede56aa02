"""Hive's bit vectors: byte for byte those of Hive, and the number of distinct values that they estimate."""

import base64
import json

import duckdb
import pytest
from file_rows import sql_literal
from hive_rows import query_rows


def expressions(case):
    """SQL texts of the values of a golden case, as one SELECT of column x."""
    values, kind = case["values"] if "values" in case else case["values_hex"], case["type"]
    if isinstance(values, dict):
        start, stop = values["range"]
        value = "i"
        if "prefix" in values:
            value = f"{sql_literal(values['prefix'])} || i::VARCHAR"
        if "times" in values:
            value = f"i::DOUBLE * {values['times']}::DOUBLE"
        select = f"SELECT {cast(value, kind)} AS x FROM range({start}, {stop}) AS t(i)"
        select = f"{select}, range({values['repeat']})" if "repeat" in values else select
        if "then" in values:
            select += "".join(f" UNION ALL SELECT {literal(value, kind)}" for value in values["then"])
        return select
    if not values:
        return f"SELECT NULL::{SQL_TYPES[kind]} AS x"
    return "SELECT unnest([" + ", ".join(literal(value, kind) for value in values) + "]) AS x"


SQL_TYPES = {
    "long": "BIGINT", "double": "DOUBLE", "string": "VARCHAR", "date": "DATE", "timestamp": "TIMESTAMP",
    "decimal": "DECIMAL(38,10)", "binary": "BLOB", "bool": "BOOLEAN",
}  # fmt: skip


def cast(expression, kind):
    if kind == "date":
        return f"DATE '1970-01-01' + ({expression})::INTEGER"
    if kind == "timestamp":
        return f"make_timestamp(({expression})::BIGINT * 1000000)"
    return f"({expression})::{SQL_TYPES[kind]}"


def literal(value, kind):
    if kind in ("date", "timestamp"):
        return cast(str(value), kind)
    if kind == "binary":
        return f"from_hex({sql_literal(value)})"
    if kind == "decimal":
        return f"{sql_literal(str(value))}::{decimal_type(str(value))}"
    # Older parsers end a text at its NUL character.
    text = " || chr(0) || ".join(sql_literal(part) for part in str(value).split("\0"))
    return f"({text})::{SQL_TYPES[kind]}"


def decimal_type(text):
    """A decimal that holds the text and the others of its case."""
    scale = len(text.split(".")[1]) if "." in text else 0
    return f"DECIMAL(38,{scale})"


@pytest.fixture(scope="module")
def golden(shared_directory):
    path = shared_directory / "golden" / "hive_hll.json"
    if not path.is_file():
        pytest.skip(f"{path} is missing")
    return {case["name"]: case for case in json.loads(path.read_text(encoding="utf-8"))}


def sketch_of(connection, case):
    if case["type"] == "decimal" and isinstance(case["values"], list):
        # Each value with a type of its own: a common one would not hold them all.
        parts = [f"SELECT hive_bit_vector({literal(value, 'decimal')}, {case['p']}) AS b" for value in case["values"]]
        statement = f"SELECT hive_bit_vector_merge(b) FROM ({' UNION ALL '.join(parts)})"
    else:
        statement = f"SELECT hive_bit_vector(x, {case['p']}) FROM ({expressions(case)})"
    return connection.execute(statement).fetchone()[0]


def test_golden_additions(connection, golden):
    cases = [case for case in golden.values() if case["kind"] == "add"]
    assert len(cases) > 50
    wrong, left_out = [], []
    for case in cases:
        try:
            blob = sketch_of(connection, case)
        except (duckdb.Error, KeyError, TypeError, IndexError) as error:
            left_out.append(f"{case['name']}: {error}")
            continue
        if base64.b64encode(blob).decode() != case["base64"]:
            wrong.append(case["name"])
        estimate = connection.execute("SELECT hive_bit_vector_estimate(?::BLOB)", [blob]).fetchone()[0]
        if estimate != case["estimate"]:
            wrong.append(f"{case['name']}: {estimate} instead of {case['estimate']}")
    assert not wrong and not left_out, (wrong, left_out)


def test_golden_merges(connection, golden):
    cases = [case for case in golden.values() if case["kind"] == "merge"]
    assert cases
    for case in cases:
        blobs = [base64.b64decode(golden[case[side]]["base64"]) for side in ("receiver", "other")]
        merged = connection.execute(
            "SELECT hive_bit_vector_merge(b) FROM (SELECT unnest([?::BLOB, ?::BLOB]) AS b)", blobs
        ).fetchone()[0]
        if golden[case["receiver"]]["p"] > golden[case["other"]]["p"]:
            continue  # Hive refuses this one; the aggregate takes the smaller precision.
        assert base64.b64encode(merged).decode() == case["base64"], case["name"]


@pytest.mark.parametrize("count", [0, 1, 2, 50, 100, 153, 1000, 20_000, 300_000, 1_000_000])
def test_number_of_distinct_values(connection, count):
    query = f"SELECT i AS n, 'v' || i AS s, i * 0.5::DOUBLE AS d FROM range({count}) AS t(i)"
    for precision, standard_error in ((10, 0.0325), (14, 0.0081)):
        for row in query_rows(connection, query, bit_vector_precision=precision).values():
            allowed = 0 if count <= 100 else 4.5 * standard_error * count
            assert abs(row["num_distincts"] - count) <= allowed, row["column_name"]


@pytest.mark.parametrize("blob", ["FM", "garbage", "HLL", ""])
def test_blobs_that_are_none_are_errors(connection, blob):
    for function in ("hive_bit_vector_merge(b)", "hive_histogram_quantile(b, 0.5)"):
        if function.startswith("hive_bit_vector") and not blob:
            continue
        with pytest.raises(duckdb.Error):
            connection.execute(f"SELECT {function} FROM (SELECT encode(?) AS b)", [blob]).fetchall()
