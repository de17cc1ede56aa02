"""`extra_stats` of VARIANT leaves: the fully shredded fields of a Parquet file, as its footer tells them."""

import json
import random

import pytest
from ducklake_rows import by_field, catalogue_rows, our_rows
from file_rows import column_rows, counts, file_call, file_rows, sql_literal

pytestmark = pytest.mark.host_minimum("1.5.0")

# The least that DuckDB writes as a row group.
ROW_GROUP = 2048
KEYS = (
    "field_name", "shredded_type", "null_count", "min", "max", "num_values", "contains_nan", "column_size_bytes",
    "any_valid",
)  # fmt: skip


def write(connection, path, query):
    connection.execute(f"COPY ({query}) TO {sql_literal(path)} (FORMAT parquet, ROW_GROUP_SIZE {ROW_GROUP})")
    return path


def fields(row):
    """The entries of a row by field name. Their keys are DuckLake's, in its order; a name comes once."""
    if row["extra_stats"] is None:
        return {}
    entries = json.loads(row["extra_stats"])
    for entry in entries:
        assert list(entry) == [key for key in KEYS if key in entry]
        assert entry["any_valid"] is True
    by_name = {entry["field_name"]: entry for entry in entries}
    assert len(by_name) == len(entries) > 0
    return by_name


def shredded(connection, path, query, column="v"):
    """Writes a file and returns the shredded fields of its column."""
    return fields(column_rows(connection, write(connection, path, query))[column])


def field_bounds(entry):
    return entry.get("min"), entry.get("max")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "variant.parquet"


# ---- as DuckLake writes them

# Not here: single quotes, which DuckLake stores doubled in names and bounds.
DUCKLAKE_CASES = {
    "numbers and NULL": "SELECT unnest([1, 2, NULL])::VARIANT AS v",
    "only NULL": "SELECT NULL::VARIANT AS v FROM range(9)",
    "boolean": "SELECT (i = 1)::VARIANT AS v FROM range(2) t(i)",
    "tinyint": "SELECT (i - 50)::TINYINT::VARIANT AS v FROM range(100) t(i)",
    "unsigned": "SELECT i::UTINYINT::VARIANT AS v FROM range(100) t(i)",
    "bigint": "SELECT (i * 10000000000)::VARIANT AS v FROM range(-5, 5000) t(i)",
    "decimals": """SELECT {'a': i::DECIMAL(4, 1), 'b': (-i / 4)::DECIMAL(9, 2), 'c': (i / 4)::DECIMAL(18, 3),
                           'd': (i * 1000)::DECIMAL(38, 10)}::VARIANT AS v FROM range(-900, 900) t(i)""",
    "reals": "SELECT {'f': (i / 8)::FLOAT, 'd': i / 3}::VARIANT AS v FROM range(-9, 3000) t(i)",
    "texts": "SELECT ('text ' || i)::VARIANT AS v FROM range(3000) t(i)",
    "long texts": "SELECT repeat(chr(97 + i::INTEGER % 26), 300)::VARIANT AS v FROM range(3000) t(i)",
    "blobs": "SELECT unnest(['\\x00\\xFF'::BLOB, 'a\\x5Cb'::BLOB])::VARIANT AS v",
    "moments": """SELECT {'date': DATE '0044-03-15 (BC)' + i::INTEGER, 'time': TIME '00:00:00' + to_seconds(i),
                          'us': TIMESTAMP '2020-01-01' - to_milliseconds(i), 'ns': make_timestamp_ns(i),
                          'tz': to_timestamp(-i)}::VARIANT AS v FROM range(3000) t(i)""",
    "uuids": "SELECT md5(i::VARCHAR)::UUID::VARIANT AS v FROM range(3000) t(i)",
    "objects": "SELECT {'a': i, 'b': ['x' || i, 'y'], 'c': {'d': {'e': i / 2}}}::VARIANT AS v FROM range(99) t(i)",
    "lists": "SELECT CASE WHEN i % 2 = 0 THEN [i, -i] ELSE [] END::VARIANT AS v FROM range(99) t(i)",
    "lists of lists": "SELECT [[i], [], [i, i + 1]]::VARIANT AS v FROM range(99) t(i)",
    "lists of objects": "SELECT [{'a': i, 'b': 'x'}, {'a': -i, 'b': NULL}]::VARIANT AS v FROM range(99) t(i)",
    "NULL fields": "SELECT {'a': CASE WHEN i % 2 = 0 THEN i END}::VARIANT AS v FROM range(99) t(i)",
    "mixed field": "SELECT CASE WHEN i = 1 THEN {'a': 'x', 'b': 1}::VARIANT ELSE {'a': i, 'b': 2}::VARIANT END AS v "
    "FROM range(99) t(i)",
    "mixed root": "SELECT CASE WHEN i = 1 THEN 'x'::VARIANT ELSE i::VARIANT END AS v FROM range(99) t(i)",
    "object or text": "SELECT CASE WHEN i = 1 THEN 'x'::VARIANT ELSE {'a': i}::VARIANT END AS v FROM range(99) t(i)",
    "object or list": "SELECT CASE WHEN i = 1 THEN [7, 9]::VARIANT ELSE {'a': i}::VARIANT END AS v FROM range(99) t(i)",
    "rare field": "SELECT CASE WHEN i = 7 THEN {'a': i, 'r': 'x'}::VARIANT ELSE {'a': i}::VARIANT END AS v "
    "FROM range(5000) t(i)",
    "empty": "SELECT NULL::VARIANT AS v LIMIT 0",
    "NaN": "SELECT {'n': CASE WHEN i = 3 THEN 'nan'::DOUBLE ELSE i END, 'i': i}::VARIANT AS v FROM range(9) t(i)",
    "names": """SELECT {'a.b': 1, 'say "hi"': 2, 'element': 3, 'root': 4, 'value': 6, 'ünï': 7,
                        'a b': 8}::VARIANT AS v""",
    "fields named like those of Parquet": """SELECT {'list': {'element': i}, 'typed_value': {'value': i, 'typed_value': 'x'},
                             'metadata': [i]}::VARIANT AS v FROM range(9) t(i)""",
}
# Where the footer says less than DuckLake's writer knew: a chunk with NaN has no bounds.
LEFT_OUT = {"NaN": {'"n"': ("min", "max")}}


