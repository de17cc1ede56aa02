"""The real DuckLake (packaged for DuckDB 1.5.5): our rows of a lake's files are those of its catalogue.

The tables keep clear of the rows that DuckLake itself has wrong (test_faults_of_ducklake.py) and does not count (TIMETZ,
INTERVAL: test_golden_ducklake.py); what differs all the same is listed with its reason.
"""

import pytest
from ducklake_rows import catalogue_rows, changed_to, data_files, differences, names_by_id, our_rows
from file_rows import sql_literal

EVERY_TYPE = """
    i % 2 = 0 AS boolean_value, (i % 100)::TINYINT AS tinyint_value, i::SMALLINT AS smallint_value,
    i::INTEGER AS integer_value, i::BIGINT * 10000000000 AS bigint_value, abs(i % 100)::UTINYINT AS utinyint_value,
    abs(i)::USMALLINT AS usmallint_value, abs(i)::UINTEGER AS uinteger_value, abs(i)::UBIGINT AS ubigint_value,
    CASE WHEN i % 7 = 0 THEN 'nan' ELSE i / 8 END::FLOAT AS float_value, (i / 3)::DOUBLE AS double_value,
    (i % 999)::DECIMAL(4, 1) AS decimal4, (-i / 4)::DECIMAL(9, 2) AS decimal9, (i / 4)::DECIMAL(18, 3) AS decimal18,
    (i * 1000)::DECIMAL(38, 10) AS decimal38, CASE WHEN i % 5 > 0 THEN 'text ' || i END AS text_value,
    repeat('long ', 60) || i AS long_text, encode('blob' || i) AS blob_value,
    DATE '2020-01-01' + i::INTEGER AS date_value, TIME '00:00:00' + to_milliseconds(abs(i)) AS time_value,
    to_timestamp(i)::TIMESTAMP_S AS s_value, to_timestamp(i)::TIMESTAMP_MS AS ms_value,
    to_timestamp(i / 1000)::TIMESTAMP AS us_value, make_timestamp_ns(i) AS ns_value, to_timestamp(-i) AS tz_value,
    md5(i::VARCHAR)::UUID AS uuid_value, to_json({'i': i}) AS json_value, [i, NULL, -i]::INTEGER[] AS list_value,
    [[i], []]::BIGINT[][] AS lists_value, {'x': i::INTEGER, 'inner': {'text': 't' || i, 'real': i / 2}} AS struct_value,
    MAP {'key' || i: i::INTEGER} AS map_value, [{'a': i::INTEGER, 'b': 'b' || i}] AS struct_list,
    ('POINT (' || i || ' ' || -i || ')')::GEOMETRY AS geometry_value, {'a': i::INTEGER}::VARIANT AS variant_value"""

CHANGES = (
    f"CREATE TABLE t AS SELECT {EVERY_TYPE} FROM range(5000) numbers(i)",
    f"INSERT INTO t SELECT {EVERY_TYPE} FROM range(-3000, -20) numbers(i)",
    f"INSERT INTO t SELECT {EVERY_TYPE} FROM range(20) numbers(i)",
    "DELETE FROM t WHERE integer_value % 3 = 0",
    "ALTER TABLE t ADD COLUMN added DOUBLE DEFAULT 7",
    "ALTER TABLE t ADD COLUMN struct_value.z BIGINT",
    "ALTER TABLE t DROP COLUMN smallint_value",
    "ALTER TABLE t RENAME text_value TO renamed",
    "UPDATE t SET added = integer_value WHERE integer_value BETWEEN 100 AND 200",
)


@pytest.fixture
def files_lake(lake):
    """An empty lake that is in use and writes every insert to a file."""
    lake.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
    lake.execute("USE lake")
    return lake


def table_differences(lake, table, **options):
    ours = our_rows(lake, table, **options)
    theirs = catalogue_rows(lake, table)
    assert len(theirs) > 0
    return changed_to(differences(theirs, ours, names_by_id(ours)))


def test_every_type_with_deletes_and_changed_columns(files_lake):
    """Four files. The last has the rows that an update moved, and their old numbers in a column that DuckLake keeps to
    itself."""
    for statement in CHANGES:
        files_lake.execute(statement)
    files = data_files(files_lake, "t")
    assert len(files) == 4
    last = files[-1][0]
    assert table_differences(files_lake, "t") == {(last, "_ducklake_internal_row_id", "row"): True}


def test_inlined_rows_that_were_flushed(lake):
    # A table with a geometry is never inlined.
    columns = f"SELECT * EXCLUDE (geometry_value) FROM (SELECT {EVERY_TYPE} FROM range(START, STOP) numbers(i))"
    lake.execute("CALL lake.set_option('data_inlining_row_limit', 1000)")
    lake.execute("USE lake")
    lake.execute("CREATE TABLE t AS " + columns.replace("START", "0").replace("STOP", "0"))
    for start in (0, 100, 200):
        lake.execute("INSERT INTO t " + columns.replace("START", str(start)).replace("STOP", str(start + 50)))
    assert data_files(lake, "t") == []
    lake.execute("CALL ducklake_flush_inlined_data('lake')")
    files = data_files(lake, "t")
    assert len(files) == 1
    own_columns = {(files[0][0], name, "row"): True for name in internal_columns(lake, files[0][1])}
    assert table_differences(lake, "t") == own_columns


