"""Calls of `file_column_stats` from Python: options as SQL text, rows as dictionaries."""

COLUMN_NAMES = (
    "data_file_id", "table_id", "column_id", "column_size_bytes", "value_count", "null_count", "min_value",
    "max_value", "contains_nan", "extra_stats", "file_name", "column_name", "column_type",
)  # fmt: skip


def sql_literal(value):
    """A Python value as an SQL constant; a dictionary becomes a STRUCT."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(sql_literal(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{sql_literal(key)}: {sql_literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (int, float)):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def quoted_identifier(name):
    return '"' + name.replace('"', '""') + '"'


def file_call(files, **options):
    """The text `file_column_stats(files, option := value, ...)`. `files` is one path or a list of paths."""
    arguments = [sql_literal(files)]
    arguments += [f"{name} := {sql_literal(value)}" for name, value in options.items()]
    return f"file_column_stats({', '.join(arguments)})"


def file_rows(connection, files, **options):
    """All rows, in the function's order."""
    return rows_of(connection, f"FROM {file_call(files, **options)}")


def rows_of(connection, statement):
    """The rows of a statement as dictionaries."""
    cursor = connection.execute(statement)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row)) for row in cursor.fetchall()]


def column_rows(connection, file, **options):
    """The rows of one file by column name; a name that comes twice is a failure."""
    rows = file_rows(connection, file, **options)
    by_name = {row["column_name"]: row for row in rows}
    assert len(by_name) == len(rows), f"two rows of one name: {[row['column_name'] for row in rows]}"
    return by_name


def bounds(row):
    return row["min_value"], row["max_value"]


def counts(row):
    return row["value_count"], row["null_count"]


def with_room_before_footer(path, target):
    """A copy of a Parquet file, above the size up to which colstats reads files whole for their footers."""
    content = path.read_bytes()
    footer_start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    target.write_bytes(content[:footer_start] + bytes(1 << 20) + content[footer_start:])
    return target