@pytest.mark.host_only("1.5.5")
@pytest.mark.parametrize("case", DUCKLAKE_CASES)
def test_fields_are_those_of_the_real_ducklake(lake, case):
    lake.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
    lake.execute("USE lake")
    lake.execute(f"CREATE TABLE t AS {DUCKLAKE_CASES[case]}")
    theirs = {(row["data_file_id"], row["column_id"]): row["extra_stats"] for row in catalogue_rows(lake, "t")}
    ours = our_rows(lake, "t") if theirs else []
    assert {(row["data_file_id"], row["column_id"]) for row in ours} == set(theirs)
    for row in ours:
        expected = json.loads(theirs[(row["data_file_id"], row["column_id"])] or "[]")
        for entry in expected:
            for key in LEFT_OUT.get(case, {}).get(entry["field_name"], ()):
                del entry[key]
        assert by_field(list(fields(row).values())) == by_field(expected)


# ---- bounds over row groups

# Two values in two row groups, in an order in which texts or bytes mislead.
ORDERED_VALUES = {
    "int32": ("9", "10", "INTEGER", "9", "10"),
    "int64": ("-1", "-10", "BIGINT", "-10", "-1"),
    "decimal(9,2)": ("9", "10.5", "DECIMAL(9, 2)", "9.00", "10.50"),
    "decimal(38,10)": ("-2", "1e10", "DECIMAL(38, 10)", "-2.0000000000", "10000000000.0000000000"),
    "float32": ("1e-30", "-2", "FLOAT", "-2.0", "1e-30"),
    "float64": ("1e300", "9", "DOUBLE", "9.0", "1e+300"),
    "boolean": ("true", "false", "BOOLEAN", "0", "1"),
    "varchar": ("'Z'", "'a'", "VARCHAR", "Z", "a"),
    "blob": ("'a'", "'\\xFF'", "BLOB", "61", "FF"),
    "date": ("'0044-03-15 (BC)'", "'0001-01-01'", "DATE", "0044-03-15 (BC)", "0001-01-01"),
    "time": ("'24:00:00'", "'00:00:00.5'", "TIME", "00:00:00.5", "24:00:00"),
    "timestamp": ("'10000-01-01'", "'9999-01-01'", "TIMESTAMP", "9999-01-01 00:00:00", "10000-01-01 00:00:00"),
    "timestamp_ns": ("'1970-01-01 00:00:00.000000001'", "'1969-12-31'", "TIMESTAMP_NS", "1969-12-31 00:00:00",
                     "1970-01-01 00:00:00.000000001"),
    "timestamptz": ("'10000-01-01 00:00:00+02'", "'9999-12-31 23:00:00+00'", "TIMESTAMPTZ", "9999-12-31 22:00:00+00",
                    "9999-12-31 23:00:00+00"),
    "uuid": ("'80000000-0000-0000-0000-000000000000'", "'7fffffff-ffff-ffff-ffff-ffffffffffff'", "UUID",
             "7fffffff-ffff-ffff-ffff-ffffffffffff", "80000000-0000-0000-0000-000000000000"),
}  # fmt: skip