def test_merged_files(files_lake):
    """A file that DuckLake made of several."""
    files_lake.execute("CREATE TABLE t (i INTEGER, d DOUBLE, s VARCHAR)")
    for start in (0, 1000, 2000):
        number = f"CASE WHEN i = {start} THEN 'nan'::DOUBLE ELSE i END"
        files_lake.execute(f"INSERT INTO t SELECT i, {number}, 's' || i FROM range({start}, {start + 9}) numbers(i)")
    files_lake.execute("CALL ducklake_merge_adjacent_files('lake')")
    (data_file_id, path) = data_files(files_lake, "t")[-1]
    own_columns = {(data_file_id, name, "row"): True for name in internal_columns(files_lake, path)}
    assert len(own_columns) > 0
    assert table_differences(files_lake, "t") == own_columns


def internal_columns(lake, path):
    """The columns of a file that DuckLake keeps to itself; they have no rows in its catalogue."""
    rows = lake.execute(f"SELECT name FROM parquet_schema({sql_literal(path)}) WHERE name LIKE '_ducklake_internal%'")
    return [name for (name,) in rows.fetchall()]


def test_partition_by_column(files_lake):
    """The path holds `k=...`, and so does the file: what is in the file counts."""
    files_lake.execute("CREATE TABLE t (k VARCHAR, v DOUBLE, moment TIMESTAMP)")
    files_lake.execute("ALTER TABLE t SET PARTITIONED BY (k, year(moment))")
    files_lake.execute("""INSERT INTO t SELECT nullif('k' || i % 3, 'k1'), i, TIMESTAMP '2020-12-31' + to_hours(i)
                          FROM range(1000) numbers(i)""")
    assert len(data_files(files_lake, "t")) == 6
    assert table_differences(files_lake, "t") == {}


def test_partition_by_year_adds_no_column(files_lake):
    """The path holds `year=...`, which is no column of the table and not in the file: no row, with no option set."""
    files_lake.execute("CREATE TABLE t (v DOUBLE, moment TIMESTAMP)")
    files_lake.execute("ALTER TABLE t SET PARTITIONED BY (year(moment))")
    files_lake.execute("INSERT INTO t SELECT i, TIMESTAMP '2020-12-31' + to_hours(i) FROM range(1000) numbers(i)")
    assert len(data_files(files_lake, "t")) == 2
    assert table_differences(files_lake, "t") == {}
    assert table_differences(files_lake, "t", hive_partitioning=False) == {}


def test_added_files_with_a_partition_column(files_lake, tmp_path):
    """Files of others under `p=...`: DuckLake keeps a row of size 0 for the column that only the path holds."""
    folder = sql_literal(tmp_path / "added")
    files_lake.execute("USE memory")
    files_lake.execute(f"""COPY (SELECT i::INTEGER AS a, 'p' || i % 2 AS p FROM range(3000) numbers(i))
                           TO {folder} (FORMAT parquet, PARTITION_BY (p))""")
    files_lake.execute("CREATE TABLE lake.t (a INTEGER, p VARCHAR)")
    pattern = sql_literal(tmp_path / "added" / "**" / "*.parquet")
    files_lake.execute(f"CALL ducklake_add_data_files('lake', 't', {pattern}, hive_partitioning => true)")
    assert len(data_files(files_lake, "t")) == 2
    assert table_differences(files_lake, "t", hive_partitioning=True) == {}
    in_the_file_only = table_differences(files_lake, "t", hive_partitioning=False)
    assert {(column, field) for _, column, field in in_the_file_only} == {(2, "row")}


def test_rows_fit_into_the_catalogue(files_lake):
    """The first ten columns are the catalogue's, in order and type: rows that were lost can be put back."""
    files_lake.execute("CREATE TABLE t AS SELECT i, i / 2 AS d FROM range(1000) numbers(i)")
    metadata = "__ducklake_metadata_lake.ducklake_file_column_stats"
    before = catalogue_rows(files_lake, "t")
    ((data_file_id, path),) = data_files(files_lake, "t")
    call = f"file_column_stats({sql_literal(path)}, table_id := 1, first_data_file_id := {data_file_id})"
    files_lake.execute(f"DELETE FROM {metadata}")
    files_lake.execute(f"""INSERT INTO {metadata} (data_file_id, table_id, column_id, column_size_bytes, value_count,
                           null_count, min_value, max_value, contains_nan, extra_stats)
                           SELECT * EXCLUDE (file_name, column_name, column_type) FROM {call}""")
    assert catalogue_rows(files_lake, "t") == before
    assert files_lake.execute("SELECT count(*) FROM t WHERE d > 400").fetchone() == (199,)
