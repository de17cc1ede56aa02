"""The recorded rows of `../shared/golden/ducklake_rows.json`: ours are equal, but for the differences listed here."""

import json

import pytest
from ducklake_rows import changed_to, data_files, differences
from file_rows import file_rows, sql_literal

# Why a row is deliberately not DuckLake's. Each name stands in the dictionaries below at the fields it explains.
#   stored as double   HUGEINT and UHUGEINT are DOUBLE columns in the file, and are reported as what the file holds
#   not counted        DuckLake writes 0 or NULL for TIMETZ and INTERVAL; we count them (docs/ducklake.md)
#   W4 long text       a maximum without an ASCII byte to raise costs DuckLake both bounds; ours is raised by code point
#   NUL                a bound ends before a NUL byte, which catalogues kept in Postgres cannot hold
#   W7                 a NULL struct in a list counts one NULL too many
#   variant NULLs      DuckLake counts rows as values, NULL or not
#   added spelling     for added files DuckLake writes false/true and escaped blobs, for its own 0/1 and hex
#   added NaN          for added files DuckLake leaves contains_nan NULL, and has no bounds where NaN or infinity occurs
RAISED_TEXT = "é" * 127 + "ê"

# `{(file, column, field): what we say}`; the last word of each line is the reason.
COUNTED_LISTS = {
    (0, "ls.element.a", "value_count"): 1,  # W7
    (0, "ls.element.a", "null_count"): 3,  # W7
    (0, "ls.element.b", "value_count"): 1,  # W7
    (0, "ls.element.b", "null_count"): 3,  # W7
}
TEXT_BOUNDS = {
    (2, "su", "min_value"): "a",  # W4 long text
    (2, "su", "max_value"): RAISED_TEXT,  # W4 long text
    (2, "sn", "min_value"): "a",  # NUL: DuckLake has 'a\0b'
}
WRITTEN_BY_DUCKLAKE = {
    **COUNTED_LISTS,
    **TEXT_BOUNDS,
    (0, "h", "min_value"): "-5.0",  # stored as double
    (0, "h", "max_value"): "7e+18",  # stored as double
    (0, "h", "contains_nan"): False,  # stored as double
    (1, "h", "contains_nan"): False,  # stored as double
    (2, "h", "min_value"): "-1e+20",  # stored as double
    (2, "h", "max_value"): "1e+20",  # stored as double
    (2, "h", "contains_nan"): False,  # stored as double
    (0, "uh", "min_value"): "5.0",  # stored as double
    (0, "uh", "max_value"): "7e+18",  # stored as double
    (0, "uh", "contains_nan"): False,  # stored as double
    (1, "uh", "contains_nan"): False,  # stored as double
    (2, "uh", "min_value"): "0.0",  # stored as double
    (2, "uh", "max_value"): "1e+20",  # stored as double
    (2, "uh", "contains_nan"): False,  # stored as double
    (0, "tiz", "column_size_bytes"): 46,  # not counted
    (0, "tiz", "value_count"): 2,  # not counted
    (0, "tiz", "null_count"): 1,  # not counted
    (1, "tiz", "column_size_bytes"): 25,  # not counted
    (1, "tiz", "null_count"): 1,  # not counted
    (2, "tiz", "column_size_bytes"): 49,  # not counted
    (2, "tiz", "value_count"): 3,  # not counted
    (0, "iv", "column_size_bytes"): 39,  # not counted
    (0, "iv", "value_count"): 2,  # not counted
    (0, "iv", "null_count"): 1,  # not counted
    (1, "iv", "column_size_bytes"): 25,  # not counted
    (1, "iv", "null_count"): 1,  # not counted
    (2, "iv", "column_size_bytes"): 53,  # not counted
    (2, "iv", "value_count"): 3,  # not counted
    (0, "v", "value_count"): 2,  # variant NULLs
    (0, "v", "null_count"): 1,  # variant NULLs
    (1, "v", "value_count"): 0,  # variant NULLs
    (1, "v", "null_count"): 1,  # variant NULLs
}
ADDED_TO_DUCKLAKE = {
    **COUNTED_LISTS,
    **TEXT_BOUNDS,
    (0, "b", "min_value"): "0",  # added spelling
    (0, "b", "max_value"): "1",  # added spelling
    (2, "b", "min_value"): "1",  # added spelling
    (2, "b", "max_value"): "1",  # added spelling
    (0, "bl", "min_value"): "00FF",  # added spelling
    (0, "bl", "max_value"): "616263",  # added spelling
    (2, "bl", "max_value"): "7A" * 255 + "7B",  # added spelling
    (0, "f", "contains_nan"): False,  # added NaN
    (0, "d", "contains_nan"): False,  # added NaN
    (0, "dz", "contains_nan"): False,  # added NaN
    (0, "st.y.w", "contains_nan"): False,  # added NaN
    (1, "f", "contains_nan"): False,  # added NaN
    (1, "d", "contains_nan"): False,  # added NaN
    (1, "dz", "contains_nan"): False,  # added NaN
    (1, "st.y.w", "contains_nan"): False,  # added NaN
    (2, "f", "contains_nan"): False,  # added NaN
    (2, "f", "min_value"): "-inf",  # added NaN
    (2, "f", "max_value"): "inf",  # added NaN
    (2, "d", "contains_nan"): True,  # added NaN
    (2, "d", "min_value"): "-1e-300",  # added NaN
    (2, "d", "max_value"): "1e+300",  # added NaN
    (2, "dz", "contains_nan"): True,  # added NaN
    (2, "st.y.w", "contains_nan"): True,  # added NaN
    (0, "iv", "value_count"): 2,  # not counted
    (0, "iv", "null_count"): 1,  # not counted
    (1, "iv", "value_count"): 0,  # not counted
    (1, "iv", "null_count"): 1,  # not counted
    (2, "iv", "value_count"): 3,  # not counted
    (2, "iv", "null_count"): 0,  # not counted
}