@pytest.mark.parametrize("shredded_type", ORDERED_VALUES)
def test_bounds_of_row_groups_are_merged_by_value(connect, path, shredded_type):
    first, second, duckdb_type, lower, upper = ORDERED_VALUES[shredded_type]
    connection = connect()
    for name, value in (("TimeZone", "America/New_York"), ("default_collation", "NOCASE")):
        connection.execute(f"SET GLOBAL {name} = '{value}'")
    entry = shredded(connection, path, f"""
        SELECT {{'a': CASE WHEN i < {ROW_GROUP} THEN {first} ELSE {second} END::{duckdb_type}}}::VARIANT AS v
        FROM range({2 * ROW_GROUP}) t(i)""")['"a"']
    assert entry["shredded_type"] == shredded_type
    assert field_bounds(entry) == (lower, upper)
    assert (entry["num_values"], entry["null_count"]) == (2 * ROW_GROUP, 0)


def test_a_row_group_of_nulls_takes_no_bounds_away(connection, path):
    """DuckLake loses them (W3). The NULLs of a VARIANT may lie in `value`, as its own null."""
    query = f"SELECT CASE WHEN i < {ROW_GROUP} THEN i END::VARIANT AS v FROM range({2 * ROW_GROUP}) t(i)"
    entry = shredded(connection, path, query)["root"]
    assert field_bounds(entry) == ("0", str(ROW_GROUP - 1))
    assert (entry["num_values"], entry["null_count"]) == (2 * ROW_GROUP, ROW_GROUP)
    sizes = connection.execute(f"""SELECT sum(total_compressed_size) FROM parquet_metadata({sql_literal(path)})
                                   WHERE path_in_schema = 'v, typed_value'""")
    assert entry["column_size_bytes"] == sizes.fetchone()[0]


def test_a_row_group_without_bounds_takes_them_away(connection, path):
    """The long text cannot be raised by the writer, so its row group has no bounds; those of the other do not hold."""
    query = f"""SELECT {{'a': CASE WHEN i = 0 THEN repeat('é', 300) ELSE 'x' END, 'i': i}}::VARIANT AS v
                FROM range({2 * ROW_GROUP}) t(i)"""
    found = shredded(connection, path, query)
    assert field_bounds(found['"a"']) == (None, None)
    assert field_bounds(found['"i"']) == ("0", str(2 * ROW_GROUP - 1))


@pytest.mark.parametrize("position", (0, ROW_GROUP, 3 * ROW_GROUP - 1))
def test_nan_in_any_row_group_is_told(connection, path, position):
    """DuckLake tells of the last row group (W1)."""
    query = f"""SELECT {{'n': CASE WHEN i = {position} THEN 'nan'::DOUBLE ELSE i END, 'd': i::DOUBLE, 'i': i}}::VARIANT
                AS v FROM range({3 * ROW_GROUP}) t(i)"""
    found = shredded(connection, path, query)
    assert found['"n"']["contains_nan"] is True
    assert field_bounds(found['"n"']) == (None, None)
    assert found['"d"']["contains_nan"] is False
    assert field_bounds(found['"d"']) == ("0.0", f"{3 * ROW_GROUP - 1}.0")
    assert "contains_nan" not in found['"i"']


