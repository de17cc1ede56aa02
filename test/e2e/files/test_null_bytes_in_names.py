"""The C API hands names out up to their first NUL byte. Two columns that this makes alike are refused, not merged."""

import duckdb
import pytest
from file_rows import rows_of, sql_literal

FILES = {
    "key.json": b'{"a\\u0000b":1,"a":5}\n',
    "case.json": b'{"A\\u0000b":1,"a":5}\n',
    "part.json": b'{"s":{"a\\u0000b":1,"a":5}}\n',
    "element.json": b'{"s":[{"a\\u0000b":1,"a":5}]}\n',
    "header.csv": b"a\0b,a\n1,5\n",
}


@pytest.mark.parametrize("name", FILES)
def test_files(connection, tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name])
    file = sql_literal(tmp_path / name)
    for call in (f"file_column_stats({file})", f"hive_column_stats({file}, nested := true)"):
        with pytest.raises(duckdb.Error, match="NUL byte and more behind it"):
            connection.execute(f"FROM {call}")


def test_parts_of_structs(connection, tmp_path):
    (tmp_path / "part.json").write_bytes(FILES["part.json"])
    connection.execute(f"CREATE TABLE t AS FROM {sql_literal(tmp_path / 'part.json')}")
    for statement in ("SELECT column_stats(s) FROM t", "FROM table_column_stats('t')", "SELECT hive_stats(s) FROM t"):
        with pytest.raises(duckdb.Error, match="two parts of a STRUCT are called 'a'"):
            connection.execute(statement)


def test_columns_of_tables_are_kept_apart(connection, tmp_path):
    (tmp_path / "key.json").write_bytes(FILES["key.json"])
    connection.execute(f"CREATE TABLE t AS FROM {sql_literal(tmp_path / 'key.json')}")
    rows = rows_of(connection, "FROM table_column_stats('t')")
    assert [(row["column_name"], row["min_value"]) for row in rows] == [("a\0b", "1"), ("a", "5")]


def test_a_struct_without_names(connection):
    ((stats,),) = connection.execute("SELECT column_stats(row(1, 2))").fetchall()
    assert [leaf["min_value"] for leaf in stats] == ["1", "2"]


@pytest.mark.parametrize("name, content", [("key.json", b'{"a\\u0000b":1,"c":5}\n'), ("header.csv", b"a\0b,c\n1,5\n")])
def test_a_name_that_begins_as_a_partition_does(connection, tmp_path, name, content):
    """Columns that are called like a partition are left out of Hive's rows; this one is another column."""
    folder = tmp_path / "a=9"
    folder.mkdir()
    (folder / name).write_bytes(content)
    for call in ("file_column_stats(?)", "hive_column_stats(?)"):
        with pytest.raises(duckdb.Error, match="holds a NUL byte.*rename the column"):
            connection.execute(f"FROM {call}", [str(folder / name)])


@pytest.mark.parametrize("name, content", [("key.json", b'{"a\\u0000b":1,"c":5}\n'), ("header.csv", b"a\0b,c\n1,5\n")])
def test_one_such_name_alone(connection, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(duckdb.Error, match="holds a NUL byte.*rename the column"):
        connection.execute("FROM file_column_stats(?)", [str(tmp_path / name)])
    with pytest.raises(duckdb.Error, match="holds a NUL byte.*rename the column"):
        connection.execute("FROM hive_column_stats(?)", [str(tmp_path / name)])
