"""Errors say function, file or column, and what to do; the session goes on."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_rows import bounds, column_rows, file_rows, sql_literal, with_room_before_footer
from parquet_footer import I64, ROW_GROUP_NUM_ROWS, Footer, edit


@pytest.fixture
def folder(tmp_path):
    """Some good files, and bad ones of every kind."""
    pq.write_table(pa.table({"i": [1, 2], "s": [{"x": 5}, None]}), tmp_path / "good.parquet")
    pq.write_table(pa.table({"i": list(range(10000)), "t": [str(n) for n in range(10000)]}), tmp_path / "long.parquet")
    whole = (tmp_path / "long.parquet").read_bytes()
    (tmp_path / "truncated.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "no_tail.parquet").write_bytes(whole[:-4])
    # The footer is whole, the pages are not.
    (tmp_path / "damaged.parquet").write_bytes(whole[:4] + bytes(len(whole) // 2) + whole[4 + len(whole) // 2 :])
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "text.parquet").write_text("a,b\n1,2\n" * 50)
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "late.csv").write_text("n,t\n" + "1,x\n" * 30000 + "not a number,y\n")
    (tmp_path / "ragged.csv").write_text("a,b\n" + "1,2\n" * 30000 + "1,2,3,4\n")
    (tmp_path / "broken.json").write_text('{"a": 1}\n{"a": ')
    (tmp_path / "no_format.dat").write_text("a\n1\n")
    (tmp_path / "a_folder.parquet").mkdir()
    return tmp_path


def error_text(connection, statement, parameters=None):
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(statement, parameters or []).fetchall()
    text = str(caught.value)
    assert "INTERNAL" not in text and "FATAL" not in text, text
    return text


def assert_usable(connection, folder):
    """The session goes on and the next statistics are right."""
    rows = column_rows(connection, str(folder / "good.parquet"))
    assert {name: bounds(row) for name, row in rows.items()} == {"i": ("1", "2"), "s.x": ("5", "5")}
    assert connection.execute("SELECT 42").fetchone() == (42,)


def call_text(arguments):
    return f"FROM file_column_stats({arguments})"


def assert_words(text, words):
    missing = [word for word in words if word not in text]
    assert missing == [], f"{missing} not in: {text}"


# `(file, options, words that the message must hold)`; {folder} stands for the folder of the files.
UNREADABLE = [
    ("missing.parquet", "", ["no file matches", "missing.parquet", "check the path"]),
    ("nothing*.parquet", "", ["no file matches", "nothing*.parquet", "check the path"]),
    ("", "", ["is a directory", "**/*.parquet"]),
    ("no_folder/*.csv", "", ["no file matches", "no_folder/*.csv", "check the path"]),
    ("a_folder.parquet", "", ["a_folder.parquet"]),
    ("truncated.parquet", "", ["truncated.parquet", "whole"]),
    ("no_tail.parquet", "", ["no_tail.parquet", "whole"]),
    ("empty.parquet", "", ["empty.parquet", "whole"]),
    ("text.parquet", "", ["text.parquet", "format :="]),
    ("damaged.parquet", "", ["damaged.parquet"]),
    ("good.parquet", ", format := 'csv'", ["good.parquet"]),
    ("good.parquet", ", format := 'json'", ["good.parquet"]),
    ("binary.csv", "", ["binary.csv"]),
    ("binary.csv", ", format := 'parquet'", ["binary.csv", "format :="]),
    ("late.csv", "", ["late.csv", "n", "not a number"]),
    ("ragged.csv", "", ["ragged.csv"]),
    ("broken.json", "", ["broken.json"]),
    ("no_format.dat", "", ["no_format.dat", "does not say its format", "format :="]),
]


@pytest.mark.parametrize("file, options, words", UNREADABLE, ids=[file + options for file, options, _ in UNREADABLE])
def test_unreadable_files(connection, folder, file, options, words):
    text = error_text(connection, call_text(sql_literal(folder / file) + options))
    assert_words(text, ["file_column_stats: ", *words])
    assert_usable(connection, folder)


BAD_FILES = ["truncated.parquet", "empty.parquet", "damaged.parquet", "late.csv", "broken.json", "missing.parquet"]


@pytest.mark.parametrize("bad", BAD_FILES)
def test_one_bad_file_among_good_ones(connection, folder, bad):
    """No rows for the others: the error, with the name of the bad one."""
    files = [str(folder / name) for name in ("good.parquet", bad, "long.parquet")]
    text = error_text(connection, call_text(sql_literal(files)))
    assert_words(text, ["file_column_stats: ", bad])
    assert_usable(connection, folder)


def test_one_bad_file_in_a_glob(connection, folder):
    (folder / "d").mkdir()
    for number in range(20):
        pq.write_table(pa.table({"i": [number]}), folder / "d" / f"{number:02}.parquet")
    (folder / "d" / "13.parquet").write_bytes((folder / "d" / "13.parquet").read_bytes()[:60])
    text = error_text(connection, call_text(sql_literal(folder / "d" / "*.parquet")))
    assert_words(text, ["file_column_stats: ", "13.parquet"])
    assert_usable(connection, folder)


ARGUMENTS = [
    ("NULL", ["file_column_stats: ", "files must not be NULL"]),
    ("NULL::VARCHAR", ["file_column_stats: ", "files must not be NULL"]),
    ("['{folder}/good.parquet', NULL]", ["file_column_stats: ", "files must not hold NULL"]),
    ("[]::VARCHAR[]", ["file_column_stats: ", "empty list", "at least one file"]),
    ("3", ["file_column_stats: ", "files must be a VARCHAR or a list of VARCHAR"]),
    ("{{'a': 'b'}}", ["file_column_stats: ", "files must be a VARCHAR or a list of VARCHAR"]),
    ("[1, 2]", ["file_column_stats: ", "VARCHAR"]),
    ("''", ["file_column_stats: ", "no file matches ''"]),
    ("", ["file_column_stats"]),
    ("'{folder}/good.parquet', 'other'", ["file_column_stats"]),
]


@pytest.mark.parametrize("arguments, words", ARGUMENTS, ids=[arguments or "none" for arguments, _ in ARGUMENTS])
def test_wrong_files_argument(connection, folder, arguments, words):
    assert_words(error_text(connection, call_text(arguments.format(folder=folder))), words)
    assert_usable(connection, folder)


OPTIONS = [
    # DuckDB itself answers for an option that it does not know.
    ("colums := ['i']", ["file_column_stats", "colums"]),
    ("max_bound_bytes := 'many'", ["max_bound_bytes"]),
    ("union_by_name := 'maybe'", ["union_by_name"]),
    ("table_id := [1]", ["table_id"]),
    ("max_bound_bytes := 0", ["file_column_stats: ", "max_bound_bytes", "between 1 and 2147483647"]),
    ("max_bound_bytes := -1", ["file_column_stats: ", "max_bound_bytes", "between 1 and 2147483647"]),
    ("max_bound_bytes := 2147483648", ["file_column_stats: ", "max_bound_bytes", "between 1 and 2147483647"]),
    ("format := 'avro'", ["file_column_stats: ", "format 'avro'", "'parquet', 'csv' or 'json'"]),
    ("mode := 'guess'", ["file_column_stats: ", "mode 'guess'", "'scan'"]),
    ("read_options := 7", ["file_column_stats: ", "read_options must be a STRUCT", "not an integer"]),
    ("read_options := MAP {1: 2}", ["file_column_stats: ", "read_options must be a STRUCT", "VARCHAR keys"]),
    ("read_options := {'filename': true}", ["file_column_stats: ", "'filename'", "sets it itself"]),
    ("read_options := {'Union_By_Name': true}", ["file_column_stats: ", "'Union_By_Name'", "option"]),
    ("read_options := {'no_such': 1}", ["file_column_stats: ", "no_such"]),
    ("read_options := {'file_row_number': 'perhaps'}", ["file_column_stats: "]),
    ("columns := ['nope']", ["file_column_stats: ", "column 'nope'", "the columns are", '"i"', '"s"']),
    ("columns := ['i', 's.nope']", ["file_column_stats: ", "column 's.nope'", "the columns are"]),
    ("columns := ['']", ["file_column_stats: ", "column ''", "the columns are"]),
    ("columns := ['i', NULL]", ["file_column_stats: ", "columns must not hold NULL"]),
    *[
        (f"{name} := NULL", ["file_column_stats: ", f"{name} must not be NULL"])
        for name in ("columns", "format", "read_options", "union_by_name", "hive_partitioning", "max_bound_bytes",
                     "table_id", "first_data_file_id", "mode")
    ],
]  # fmt: skip


@pytest.mark.parametrize("option, words", OPTIONS, ids=[option for option, _ in OPTIONS])
def test_wrong_options(connection, folder, option, words):
    text = error_text(connection, call_text(f"{sql_literal(folder / 'good.parquet')}, {option}"))
    assert_words(text, words)
    assert_usable(connection, folder)


def test_null_as_a_parameter(connection, folder):
    text = error_text(connection, "FROM file_column_stats(?)", [None])
    assert_words(text, ["file_column_stats: ", "files must not be NULL"])
    assert_usable(connection, folder)


def test_many_columns_are_not_all_listed(connection, folder):
    """The message stays readable for a wide file."""
    pq.write_table(pa.table({f"column_{n}": [n] for n in range(500)}), folder / "wide.parquet")
    text = error_text(connection, call_text(f"{sql_literal(folder / 'wide.parquet')}, columns := ['nope']"))
    assert_words(text, ["column 'nope'", '"column_0"', "more"])
    assert len(text) < 1000


def test_encrypted_file_without_its_key(connection, folder, encrypted_file):
    text = error_text(connection, call_text(sql_literal(encrypted_file)))
    assert_words(text, ["file_column_stats: ", "encrypted.parquet", "encrypt"])
    assert_usable(connection, folder)


def test_encrypted_file_with_a_wrong_key(connection, folder, encrypted_file):
    connection.execute("PRAGMA add_parquet_key('wrong', 'fedcba9876543210')")
    key = ", read_options := {'encryption_config': {'footer_key': 'wrong'}}"
    text = error_text(connection, call_text(sql_literal(encrypted_file) + key))
    assert_words(text, ["file_column_stats: ", "encrypted.parquet"])
    assert_usable(connection, folder)


def test_errors_in_a_transaction_and_again(connection, folder):
    """A failed call aborts the caller's transaction as any error does; after ROLLBACK all is well, many times over."""
    for _ in range(20):
        connection.execute("BEGIN")
        error_text(connection, call_text(sql_literal(folder / "truncated.parquet")))
        connection.execute("ROLLBACK")
    assert_usable(connection, folder)


