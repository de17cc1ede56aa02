"""The named options of file_column_stats."""

import gzip

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_rows import bounds, column_rows, counts, file_call, file_rows, rows_of, sql_literal


@pytest.fixture
def write(tmp_path):
    """Writes a Parquet file from columns (or an Arrow table), or a text, and gives its path."""

    def write_file(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_text(content)
        else:
            pq.write_table(content if isinstance(content, pa.Table) else pa.table(content), path)
        return str(path)

    return write_file


def found_columns(connection, files, **options):
    """(file id, column name, type, min, max) of every row."""
    rows = file_rows(connection, files, **options)
    return [(row["data_file_id"], row["column_name"], row["column_type"], *bounds(row)) for row in rows]


@pytest.mark.parametrize(
    "columns, expected",
    [
        (["s"], ["s.x", "s.y.z"]),
        (["s.y"], ["s.y.z"]),
        (["m.key", "s.y.z"], ["s.y.z", "m.key"]),
        (["l.element", "s2"], ["l.element", "s2"]),
        (["S.X", "M"], ["s.x", "m.key", "m.value"]),
        (['"a.b"'], ['"a.b"']),
        (["a.b"], ['"a.b"']),
        (["s.x", "s.x", "s"], ["s.x", "s.y.z"]),
    ],
)
def test_columns(connection, write, columns, expected):
    """Columns, or parts of one as `column_name` writes them, in any case; ids and sizes stay those of the file."""
    mapping = pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32()))
    path = write("a.parquet", {"s": [{"x": 1, "y": {"z": 2}}], "m": mapping, "l": [[5]], "a.b": [6], "s2": [7]})
    whole = column_rows(connection, path)
    rows = file_rows(connection, path, columns=columns)
    assert [row["column_name"] for row in rows] == expected
    assert rows == [whole[name] for name in expected]


def test_columns_of_files_that_lack_them(connection, write):
    """It is enough that one file has the column; the others have no row."""
    contents = ({"a": [1]}, {"b": [2]}, {"b": [3], "a": [4]})
    files = [write(f"{number}.parquet", content) for number, content in enumerate(contents)]
    found = found_columns(connection, files, columns=["b"])
    assert found == [(1, "b", "BIGINT", "2", "2"), (2, "b", "BIGINT", "3", "3")]


@pytest.mark.parametrize("format_name", ["csv", "CSV"])
def test_format(connection, write, format_name):
    path = write("data.of_mine", "a,b\n1,x\n")
    expected = [(0, "a", "BIGINT", "1", "1"), (0, "b", "VARCHAR", "x", "x")]
    assert found_columns(connection, path, format=format_name) == expected


def test_format_goes_before_the_name(connection, write):
    parquet = write("a.csv", {"i": [1, 2]})
    json = write("b.parquet", '[{"i": 3}, {"i": 4}]')
    assert found_columns(connection, parquet, format="parquet") == [(0, "i", "BIGINT", "1", "2")]
    assert found_columns(connection, json, format="json") == [(0, "i", "BIGINT", "3", "4")]


LIKE_PIPES = {"delim": "|", "header": False, "skip": 1, "quote": "'"}
CSV_TEXT = "# a comment\n1|x|NA\n2|'y|z'|3,5\n"


@pytest.mark.parametrize(
    "read_options, expected",
    [
        (
            {**LIKE_PIPES, "nullstr": "NA", "decimal_separator": ",", "names": ["p", "q", "r"]},
            [("p", "BIGINT", "1", "2"), ("q", "VARCHAR", "x", "y|z"), ("r", "DOUBLE", "3.5", "3.5")],
        ),
        (
            {**LIKE_PIPES, "columns": {"p": "HUGEINT", "q": "VARCHAR", "r": "VARCHAR"}},
            [("p", "HUGEINT", "1", "2"), ("q", "VARCHAR", "x", "y|z"), ("r", "VARCHAR", "3,5", "NA")],
        ),
        (
            {**LIKE_PIPES, "nullstr": ["NA", "x"], "types": {"column0": "DOUBLE"}},
            [("column0", "DOUBLE", "1.0", "2.0"), ("column1", "VARCHAR", "y|z", "y|z"),
             ("column2", "VARCHAR", "3,5", "3,5")],
        ),
    ],
    ids=["texts, numbers, lists", "types by column", "struct inside"],
)  # fmt: skip
def test_read_options_of_csv(connection, write, read_options, expected):
    path = write("a.csv", CSV_TEXT)
    assert [row[1:] for row in found_columns(connection, path, read_options=read_options)] == expected


