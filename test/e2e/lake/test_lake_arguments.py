"""Wrong arguments and options of the DuckLake functions: the error says what is wrong."""

import duckdb
import pytest
from lakes import FUNCTIONS


@pytest.mark.parametrize("function", FUNCTIONS)
def test_wrong_arguments(files_lake, function):
    files_lake.execute("ATTACH ':memory:' AS plain")
    files_lake.execute("CREATE TABLE lake.t AS SELECT 1 AS i")
    wrong = {
        "'plain'": f"{function}: database 'plain' is not a DuckLake",
        "'nowhere'": f"{function}: no database 'nowhere' is attached",
        "NULL": f"{function}: lake must not be NULL",
        "'lake', table_name := 'absent'": f"{function}: lake 'lake' has no table 'absent' at",
        "'lake', schema_name := 'absent', table_name := 't'": f"{function}: lake 'lake' has no table 't' in schema 'absent' at",
        "'lake', table_name := NULL": f"{function}: table_name must not be NULL",
        "'lake', nonsense := 1": f'Invalid named parameter "nonsense" for function {function}',
    }
    for arguments, message in wrong.items():
        with pytest.raises(duckdb.Error) as raised:
            files_lake.execute(f"FROM {function}({arguments})")
        assert message in str(raised.value), arguments


def test_wrong_options(files_lake):
    files_lake.execute("CREATE TABLE lake.t AS SELECT 1 AS i")
    wrong = {
        "ducklake_column_stats('lake', snapshot := 99)": "snapshot 99 is not in the catalogue, which has 0 to",
        "ducklake_column_stats('lake', snapshot := -1)": "snapshot -1 is not in the catalogue",
        "ducklake_table_column_stats('lake', max_bound_bytes := 0)": "max_bound_bytes must lie between",
        "ducklake_stats_repair('lake', include := ['bad'])": "severity 'bad' is not known; use 'wrong', 'missing'",
        "ducklake_stats_repair('lake', include := [NULL])": "include",
    }
    for call, message in wrong.items():
        with pytest.raises(duckdb.Error) as raised:
            files_lake.execute(f"FROM {call}")
        assert message in str(raised.value), call
    assert files_lake.repair_statements(include=["WRONG", "Missing"]) == []
