"""Macros and a collation of the user do not change what is said of a lake."""

from file_rows import sql_literal
from lakes import add_file


def test_macros_of_the_user(files_lake, tmp_path):
    """Functions of the same names as those that composed statements call."""
    files_lake.execute("CREATE TABLE lake.t(f FLOAT, s VARCHAR)")
    files_lake.execute("INSERT INTO lake.t VALUES (-1e-30, 'a'), (1e30, 'b')")
    file = tmp_path / "a.parquet"
    files_lake.execute(f"COPY (SELECT 1 AS i) TO {sql_literal(file)}")

    def answers():
        files = files_lake.execute(f"FROM file_column_stats({sql_literal(file)})")
        return files_lake.rows("ducklake_column_stats"), files_lake.rows("ducklake_stats_audit"), files

    expected = answers()
    for macro in ("contains(a, b) AS false", "nextafter(a, b) AS a", "encode(a) AS 'x'::BLOB", "sum(a) AS 7",
                  "split_part(a, b, c) AS a", "generate_subscripts(a, b) AS 1",
                  "string_split(a, b) AS ['x']"):  # fmt: skip
        files_lake.execute(f"CREATE MACRO {macro}")
    assert answers() == expected


def test_a_collation_of_the_database(files_lake, tmp_path):
    """Files and bounds that differ in case only are not the same."""
    files_lake.execute("SET GLOBAL default_collation = 'nocase'")
    files_lake.execute("CREATE TABLE lake.t(s VARCHAR)")
    add_file(files_lake, tmp_path / "A.parquet", "SELECT 'A' AS s")
    add_file(files_lake, tmp_path / "a.parquet", "SELECT unnest(['b', 'c']) AS s")
    rows = [(row["value_count"], row["min_value"], row["max_value"]) for row in files_lake.rows("ducklake_column_stats")]
    assert rows == [(1, "A", "A"), (2, "b", "c")]
    files_lake.execute(f"UPDATE {files_lake.metadata}.ducklake_file_column_stats SET min_value = 'a' WHERE min_value = 'A'")
    assert "min_value" in [row["statistic"] for row in files_lake.audit() if row["severity"] == "wrong"]