def test_nulls_counted_twice_are_not_told(connection, path):
    """DuckDB 1.5 counts an object missing in a list once for itself and once for each of its fields (W7)."""
    query = "SELECT [{'a': 1}::VARIANT, {'a': NULL}::VARIANT, 'x'::VARIANT]::VARIANT AS v"
    entry = shredded(connection, path, query)['element."a"']
    assert field_bounds(entry) == ("1", "1")
    assert entry["num_values"] == 3
    assert entry.get("null_count", 2) == 2


# ---- which fields


def test_a_field_with_other_values_in_one_row_group_is_left_out(connection, path):
    query = f"""SELECT CASE WHEN i = 1 THEN {{'a': 'x', 'b': 1}}::VARIANT ELSE {{'a': i, 'b': 2}}::VARIANT END AS v
                FROM range({2 * ROW_GROUP}) t(i)"""
    assert set(shredded(connection, path, query)) == {'"b"'}


def by_another_writer(path):
    """A copy that says it was written by somebody else. (DuckDB may have the file itself in its cache.)"""
    content = path.read_bytes()
    assert content.count(b"DuckDB version ") == 1
    copy = path.with_name("other " + path.name)
    copy.write_bytes(content.replace(b"DuckDB version ", b"Custom version "))
    return copy


def test_another_writer_must_have_shredded_all_above_the_field(connection, tmp_path):
    """DuckDB and DuckLake assume that a value which is not shredded has no field that is. Files of DuckDB keep to that."""
    query = "SELECT CASE WHEN i = 1 THEN {} ELSE {{'a': i::DOUBLE}}::VARIANT END AS v FROM range(9) t(i)"
    partly = write(connection, tmp_path / "partly.parquet", query.format("'x'::VARIANT"))
    assert field_bounds(fields(column_rows(connection, partly)["v"])['"a"']) == ("0.0", "8.0")
    assert column_rows(connection, by_another_writer(partly))["v"]["extra_stats"] is None
    # Nor is it known that bounds of another writer mean the absence of NaN.
    whole = write(connection, tmp_path / "whole.parquet", query.format("NULL"))
    own, others = (fields(column_rows(connection, file)["v"]) for file in (whole, by_another_writer(whole)))
    assert own['"a"'].pop("contains_nan") is False
    assert others == own


def test_nothing_shredded_is_null(connection, path):
    mixed = "SELECT CASE WHEN i % 2 = 0 THEN 'x'::VARIANT ELSE i::VARIANT END AS v FROM range(9) t(i)"
    row = column_rows(connection, write(connection, path, mixed))["v"]
    assert row["extra_stats"] is None
    assert counts(row) == (9, 0)


def test_rows_without_variant_values(connection, path):
    row = column_rows(connection, write(connection, path, "SELECT NULL::VARIANT AS v LIMIT 0"))["v"]
    assert (row["extra_stats"], counts(row)) == (None, (0, 0))


def test_counts_come_from_the_values(connection, path):
    row = column_rows(connection, write(connection, path, "SELECT unnest([1, 2, NULL])::VARIANT AS v"))["v"]
    assert counts(row) == (2, 1)
    entry = fields(row)["root"]
    assert (entry["num_values"], entry["null_count"]) == (3, 1)


def test_names_are_quoted_and_elements_are_not(connection, path):
    query = """SELECT {'a.b': 1, 'it''s': 1, 'say "hi"': [{'element': 2}], 'root': {'list': {'element': 'x'}}}::VARIANT
               AS v FROM range(9)"""
    assert set(shredded(connection, path, query)) == {
        '"a.b"',
        '"it\'s"',
        '"say ""hi""".element."element"',
        '"root"."list"."element"',
    }


# ---- several files, and the rest of the function


