"""Rows of DuckLake's catalogue, and how ours compare with them.

A comparison yields every field that differs, so that a test lists each deliberate difference with its reason; nothing
is skipped by kind. Only `extra_stats` are compared by meaning: a box may be wider than DuckLake's six decimals, since
ours is rounded outward (W2 of docs/ducklake.md).
"""

import json
from pathlib import Path

from file_rows import file_rows, rows_of

COMPARED_FIELDS = (
    "column_size_bytes", "value_count", "null_count", "min_value", "max_value", "contains_nan", "extra_stats",
)  # fmt: skip
# DuckLake prints a box with six decimals, to the nearest.
BOX_ROUNDING = 1e-6


def data_files(connection, table, lake="lake"):
    """Ids and paths of all data files that ever belonged to a table."""
    metadata = f"__ducklake_metadata_{lake}"
    return connection.execute(f"""
        SELECT f.data_file_id,
               CASE WHEN f.path_is_relative THEN d.value || s.path || t.path ELSE '' END || f.path
        FROM {metadata}.ducklake_data_file f JOIN {metadata}.ducklake_table t USING (table_id)
        JOIN {metadata}.ducklake_schema s USING (schema_id)
        JOIN {metadata}.ducklake_metadata d ON d.key = 'data_path' AND d.scope IS NULL
        WHERE t.table_name = '{table}' ORDER BY f.data_file_id""").fetchall()


def catalogue_rows(connection, table, lake="lake"):
    """DuckLake's own rows of a table."""
    return rows_of(connection, f"""
        SELECT s.* FROM __ducklake_metadata_{lake}.ducklake_file_column_stats s
        JOIN __ducklake_metadata_{lake}.ducklake_table t USING (table_id) WHERE t.table_name = '{table}'
        ORDER BY s.data_file_id, s.column_id""")


def our_rows(connection, table, lake="lake", **options):
    """Our rows of a table's files, under DuckLake's file ids."""
    files = data_files(connection, table, lake)
    id_of_file = {path: data_file_id for data_file_id, path in files}
    rows = file_rows(connection, [path for _, path in files], **options)
    assert {row["file_name"] for row in rows} == set(id_of_file)
    return [{**row, "data_file_id": id_of_file[row["file_name"]]} for row in rows]


def differences(theirs, ours, names, fields=COMPARED_FIELDS):
    """`{(file id, column name, field): (theirs, ours)}`. `names` gives the column name for a column id.
    A row that only one side has differs in the field `row`."""
    their_rows = {(row["data_file_id"], row["column_id"]): row for row in theirs}
    our_rows_by_key = {(row["data_file_id"], row["column_id"]): row for row in ours}
    assert len(our_rows_by_key) == len(ours), "two rows for one file and column"
    found = {}
    for key in sorted(their_rows.keys() | our_rows_by_key.keys(), key=str):
        their_row, our_row = their_rows.get(key), our_rows_by_key.get(key)
        place = (key[0], names.get(key[1], key[1]))
        if their_row is None or our_row is None:
            found[(*place, "row")] = (their_row is not None, our_row is not None)
            continue
        for field in fields:
            same = same_extra_stats if field == "extra_stats" else (lambda left, right: left == right)
            if not same(their_row[field], our_row[field]):
                found[(*place, field)] = (their_row[field], our_row[field])
    return found


def names_by_id(rows):
    """Column names by column id, from our rows."""
    return {row["column_id"]: row["column_name"] for row in rows}


def same_extra_stats(theirs, ours):
    """Equal as JSON, with an outward-rounded box."""
    if theirs is None or ours is None:
        return theirs == ours
    their_json, our_json = json.loads(theirs), json.loads(ours)
    if isinstance(their_json, list):
        return by_field(their_json) == by_field(our_json)
    return their_json["types"] == our_json["types"] and same_box(their_json["bbox"], our_json["bbox"])


def by_field(shredded_fields):
    return sorted(shredded_fields, key=lambda field: field["field_name"])


def same_box(theirs, ours):
    if theirs.keys() != ours.keys():
        return False
    for name, their_value in theirs.items():
        our_value = ours[name]
        if their_value is None or our_value is None:
            if their_value != our_value:
                return False
        elif not isinstance(our_value, float) or abs(their_value - our_value) > BOX_ROUNDING:
            # DuckLake reads the integer 10 as 0.0: only reals will do.
            return False
    return True


def changed_to(found):
    """What we say instead, by place."""
    return {place: ours for place, (_, ours) in found.items()}


def file_count(directory):
    return len(list(Path(directory).rglob("*.parquet")))