@pytest.mark.parametrize("entries", ["{'delim': '|', 'header': 'false', 'skip': '1', 'quote': ''''}",
                                     "{'DELIM': '|', 'Header': 'false', 'skip': '1', 'quote': ''''}"])  # fmt: skip
def test_read_options_as_a_map(connection, write, entries):
    path = write("a.csv", CSV_TEXT)
    call = f"file_column_stats({sql_literal(path)}, read_options := MAP {entries})"
    rows = rows_of(connection, f"FROM {call}")
    assert [(row["column_name"], *bounds(row)) for row in rows] == [
        ("column0", "1", "2"), ("column1", "x", "y|z"), ("column2", "3,5", "NA"),
    ]  # fmt: skip


def test_read_options_of_compressed_text_and_json(connection, tmp_path):
    with gzip.open(tmp_path / "a.csv.gz", "wt") as file:
        file.write("a;b\n1;x\n2;y\n")
    found = found_columns(connection, str(tmp_path / "a.csv.gz"), read_options={"delim": ";", "header": True})
    assert found == [(0, "a", "BIGINT", "1", "2"), (0, "b", "VARCHAR", "x", "y")]
    with gzip.open(tmp_path / "a.json.gz", "wt") as file:
        file.write('[{"a": 1}, {"a": 2}]')
    found = found_columns(connection, str(tmp_path / "a.json.gz"), read_options={"columns": {"a": "DOUBLE"}})
    assert found == [(0, "a", "DOUBLE", "1.0", "2.0")]


def test_read_options_of_parquet(connection, write):
    path = write("a.parquet", {"b": pa.array([b"text"])})
    assert found_columns(connection, path) == [(0, "b", "BLOB", "74657874", "74657874")]
    as_text = found_columns(connection, path, read_options={"binary_as_string": True})
    assert as_text == [(0, "b", "VARCHAR", "text", "text")]


def test_union_by_name(connection, write):
    """One schema for all: types are the common ones; a column that a file lacks has no row for it."""
    files = [
        write("1.parquet", {"a": pa.array([1], pa.int32()), "s": [{"x": 1}]}),
        write("2.parquet", {"s": [{"y": "t", "x": None}], "A": pa.array([2**40]), "z": [float("nan")]}),
    ]
    rows = file_rows(connection, files, union_by_name=True)
    found = {(row["data_file_id"], row["column_name"].lower(), row["column_type"], *bounds(row)) for row in rows}
    assert found == {
        (0, "a", "BIGINT", "1", "1"),
        (0, "s.x", "BIGINT", "1", "1"),
        (1, "s.y", "VARCHAR", "t", "t"),
        (1, "s.x", "BIGINT", None, None),
        (1, "a", "BIGINT", str(2**40), str(2**40)),
        (1, "z", "DOUBLE", None, None),
    }
    assert {row["column_name"]: row["contains_nan"] for row in rows if row["data_file_id"] == 1}["z"] is True
    assert all(row["column_size_bytes"] > 0 for row in rows)


@pytest.mark.parametrize("suffix, texts", [
    ("csv", ["a,b\n1,2\n", "b,c\nx,2\n"]), ("json", ['{"a": 1, "b": "2"}', '{"b": "x", "c": 2}']),
])  # fmt: skip
def test_union_by_name_of_text_files(connection, write, suffix, texts):
    files = [write(f"{number}.{suffix}", text) for number, text in enumerate(texts)]
    assert found_columns(connection, files, union_by_name=True) == [
        (0, "a", "BIGINT", "1", "1"),
        (0, "b", "VARCHAR", "2", "2"),
        (1, "b", "VARCHAR", "x", "x"),
        (1, "c", "BIGINT", "2", "2"),
    ]