def test_error_after_rows_of_other_files(connection, folder):
    """The damaged file comes last: an error all the same, not the rows of the files before it."""
    files = [str(folder / "long.parquet"), str(folder / "good.parquet"), str(folder / "damaged.parquet")]
    with pytest.raises(duckdb.Error, match="damaged.parquet"):
        file_rows(connection, files)
    assert_usable(connection, folder)


@pytest.mark.parametrize("footer", ["in order", "with a bound that has no text"])
@pytest.mark.parametrize("size", ["small", "large"])
def test_rows_that_are_lost(connection, folder, footer, size):
    """The row group claims to have no rows, so the scan passes it over. Its chunks and the file say otherwise. A row of
    zeros would look like that of an empty file."""
    path = folder / "a.parquet"
    pq.write_table(pa.table({"i": [1, 2]}), path)
    if footer != "in order":
        # Eight bytes are due; `parquet_metadata` fails at it and the scan does not look at it.
        edit(path, 0, 0, min=b"x")
    changed = Footer(path)
    changed.row_group(0)[ROW_GROUP_NUM_ROWS] = (I64, 0)
    changed.write(folder / "small.parquet")
    with_room_before_footer(folder / "small.parquet", folder / "large.parquet")
    bad = folder / f"{size}.parquet"
    for files in (str(bad), [str(folder / "good.parquet"), str(bad)]):
        for call in (f"FROM file_column_stats({sql_literal(files)})",
                     f"FROM query(file_column_stats_sql({sql_literal(files)}))"):  # fmt: skip
            text = error_text(connection, call)
            # DuckDB 2.0 notices by itself.
            assert "the scan has no rows for file" in text or "corrupt" in text, text
    assert_usable(connection, folder)


def test_a_statement_that_is_no_select_is_named_as_what_it_is(connection):
    connection.execute("CREATE TABLE kept(i INTEGER)")
    connection.execute("INSERT INTO kept VALUES (1)")
    for statement in ("DELETE FROM kept", "INSERT INTO kept VALUES (2)", "DROP TABLE kept", "SET threads = 1"):
        for function in ("query_column_stats", "hive_query_column_stats"):
            text = error_text(connection, f"FROM {function}({sql_literal(statement)})")
            assert_words(text, [function, "give a SELECT statement"])
    assert connection.execute("FROM kept").fetchall() == [(1,)]


def test_hive_rows_of_a_bad_file_tell_what_to_check(connection, folder):
    for name in ("truncated.parquet", "no_tail.parquet", "text.parquet"):
        for arguments in ("hive_column_stats(?)", "describe_file_column_stats(?, 'i')"):
            text = error_text(connection, f"FROM {arguments}", [str(folder / name)])
            assert_words(text, [name, "format := '...'"])
