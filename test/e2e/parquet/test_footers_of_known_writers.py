"""parquet_stats_audit over files as DuckDB and other writers make them: what is known to be wrong is found, and nothing else."""

import os
from pathlib import Path

import duckdb
import pytest
from footer_audit import audit, seen

CORPUS = Path(os.environ.get("COLSTATS_SHARED", Path(__file__).resolve().parents[4] / "shared")) / "corpus"
# What DuckDB itself writes wrong, by the column of test_all_types: more levels than entries for a NULL array (pyarrow
# refuses such a file), one NULL too many for a NULL struct in a list (1.5), and the last member of an ENUM as its exact
# maximum (before 1.5).
WRITTEN_WRONG = {
    **dict.fromkeys(("fixed_int_array", "fixed_varchar_array", "fixed_nested_int_array"), {"num_values", "null_count"}),
    **dict.fromkeys(("fixed_nested_varchar_array", "fixed_struct_array"), {"num_values", "null_count"}),
    **dict.fromkeys(("struct_of_fixed_array", "fixed_array_of_int_list"), {"num_values", "null_count"}),
    "array_of_structs": {"null_count"},
    "medium_enum": {"max_is_exact"},
}


def test_every_type_as_duckdb_writes_it(connection, tmp_path):
    columns = [row[0] for row in connection.execute("DESCRIBE FROM test_all_types()").fetchall()]
    wrong = {}
    audited = 0
    for name in columns:
        path = tmp_path / f"{name}.parquet"
        try:
            connection.execute(f'COPY (SELECT "{name}" AS x FROM test_all_types()) TO \'{path}\'')
        except duckdb.Error:
            continue  # a type that has no place in Parquet
        audited += 1
        if found := {finding["statistic"] for finding in audit(connection, path)}:
            wrong[name] = found
    assert audited >= 50
    assert {name: found for name, found in wrong.items() if not found <= WRITTEN_WRONG.get(name, set())} == {}
    assert "num_values" in wrong["fixed_int_array"]


# Truly wrong footers of public files, each looked at by hand.
KNOWN = {
    # parquet-mr 1.8 ordered fixed-length decimals as signed bytes: `WHERE value = 1` finds nothing in DuckDB.
    "fixed_length_decimal.parquet": [("value", "deprecated_min", "2.00", "1.00")],
    "fixed_length_decimal_legacy.parquet": [("value", "deprecated_min", "2.00", "1.00")],
    # parquet-cpp 1.5 did not count the NULL list: two of the entries are NULL, as pyarrow counts today.
    "list_columns.parquet": [("utf8_list.element", "null_count", "1", "2")],
}


def corpus_files():
    folders = [CORPUS / "parquet-testing", CORPUS / "geoparquet", CORPUS / "vega-datasets"]
    files = sorted(path for folder in folders for path in folder.glob("*.parquet"))
    return [path for path in files if path.name != "large_string_map.brotli.parquet"]


def test_public_files(connection, shared_directory):
    audited = 0
    for path in corpus_files():
        try:
            connection.execute(f"SELECT bit_xor(hash(COLUMNS(*))) FROM read_parquet('{path}')").fetchall()
        except duckdb.Error:
            with pytest.raises(duckdb.Error, match=f"parquet_stats_audit: .*{path.name}"):
                audit(connection, path)
            continue
        found = audit(connection, path)
        assert seen(found, "column_name", "statistic", "footer_value", "true_value") == KNOWN.get(path.name, []), path
        audited += 1
    assert audited >= 60


def test_rows_that_a_public_file_loses(connection, shared_directory):
    source = CORPUS / "parquet-testing" / "fixed_length_decimal.parquet"
    lost = connection.execute(f"SELECT count(*) FROM '{source}' WHERE value = 1").fetchall()
    there = connection.execute(f"SELECT count(*) FILTER (value = 1) FROM '{source}'").fetchall()
    assert (lost, there) == ([(0,)], [(1,)])
