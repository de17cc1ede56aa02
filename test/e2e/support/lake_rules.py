"""Our rows of a lake beside those of its catalogue. Where they differ, a rule says why; the rest is a failure.

W1 to W7 are those of docs/ducklake.md.
"""

from file_rows import rows_of, sql_literal

FIELDS = ("column_size_bytes", "value_count", "null_count", "min_value", "max_value", "contains_nan")


def catalogue_differences(lake, built):
    """`(file, column, field, DuckLake's, ours)` of all that no rule excuses."""
    stored = {(row["data_file_id"], row["column_id"]): row
              for row in rows_of(lake.connection, f"FROM {lake.metadata}.ducklake_file_column_stats")}  # fmt: skip
    added = {file for (file,) in lake.execute(
        f"SELECT data_file_id FROM {lake.metadata}.ducklake_data_file WHERE mapping_id IS NOT NULL")}  # fmt: skip
    found = []
    seen = set()
    # Footers of encrypted files cannot be listed, so there are no sizes of their columns.
    fields = [name for name in FIELDS if name != "column_size_bytes" or not lake.is_encrypted]
    for ours in lake.rows("ducklake_column_stats"):
        key = (ours["data_file_id"], ours["column_id"])
        assert key not in seen, f"two rows for {key}"
        seen.add(key)
        theirs = stored.get(key)
        if theirs is None:
            found.append((ours["file_name"], ours["column_name"], "row", None, dict(ours)))
            continue
        for name in fields:
            if theirs[name] != ours[name] and not is_excused(lake, name, theirs, ours, key[0] in added):
                found.append((ours["file_name"], ours["column_name"], name, theirs[name], ours[name]))
    current = f"""SELECT s.data_file_id, s.column_id FROM {lake.metadata}.ducklake_file_column_stats s
                  JOIN {lake.metadata}.ducklake_data_file f USING (data_file_id)
                  JOIN {lake.metadata}.ducklake_table t ON t.table_id = s.table_id AND t.end_snapshot IS NULL
                  JOIN {lake.metadata}.ducklake_column c ON c.table_id = s.table_id AND c.column_id = s.column_id
                  WHERE f.end_snapshot IS NULL AND c.end_snapshot IS NULL"""
    # Of a nested column of an encrypted lake nothing is said once a part of it changed.
    if lake.is_encrypted:
        current += " AND c.parent_column IS NULL"
    found += [(file, column, "row", stored[file, column], None)
              for file, column in lake.execute(current) if (file, column) not in seen]  # fmt: skip
    return found


def is_excused(lake, name, theirs, ours, is_added):
    column_type = ours["column_type"]
    if column_type in ("INTERVAL", "TIME WITH TIME ZONE"):
        # DuckLake counts nothing, and of added files the size alone.
        return name in ("column_size_bytes", "value_count", "null_count") and theirs["value_count"] in (0, None)
    if name in ("value_count", "null_count"):
        return is_w7(theirs, ours)
    if name in ("min_value", "max_value"):
        return is_excused_bound(lake, theirs[name], ours[name], ours, is_added)
    if name == "contains_nan":
        if is_added:
            return theirs[name] is None
        return is_w1(lake, theirs, ours)
    return False


def is_w7(theirs, ours):
    """A NULL struct in a list or map counts once too often."""
    is_in_list_or_map = any(part in ours["column_name"] for part in ("element.", "value."))
    return is_in_list_or_map and theirs["value_count"] < ours["value_count"]


def is_w1(lake, theirs, ours):
    return theirs["contains_nan"] is False and ours["contains_nan"] is True and has_row_groups(lake, ours)


def has_row_groups(lake, ours):
    """Whether a file has several row groups; of an encrypted one, whether it may have."""
    path = sql_literal(ours["file_name"])
    return lake.is_encrypted or lake.value(f"SELECT count(DISTINCT row_group_id) > 1 FROM parquet_metadata({path})")


def is_excused_bound(lake, theirs, ours, row, is_added):
    column_type = row["column_type"]
    is_floating = column_type in ("FLOAT", "DOUBLE")
    if theirs is None:
        # W3: a row group without bounds; HUGEINT has none, nor has an added file with NaN or an infinity.
        return (column_type in ("HUGEINT", "UHUGEINT") or has_row_groups(lake, row)
                or (is_floating and is_added) or is_long(row["min_value"]) or is_long(row["max_value"])
                or row["max_value"] is None)  # fmt: skip
    if ours is None:
        return False
    if is_long(theirs):
        # Both are cut, at another place.
        return is_long(ours)
    if column_type == "BOOLEAN" and is_added:
        return (theirs, ours) in (("false", "0"), ("true", "1"))
    if column_type == "BLOB" and is_added:
        # The bounds of several row groups are compared as escaped texts, though `\\xFF` is not below `a`.
        is_same = lake.value(f"SELECT hex({sql_literal(theirs)}::BLOB) = {sql_literal(ours)}")
        return is_same or has_row_groups(lake, row)
    if column_type == "FLOAT" and "e" in theirs:
        # W6: one step wider.
        inner = [f"nextafter({sql_literal(ours)}::FLOAT, '{side}'::FLOAT)" for side in ("infinity", "-infinity")]
        return lake.value(f"SELECT {sql_literal(theirs)}::FLOAT IN ({', '.join(inner)})")
    if column_type == "DOUBLE":
        # The column was FLOAT when the file was written, and is so in DuckLake's bound.
        return lake.value(f"SELECT {sql_literal(theirs)}::FLOAT::DOUBLE = {sql_literal(ours)}::DOUBLE")
    # The column had another type when the file was written.
    return lake.value(f"SELECT {sql_literal(theirs)}::{column_type} = {sql_literal(ours)}::{column_type}")


def is_long(text):
    return text is not None and len(text.encode()) > 200