def test_files_are_shredded_each_in_its_own_way(connection, tmp_path):
    queries = ("SELECT 1::VARIANT AS v", "SELECT 'x'::VARIANT AS v", "SELECT 5 AS i", "SELECT 2::VARIANT AS v",
               "SELECT 3 AS i, {'a': DATE '2020-01-01'}::VARIANT AS v")  # fmt: skip
    files = [str(write(connection, tmp_path / f"[{n}] it's.parquet", query)) for n, query in enumerate(queries)]
    expected = [
        (files[0], {"root": ("1", "1")}),
        (files[1], {"root": ("x", "x")}),
        (files[3], {"root": ("2", "2")}),
        (files[4], {'"a"': ("2020-01-01", "2020-01-01")}),
    ]

    def found(rows):
        variants = [row for row in rows if row["column_name"] == "v"]
        return [(row["file_name"], {n: field_bounds(e) for n, e in fields(row).items()}) for row in variants]

    assert found(file_rows(connection, files)) == expected
    assert found(file_rows(connection, files, union_by_name=True)) == expected
    assert found(file_rows(connection, files, columns=["v"])) == expected


def test_a_variant_that_is_not_asked_for_is_left_alone(connection, path):
    write(connection, path, "SELECT 1 AS i, {'a': 1}::VARIANT AS v")
    text = "SELECT file_column_stats_sql(?, {'columns': [?]})"
    assert "shredded_type" not in connection.execute(text, [str(path), "i"]).fetchone()[0]
    (statement,) = connection.execute(text, [str(path), "v"]).fetchone()
    assert "shredded_type" in statement
    assert connection.execute(statement).fetchall() == connection.execute(
        f"FROM {file_call(path, columns=['v'])}"
    ).fetchall()


# ---- whatever the values are


def random_value(generator, depth):
    """An SQL expression for a VARIANT whose kinds often agree and sometimes do not."""
    kind = generator.choices(("number", "text", "real", "date", "null", "list", "object"), (6, 3, 2, 1, 1, 3, 6))[0]
    if depth == 0 and kind in ("list", "object"):
        kind = "number"
    if kind == "list":
        items = ", ".join(random_value(generator, depth - 1) for _ in range(generator.randrange(3)))
        return f"[{items}]::VARIANT[]::VARIANT"
    if kind == "object":
        names = generator.sample(("a", "b", "c"), generator.randint(1, 3))
        items = ", ".join(f"'{name}': {random_value(generator, depth - 1)}" for name in names)
        return f"{{{items}}}::VARIANT"
    number = generator.randrange(-200, 200)
    return {
        "number": f"({number})::BIGINT::VARIANT",
        "text": f"'text {number}'::VARIANT",
        "real": f"({number} / 4)::DOUBLE::VARIANT",
        "date": f"(DATE '2020-01-01' + {number})::VARIANT",
        "null": "NULL::VARIANT",
    }[kind]


def leaf_values(value, path, leaves):
    """All scalars of a value (as Python has it) by path."""
    if isinstance(value, dict):
        for name, item in value.items():
            leaf_values(item, [*path, f'"{name}"'], leaves)
    elif isinstance(value, list):
        for item in value:
            leaf_values(item, [*path, "element"], leaves)
    elif value is not None:
        leaves.setdefault(".".join(path) or "root", []).append(value)


CASTS = {"int32": int, "int64": int, "float64": float, "varchar": str, "date": str}


@pytest.mark.parametrize("seed", range(12))
def test_bounds_hold_for_values_of_any_shape(connection, path, seed):
    """Fields have one type in most rows and another in some: what is said of a field is true of all its values."""
    generator = random.Random(seed)
    few = [random_value(generator, 2) for _ in range(generator.randint(2, 7))]
    rows = generator.choices(few, k=50) if seed % 2 else few
    query = " UNION ALL ".join(f"SELECT {value} AS v" for value in rows)
    found = shredded(connection, path, query)
    leaves = {}
    for (value,) in connection.execute(f"SELECT v FROM read_parquet({sql_literal(path)})").fetchall():
        leaf_values(value, [], leaves)
    for name, entry in found.items():
        cast = CASTS[entry["shredded_type"]]
        values = [cast(value) for value in leaves.get(name, [])]
        assert all(type(value).__name__ != "str" or cast is str for value in leaves.get(name, []))
        bounds = field_bounds(entry)
        expected = (min(values), max(values)) if values else (None, None)
        assert tuple(bound if bound is None else cast(bound) for bound in bounds) == expected, name
        assert entry["num_values"] - entry.get("null_count", entry["num_values"] - len(values)) == len(values)
