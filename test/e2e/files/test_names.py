"""Column names of every kind: nothing collides with what the composed statement uses, and paths are unambiguous."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_rows import bounds, column_rows, file_rows, quoted_identifier

# Names that the reader, the statement or the result use for themselves, and text that SQL could take for its own.
TAKEN_NAMES = [
    "filename", "file_name", "FILE_NAME", "file_row_number", "file_index", "rowid", "colstats_file_name",
    "colstats_file_name_", "Colstats_File_Name__", "data_file_id", "table_id", "column_id", "column_size_bytes",
    "value_count", "null_count", "min_value", "max_value", "contains_nan", "extra_stats", "column_name", "column_type",
    "files", "leaves", "leaf", "stats", "sizes", "scanned", "per_leaf", "per_column", "schema_number", "file_number",
    "leaf_number", "column_position", "leaf_position", "column_leaves", "size_bytes", "chunks", "footers",
    "scanned_file", "leaf_rank", "leaf_bytes", "has_rows",
]  # fmt: skip
HARD_NAMES = [
    "select", "from", "null", "true", "a b", "it's", "*", "COLUMNS(*)", "?", "$1", "%s{}", "-- comment", "/*", ";",
    "ünï 🦆", "日本語", "new\nline", "tab\t", "back\\slash", "long " * 500,
]  # fmt: skip
QUOTED_NAMES = ["a.b", ".", "a.", 'say "hi"', '"', '""', 'a."b".c']


@pytest.fixture
def write(tmp_path):
    """Writes a Parquet file; columns are (name, values) pairs, as names may come twice."""

    def write_file(*columns):
        path = tmp_path / "names.parquet"
        arrays = [pa.array(values) for _, values in columns]
        pq.write_table(pa.Table.from_arrays(arrays, names=[name for name, _ in columns]), path)
        return str(path)

    return write_file


def assert_numbered(rows, names):
    """Column n holds n and n + 1."""
    assert [(row["column_name"], *bounds(row)) for row in rows] == [
        (name, str(number), str(number + 1)) for number, name in enumerate(names)
    ]


def test_names_that_the_statement_uses(connection, write):
    """All at once, so each must keep clear of all others. DuckDB renames one of two that differ in case alone."""
    path = write(*((name, [number, number + 1]) for number, name in enumerate(TAKEN_NAMES)))
    names = connection.sql(f"FROM read_parquet('{path}')").columns
    assert [name for name in names if name not in TAKEN_NAMES] == ["FILE_NAME_1"]
    assert_numbered(file_rows(connection, path), names)


@pytest.mark.parametrize("name", ["filename", "colstats_file_name", "FileName", "stats", "file_name"])
def test_one_taken_name_alone(connection, write, name):
    assert_numbered(file_rows(connection, write((name, [0, 1]))), [name])


def test_names_that_are_hard_to_quote(connection, write):
    path = write(*((name, [number, number + 1]) for number, name in enumerate(HARD_NAMES)))
    assert_numbered(file_rows(connection, path), HARD_NAMES)


def test_quoted_parts(connection, write):
    """A part with a dot or a double quote in it stands in double quotes, doubled inside."""
    path = write(*((name, [number, number + 1]) for number, name in enumerate(QUOTED_NAMES)))
    assert_numbered(file_rows(connection, path), [quoted_identifier(name) for name in QUOTED_NAMES])


def test_names_inside_structs(connection, write):
    fields = ["plain", "x.y", 'q"r', "select", "element", "key", "ünï", "file_name", "-- "]
    path = write(("s.t", [dict(zip(fields, range(len(fields))))]), ("s", [{"t": {"plain": 100}}]))
    names = ['"s.t".' + (quoted_identifier(field) if "." in field or '"' in field else field) for field in fields]
    rows = file_rows(connection, path)
    assert [row["column_name"] for row in rows] == [*names, "s.t.plain"]
    assert [bounds(row) for row in rows] == [(str(n),) * 2 for n in [*range(len(fields)), 100]]
    # Pre-order, with the parents counted.
    assert [row["column_id"] for row in rows] == [*range(2, len(fields) + 2), len(fields) + 4]


def test_nested_part_names(connection, write):
    """`element`, `key` and `value`, told from fields of those names by their place."""
    path = write(("l", [[[1, 2]]]), ("st", [{"element": 3, "value": [{"key": 4}]}]))
    rows = column_rows(connection, path)
    assert {name: bounds(row) for name, row in rows.items()} == {
        "l.element.element": ("1", "2"),
        "st.element": ("3", "3"),
        "st.value.element.key": ("4", "4"),
    }


def test_map_parts(connection, tmp_path):
    path = str(tmp_path / "map.parquet")
    connection.execute(f"COPY (SELECT MAP {{'k': {{'key': 1, 'value': [2]}}}} AS m) TO '{path}' (FORMAT parquet)")
    rows = column_rows(connection, path)
    assert {name: bounds(row) for name, row in rows.items()} == {
        "m.key": ("k", "k"),
        "m.value.key": ("1", "1"),
        "m.value.value.element": ("2", "2"),
    }


def test_empty_name(connection, write):
    """DuckDB makes up a name for an empty one; a field without a name keeps it."""
    path = write(("", [1]), ("s", [{"": 2, "x": 3}]))
    made_up = connection.sql(f"FROM read_parquet('{path}')").columns[0]
    rows = column_rows(connection, path)
    assert {name: bounds(row) for name, row in rows.items()} == {
        made_up or '""': ("1", "1"),
        's.""': ("2", "2"),
        "s.x": ("3", "3"),
    }


@pytest.mark.parametrize("nested", [False, True])
def test_nul_in_a_name(connection, write, nested):
    """DuckDB's C API ends names at the first NUL: no rows under a name that may be another column's."""
    column = ("s", [{"a\0b": 1, "a": 2}]) if nested else ("a\0b", [1])
    path = write(column, ("a", [2]))
    with pytest.raises(duckdb.Error, match="names.parquet.*'a' and more, holds a NUL byte.*rename") as caught:
        file_rows(connection, path)
    assert "file_column_stats: " in str(caught.value)


def test_same_name_in_another_case_or_again(connection, write):
    """Each column is there once, under the name that DuckDB gives it, with its own values."""
    path = write(("a", [1]), ("A", [2]), ("a", [3]), ("b", [4]), ("B", ["text"]))
    names = connection.sql(f"FROM read_parquet('{path}')").columns
    rows = file_rows(connection, path)
    assert [row["column_name"] for row in rows] == names
    assert [bounds(row) for row in rows] == [("1", "1"), ("2", "2"), ("3", "3"), ("4", "4"), ("text", "text")]


def test_names_in_text_files(connection, tmp_path):
    header = 'filename,"colstats_file_name","a.b","it\'s","say ""hi""",select,FileName'
    (tmp_path / "a.csv").write_text(f"{header}\n1,2,3,4,5,6,7\n")
    (tmp_path / "b.json").write_text('{"filename": 1, "a.b": {"c.d": 2, "e": "text"}, "file_name": 4}\n')
    csv_rows = file_rows(connection, str(tmp_path / "a.csv"))
    names = ["filename", "colstats_file_name", '"a.b"', "it's", '"say ""hi"""', "select", "FileName_1"]
    assert [row["column_name"] for row in csv_rows] == names
    assert [bounds(row) for row in csv_rows] == [(str(number),) * 2 for number in range(1, 8)]
    json_rows = column_rows(connection, str(tmp_path / "b.json"))
    assert {name: bounds(row)[0] for name, row in json_rows.items()} == {
        "filename": "1", '"a.b"."c.d"': "2", '"a.b".e': "text", "file_name": "4",
    }  # fmt: skip


def test_bare_names_that_look_like_patterns(connection, tmp_path, monkeypatch):
    """Where DuckDB 1.5 answers a pattern without a directory with `./` before the name, the error says what to do."""
    monkeypatch.chdir(tmp_path)
    for name in ("a[b].parquet", "[a].parquet", "a.parquet"):
        connection.execute(f"COPY (SELECT 1 AS i) TO '{name}'")
    for files in ("['a[b].parquet']", "['a[b].parquet', 'a.parquet']", "'*.parquet'"):
        try:
            rows = connection.execute(f"SELECT min_value FROM file_column_stats({files})").fetchall()
        except duckdb.Error as error:
            assert duckdb.__version__.startswith("1.5.")
            assert "name it with its directory, as in './" in str(error)
            continue
        expected = connection.execute(f"SELECT i::VARCHAR FROM read_parquet({files})").fetchall()
        assert (files, rows) == (files, expected)