def test_hive_partitioning(connection, write, tmp_path):
    """True: a row of size 0 per partition column. False: none. Not given: for those that the file does not have."""
    for value, values in (("1", [1, 2]), ("20", [3]), ("__HIVE_DEFAULT_PARTITION__", [4])):
        write(f"p={value}/a.parquet", {"v": values})
    pattern = str(tmp_path / "*" / "*.parquet")
    without = found_columns(connection, pattern, hive_partitioning=False)
    assert without == [(0, "v", "BIGINT", "1", "2"), (1, "v", "BIGINT", "3", "3"), (2, "v", "BIGINT", "4", "4")]
    for options in ({"hive_partitioning": True}, {}):
        rows = [row for row in file_rows(connection, pattern, **options) if row["column_name"] == "p"]
        assert [(*bounds(row), *counts(row), row["column_size_bytes"]) for row in rows] == [
            ("1", "1", 2, 0, 0), ("20", "20", 1, 0, 0), (None, None, 0, 1, 0),
        ]  # fmt: skip


def test_hive_types_where_a_file_has_the_column_itself(connection, write, tmp_path):
    """Then no path is read and the types have no effect, united or not."""
    write("p=1/a.parquet", {"v": [1], "p": [100]})
    pattern = str(tmp_path / "*" / "*.parquet")
    for is_united in (False, True):
        options = {"union_by_name": is_united, "read_options": {"hive_types": {"p": "DATE"}}}
        assert found_columns(connection, pattern, **options) == [(0, "v", "BIGINT", "1", "1"), (0, "p", "BIGINT", "100", "100")]
    write("p=2/a.parquet", {"v": [2]})
    options = {"union_by_name": True, "read_options": {"hive_types": {"p": "VARCHAR"}, "HIVE_types_autocast": False}}
    assert found_columns(connection, pattern, **options) == [
        (0, "v", "BIGINT", "1", "1"), (0, "p", "BIGINT", "100", "100"), (1, "v", "BIGINT", "2", "2"),
    ]  # fmt: skip


def test_hive_types_are_those_of_all_paths(connection, write, tmp_path):
    """A bound must cast to the type that is reported, also where only a later path is no number."""
    for value in ("1", "2", "x"):
        write(f"p={value}/a.parquet", {"v": [1]})
    found = found_columns(connection, str(tmp_path / "*" / "*.parquet"), hive_partitioning=True, columns=["p"])
    assert found == [(n, "p", "VARCHAR", value, value) for n, value in enumerate(("1", "2", "x"))]
    typed = {"hive_partitioning": True, "read_options": {"hive_types": {"p": "DATE"}}}
    path = write("q/p=2020-01-31/a.parquet", {"v": [1]})
    assert found_columns(connection, path, columns=["p"], **typed) == [(0, "p", "DATE", "2020-01-31", "2020-01-31")]


@pytest.mark.parametrize("name, content", [
    ("a.parquet", {"v": [1, 2], "p": [100, 200]}), ("a.csv", "v,p\n1,100\n2,200\n"),
    ("a.json", '{"v": 1, "p": 100}\n{"v": 2, "p": 200}\n'),
])  # fmt: skip
def test_a_column_of_the_file_is_not_replaced_by_its_path(connection, write, name, content):
    """Unless the path's values are asked for: the statistics are those of what is in the file."""
    path = write(f"P=7/{name}", content)
    in_the_file = [(0, "v", "BIGINT", "1", "2"), (0, "p", "BIGINT", "100", "200")]
    assert found_columns(connection, path, hive_partitioning=False) == in_the_file
    assert found_columns(connection, path) == in_the_file
    assert found_columns(connection, path, hive_partitioning=True, columns=["p"])[0][3:] == ("7", "7")


