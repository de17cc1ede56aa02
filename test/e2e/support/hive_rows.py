"""Rows of Hive's column statistics for tests."""

from file_rows import rows_of, sql_literal

STATISTICS = (
    "column_type, long_low_value, long_high_value, double_low_value, double_high_value, big_decimal_low_value,"
    " big_decimal_high_value, num_nulls, num_distincts, bit_vector, avg_col_len, max_col_len, num_trues, num_falses,"
    " low_value, high_value, value_count"
)


def query_rows(connection, query, **options):
    """Rows of hive_query_column_stats by column name."""
    given = "".join(f", {name} := {sql_literal(value)}" for name, value in options.items())
    rows = rows_of(connection, f"FROM hive_query_column_stats({sql_literal(query)}{given})")
    return {row["column_name"]: row for row in rows}


def file_rows(connection, files, **options):
    given = "".join(f", {name} := {sql_literal(value)}" for name, value in options.items())
    return rows_of(connection, f"FROM hive_column_stats({sql_literal(str(files))}{given})")
