"""A column whose type was changed: bounds are those of its values as its type of today reads them."""

import duckdb
import pytest
from lakes import lake_in

VALUES = {
    "BOOLEAN": ["true", "false"], "TINYINT": ["127", "5"], "SMALLINT": ["127", "-5"], "INTEGER": ["127", "-5"],
    "BIGINT": ["9223372036854775807", "5"], "HUGEINT": ["127", "5"], "UTINYINT": ["127", "5"], "USMALLINT": ["127", "5"],
    "UINTEGER": ["127", "5"], "UBIGINT": ["18446744073709551615", "5"], "FLOAT": ["1.5", "-10", "1e30"],
    "DOUBLE": ["1.5", "-10", "1e300"], "DECIMAL(9,2)": ["1.5", "-10"], "VARCHAR": ["'b'", "'a'"], "DATE": ["'2020-01-01'"],
    "TIME": ["'12:00:00'", "'01:00:00'"], "TIMESTAMP": ["'2020-01-01 01:02:03.5'", "'1970-01-01'"],
    "TIMESTAMP_S": ["'2020-01-01 01:02:03'"], "TIMESTAMP_MS": ["'2020-01-01 01:02:03.5'"],
    "TIMESTAMP_NS": ["'2020-01-01 01:02:03.5'"], "TIMESTAMPTZ": ["'2020-01-01 01:02:03.5+00'", "'1970-01-01 00:00:00+00'"],
    "UUID": ["'00000000-0000-0000-0000-000000000001'"], "BLOB": ["'a'", "'b'"], "INTERVAL": ["INTERVAL 1 DAY"],
}  # fmt: skip
TARGETS = [*VALUES, "JSON", "DECIMAL(18,2)", "DECIMAL(38,10)"]
TEXTS = ("VARCHAR", "JSON", "UUID", "BLOB")


@pytest.fixture
def lake(connection, load_packaged, tmp_path):
    load_packaged(connection, "ducklake")
    return lake_in(connection, tmp_path)


def key(kind, text):
    return f"encode({text})" if kind in TEXTS else f"CAST({text} AS {kind})"


@pytest.mark.parametrize("limit", ["0", "100"])
@pytest.mark.parametrize("kind", VALUES)
def test_promotions(lake, kind, limit):
    lake.set_option("data_inlining_row_limit", limit)
    for number, target in enumerate(target for target in TARGETS if target != kind):
        table = f"lake.t{number}"
        lake.execute(f"CREATE TABLE {table}(c {kind})")
        lake.execute(f"INSERT INTO {table} VALUES " + ", ".join(f"({value})" for value in (*VALUES[kind], "NULL")))
        try:
            lake.execute(f"ALTER TABLE {table} ALTER COLUMN c TYPE {target}")
            texts = [text for (text,) in lake.execute(f"SELECT c::VARCHAR FROM {table} WHERE c IS NOT NULL")]
        except duckdb.Error:
            # DuckLake does not allow it, or cannot read the column any more.
            lake.execute(f"DROP TABLE {table}")
            continue
        (row,) = lake.rows("ducklake_table_column_stats", table_name=f"t{number}")
        assert row["contains_null"] is True
        if row["min_value"] is not None and target != "BLOB":
            low, high = key(target, "?"), key(target, "?")
            value = key(target, "v")
            check = f"SELECT bool_and({low} <= {value} AND {value} <= {high}) FROM unnest(?) AS t(v)"
            ((bounds,),) = lake.connection.execute(check, [row["min_value"], row["max_value"], texts]).fetchall()
            assert bounds, (kind, target, row, texts)
    lake.repair(include=["wrong", "missing", "loose", "harmless"])
    assert lake.findings("wrong", "missing") == set()


def test_whole_numbers_as_hugeint_are_right_as_they_are(lake):
    """They lie in the file as whole numbers, and not as DOUBLE as HUGEINT does, so their bounds need no room."""
    lake.set_option("data_inlining_row_limit", "0")
    lake.execute("CREATE TABLE lake.t(c BIGINT)")
    lake.execute("INSERT INTO lake.t VALUES (5), (9223372036854775807)")
    lake.execute("ALTER TABLE lake.t ALTER COLUMN c TYPE HUGEINT")
    assert lake.findings("wrong") == set()
    (row,) = lake.rows("ducklake_column_stats")
    assert (row["min_value"], row["max_value"]) == ("5", "9223372036854775807")


@pytest.mark.parametrize("limit", ["0", "100"])
@pytest.mark.parametrize("kind, default", [("DATE", "2020-01-01"), ("TINYINT", "5"), ("VARCHAR", "abc"), ("DOUBLE", "1.5")])
def test_defaults_of_columns_that_became_json(lake, kind, default, limit):
    """They are texts as they stand, whether JSON or not."""
    lake.set_option("data_inlining_row_limit", limit)
    lake.execute("CREATE TABLE lake.t(i INTEGER)")
    lake.execute("INSERT INTO lake.t VALUES (1), (2)")
    lake.execute(f"ALTER TABLE lake.t ADD COLUMN c {kind} DEFAULT '{default}'")
    lake.execute("ALTER TABLE lake.t ALTER COLUMN c TYPE JSON")
    expected = lake.value("SELECT any_value(c::VARCHAR) FROM lake.t")
    found = {row["column_name"]: row for row in lake.rows("ducklake_table_column_stats")}
    assert (found["c"]["min_value"], found["c"]["max_value"]) == (expected, expected) and lake.audit() == []