@pytest.mark.parametrize(
    "limit, text_bounds, blob_bounds",
    [
        (1, ("", None), ("61", "63")),
        (2, ("é", "ê"), ("6162", "6233")),
        # A byte FF cannot be raised: the one before it is.
        (3, ("éa", "éz"), ("616263", "6233")),
        (4, ("éa", "éz"), ("616263", "6232FF01")),
        (2147483647, ("éa", "éz"), ("616263", "6232FF01")),
    ],
)
def test_max_bound_bytes(connection, write, limit, text_bounds, blob_bounds):
    """Text is cut at a character, and a cut maximum raised; whole where it fits. Numbers are never cut."""
    path = write("a.parquet", {"t": ["éa", "éz"], "b": pa.array([b"abc", b"b2\xff\x01"]), "i": [10**12, 2]})
    rows = column_rows(connection, path, max_bound_bytes=limit)
    assert bounds(rows["t"]) == text_bounds
    assert bounds(rows["b"]) == blob_bounds
    assert bounds(rows["i"]) == ("2", str(10**12))


def test_ids(connection, write):
    files = [write("1.parquet", {"a": [1]}), write("2.parquet", {"a": [1]})]
    rows = file_rows(connection, files, table_id=-3, first_data_file_id=2**62)
    assert [(row["data_file_id"], row["table_id"]) for row in rows] == [(2**62, -3), (2**62 + 1, -3)]
    assert [(row["data_file_id"], row["table_id"]) for row in file_rows(connection, files)] == [(0, None), (1, None)]


def field(name, field_type, number):
    return pa.field(name, field_type, metadata={"PARQUET:field_id": str(number)})


def test_field_ids(connection, write):
    """The numbers that the writer gave, of leaves at any depth; rows go by them."""
    struct = pa.struct([field("x", pa.int32(), 12), field("y", pa.string(), 11)])
    elements = pa.list_(field("element", struct, 4))
    schema = pa.schema([field("late", pa.int32(), 77), field("list", elements, 3), field("first", pa.float64(), 1)])
    path = write("a.parquet", pa.table([[1], [[{"x": 2, "y": "t"}]], [0.5]], schema=schema))
    rows = file_rows(connection, path)
    assert [(row["column_id"], row["column_name"], row["min_value"]) for row in rows] == [
        (1, "first", "0.5"), (11, "list.element.y", "t"), (12, "list.element.x", "2"), (77, "late", "1"),
    ]  # fmt: skip


def test_files_with_and_without_field_ids(connection, write):
    """Alike but for the numbers: each has its own."""
    numbered = pa.schema([field("a", pa.int64(), 30), field("b", pa.int64(), 20)])
    files = [
        write("1.parquet", {"a": [1], "b": [2]}),
        write("2.parquet", pa.table([[3], [4]], schema=numbered)),
        write("3.parquet", {"a": [5], "b": [6]}),
    ]
    found = [(row["data_file_id"], row["column_id"], row["min_value"]) for row in file_rows(connection, files)]
    assert found == [(0, 1, "1"), (0, 2, "2"), (1, 20, "4"), (1, 30, "3"), (2, 1, "5"), (2, 2, "6")]


def test_statement_as_text_gives_the_same_rows(connection, write):
    """`query(file_column_stats_sql(...))` runs in the session of the caller."""
    path = write("a.parquet", {"i": [1, None], "s": [{"x": 0.5}] * 2})
    options = {"columns": ["s"], "table_id": 4, "first_data_file_id": 7}
    twin = f"SELECT file_column_stats_sql({sql_literal(path)}, {sql_literal(options)})"
    text = connection.execute(twin).fetchone()[0]
    assert rows_of(connection, text) == file_rows(connection, path, **options)
    with pytest.raises(duckdb.Error, match="file_column_stats_sql: "):
        connection.execute(f"SELECT file_column_stats_sql({sql_literal(path + '.missing')})").fetchall()
    assert connection.execute(f"SELECT count(*) FROM {file_call(path)}").fetchone() == (2,)