# Columns alike in name and number; the column that was dropped keeps its rows in the file that has it.
EVOLUTION = (
    "CREATE TABLE t (a INTEGER, l INTEGER[], st STRUCT(x INTEGER, y VARCHAR), m MAP(VARCHAR, DOUBLE))",
    "INSERT INTO t VALUES (1, [1], {'x': 1, 'y': 'a'}, MAP {'k': 1.0})",
    "ALTER TABLE t RENAME a TO a2",
    "ALTER TABLE t ALTER a2 TYPE BIGINT",
    "ALTER TABLE t ADD COLUMN n DOUBLE",
    "ALTER TABLE t ADD COLUMN st.z BIGINT",
    "ALTER TABLE t DROP l",
    "ALTER TABLE t ADD COLUMN l VARCHAR[]",
    "INSERT INTO t (a2, n, l) VALUES (2, 3.0, ['q'])",
)
# NaN in the first row group only; the second is all NULL, or text that cannot be raised by its last ASCII byte.
ROW_GROUPS = (
    "CALL lake.set_option('parquet_row_group_size', '2048')",
    "CREATE TABLE t (d DOUBLE, i INTEGER, s VARCHAR)",
    """INSERT INTO t SELECT CASE WHEN i < 10 THEN 'nan'::DOUBLE ELSE i END,
       CASE WHEN i BETWEEN 2048 AND 4095 THEN NULL ELSE i END,
       CASE WHEN i BETWEEN 2048 AND 4095 THEN repeat('é', 200) ELSE 'x' || i END FROM range(10000) numbers(i)""",
)


@pytest.fixture(scope="module")
def golden(shared_directory):
    """The recorded lakes by name."""
    path = shared_directory / "golden" / "ducklake_rows.json"
    return {lake["lake"]: lake for lake in json.loads(path.read_text())["lakes"]}


def recorded_rows(lake):
    """With the number of the file in place of its id, which starts at 1 where files were added."""
    rows = [{**row, "data_file_id": row["file_number"]} for row in lake["rows"]]
    return rows, {row["column_id"]: row["column_name"] for row in rows}


def written_files(lake, statements, is_inlined=False):
    """Runs statements in the lake, and gives the files of table t that DuckLake wrote."""
    lake.execute(f"CALL lake.set_option('data_inlining_row_limit', {100 if is_inlined else 0})")
    lake.execute("USE lake")
    for statement in statements:
        lake.execute(statement)
        if is_inlined and statement.lower().startswith("insert"):
            lake.execute("CALL ducklake_flush_inlined_data('lake')")
    lake.execute("USE memory")
    return [path for _, path in data_files(lake, "t")]


@pytest.mark.parametrize("name", ["ins", "flu"])
def test_files_written_by_ducklake(lake, golden, name):
    """Every type, ordinary and extreme values, an all-NULL file; inserted or flushed from inlined rows."""
    recorded = golden[name]
    files = written_files(lake, [recorded["ddl"], *recorded["insert"]], is_inlined=name == "flu")
    theirs, names = recorded_rows(recorded)
    found = differences(theirs, file_rows(lake, files), names)
    assert changed_to(found) == WRITTEN_BY_DUCKLAKE


@pytest.mark.host_minimum("1.5.0")
def test_files_added_to_ducklake(connection, golden, tmp_path):
    """The same values in files that COPY wrote."""
    recorded = golden["adf"]
    connection.execute(recorded["ddl"])
    files = []
    for number, insert in enumerate(recorded["insert"]):
        files.append(str(tmp_path / f"{number}.parquet"))
        connection.execute("DELETE FROM t")
        connection.execute(insert)
        connection.execute(f"COPY t TO {sql_literal(files[-1])} (FORMAT parquet, geoparquet_version 'NONE')")
    theirs, names = recorded_rows(recorded)
    found = differences(theirs, file_rows(connection, files), names)
    assert changed_to(found) == ADDED_TO_DUCKLAKE


def test_columns_that_came_and_went(lake, golden):
    files = written_files(lake, EVOLUTION)
    theirs, names = recorded_rows(golden["evo"])
    found = differences(theirs, file_rows(lake, files), names)
    assert found == {}


def test_row_groups(lake, golden):
    """W1 and W3: DuckLake takes the NaN flag of the last row group, and no bounds where one has none."""
    (file,) = written_files(lake, ROW_GROUPS)
    theirs, names = recorded_rows(golden["rgs"])
    found = differences(theirs, file_rows(lake, [file]), names)
    # The recording does not tell the texts of column s; ours are others, of another size.
    footer = f"SELECT sum(total_compressed_size) FROM parquet_metadata({sql_literal(file)}) WHERE path_in_schema = 's'"
    expected = {
        (0, "d", "contains_nan"): True,  # W1
        (0, "i", "min_value"): "0",  # W3
        (0, "i", "max_value"): "9999",  # W3
        (0, "s", "min_value"): "x0",  # W3
        (0, "s", "max_value"): "é" * 127 + "ê",  # W3, W4 long text
        (0, "s", "column_size_bytes"): lake.execute(footer).fetchone()[0],
    }
    assert changed_to(found) == expected
