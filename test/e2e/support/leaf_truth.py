"""What the rows of a file must say, computed by DuckDB's own aggregates over the values.

DuckDB may answer `min` and `max` from a footer, right or wrong: call `plain_session` first, which switches the
optimizer off. Only the reading itself is shared with the function under test.
"""

from dataclasses import dataclass

from file_rows import quoted_identifier, sql_literal

# UNION is not among them: no file format keeps it.
NESTED_TYPES = ("struct", "list", "array", "map")
# Counted only: no order that a reader could use, or none at all.
UNBOUNDED_TYPES = ("interval", "time with time zone", "geometry", "variant", "sqlnull")
MAXIMUM_TEXT_BYTES = 256


@dataclass(frozen=True)
class Leaf:
    """A leaf column: its dotted path, its DuckDB type, and a query that yields its entries as `entry`."""

    name: str
    type_name: str
    query: str

    @property
    def is_bounded(self):
        return not any(self.type_name.lower().startswith(name) for name in (*UNBOUNDED_TYPES, '"null"'))

    @property
    def is_floating(self):
        return self.type_name in ("FLOAT", "DOUBLE")

    @property
    def is_text(self):
        return self.type_name in ("VARCHAR", "JSON")


def plain_session(connection):
    """No footer, no zone of the machine between the values and the aggregates."""
    connection.execute("PRAGMA disable_optimizer")
    connection.execute("SET TimeZone = 'UTC'")


def path_part(name):
    """One part of a dotted path, as docs/functions/files.md writes it."""
    return quoted_identifier(name) if name == "" or "." in name or '"' in name else name


def leaves_of(connection, source):
    """The leaves of all columns of `source` (text for a FROM clause), in order."""
    relation = connection.sql(f"SELECT * FROM {source} LIMIT 0")
    leaves = []
    for name, column_type in zip(relation.columns, relation.types):
        query = f"SELECT {quoted_identifier(name)} AS entry FROM {source}"
        collect_leaves(path_part(name), column_type, query, leaves)
    return leaves


def collect_leaves(path, column_type, query, leaves):
    kind = column_type.id
    if kind not in NESTED_TYPES or str(column_type) in ("JSON", "GEOMETRY"):
        leaves.append(Leaf(path, str(column_type), query))
    elif kind == "struct":
        # DuckDB takes a struct for unnamed, and its fields by number, when the first has no name.
        is_unnamed = column_type.children[0][0] == ""
        for number, (name, field_type) in enumerate(column_type.children, start=1):
            key = number if is_unnamed else sql_literal(name)
            field = f"SELECT struct_extract(entry, {key}) AS entry FROM ({query})"
            collect_leaves(f"{path}.{path_part(name)}", field_type, field, leaves)
    elif kind == "map":
        keys, values = column_type.children[0][1], column_type.children[1][1]
        collect_leaves(f"{path}.key", keys, unnested("map_keys(entry)", query), leaves)
        collect_leaves(f"{path}.value", values, unnested("map_values(entry)", query), leaves)
    else:
        element = column_type.children[0][1]
        collect_leaves(f"{path}.element", element, unnested(f"CAST(entry AS {element}[])", query), leaves)


def unnested(expression, query):
    """One entry per element; an empty or NULL list is one NULL entry."""
    whole = f"SELECT {expression} AS items FROM ({query})"
    return f"SELECT unnest(CASE WHEN len(items) > 0 THEN items ELSE [NULL] END) AS entry FROM ({whole})"


def problems_of_file(connection, source, rows):
    """Every difference between the rows of one file and the truth, in words."""
    leaves = leaves_of(connection, source)
    names = [row["column_name"] for row in rows]
    if names != [leaf.name for leaf in leaves]:
        return [f"rows for {names}, leaves are {[leaf.name for leaf in leaves]}"]
    problems = []
    for leaf, row in zip(leaves, rows):
        problems += [f"{leaf.name} {leaf.type_name}: {problem}" for problem in problems_of_leaf(connection, leaf, row)]
    return problems


def problems_of_leaf(connection, leaf, row):
    problems = []
    facts = leaf_facts(connection, leaf, row)
    for name in ("value_count", "null_count", "contains_nan"):
        if row[name] != facts[name]:
            problems.append(f"{name} {row[name]}, must be {facts[name]}")
    if leaf.is_bounded:
        problems += problems_of_bounds(leaf, row, facts)
    elif (row["min_value"], row["max_value"]) != (None, None):
        problems.append(f"has bounds {row['min_value']!r} to {row['max_value']!r}")
    return problems


def problems_of_bounds(leaf, row, facts):
    lower, upper = row["min_value"], row["max_value"]
    if not facts["has_bounds"]:
        return [] if (lower, upper) == (None, None) else [f"bounds {lower!r} to {upper!r} without a value"]
    problems = []
    for name, text in (("min", lower), ("max", upper)):
        truth = facts[f"true_{name}"]
        if text is None:
            if name == "min" or not (facts["is_cut"] and cannot_be_raised(truth)):
                problems.append(f"{name} is NULL, must bound {truth!r}")
        elif not facts[f"{name}_holds"]:
            problems.append(f"{name} {text!r} does not bound {truth!r}")
        elif not facts[f"{name}_is_exact"] and not facts["is_cut"] and not is_widened(leaf, truth):
            problems.append(f"{name} {text!r} is loose, the value is {truth!r}")
    return problems


def cannot_be_raised(truth):
    """Whether what is left of a text (or of a blob, as DuckDB prints it) after cutting has no larger one."""
    start = truth.split("\0")[0].encode()[:MAXIMUM_TEXT_BYTES].decode(errors="ignore")
    return start.strip(chr(0x10FFFF)) == "" or truth.startswith(r"\xFF" * MAXIMUM_TEXT_BYTES)


def is_widened(leaf, truth):
    """FLOAT bounds with an exponent are one step wider (W6 of docs/ducklake.md)."""
    return leaf.type_name == "FLOAT" and "e" in truth


def leaf_facts(connection, leaf, row):
    """The truth about a leaf, and how the bounds of `row` compare with it."""
    not_a_number = "isnan(entry)" if leaf.is_floating else "false"
    bounded = leaf.is_bounded
    entry = comparable("entry", leaf) if bounded else "NULL"
    lower, upper = (bound_value(row[name], leaf) if bounded else "NULL" for name in ("min_value", "max_value"))
    cut = "false"
    if leaf.is_text or leaf.type_name == "BLOB":
        length = "strlen" if leaf.is_text else "octet_length"
        has_nul = "OR contains(ordered, chr(0))" if leaf.is_text else ""
        cut = f"coalesce(bool_or({length}(ordered) > {MAXIMUM_TEXT_BYTES} {has_nul}), false)"
    statement = f"""
        SELECT count(entry) AS value_count, count(*) - count(entry) AS null_count,
               {"coalesce(bool_or(" + not_a_number + "), false)" if leaf.is_floating else "NULL"} AS contains_nan,
               count(ordered) > 0 AS has_bounds, {cut} AS is_cut,
               CAST(min(ordered) AS VARCHAR) AS true_min, CAST(max(ordered) AS VARCHAR) AS true_max,
               {lower} <= min(ordered) AS min_holds, {lower} = min(ordered) AS min_is_exact,
               {upper} >= max(ordered) AS max_holds, {upper} = max(ordered) AS max_is_exact
        FROM (SELECT entry, CASE WHEN NOT {not_a_number} THEN {entry} END AS ordered FROM ({leaf.query}))"""
    cursor = connection.execute(statement)
    return dict(zip([column[0] for column in cursor.description], cursor.fetchone()))


def comparable(expression, leaf):
    return f"CAST({expression} AS VARCHAR)" if leaf.type_name == "JSON" else expression


def bound_value(text, leaf):
    """A bound as a value that compares with the entries."""
    if leaf.type_name == "BLOB":
        return f"unhex({sql_literal(text)})"
    return f"CAST({sql_literal(text)} AS {'VARCHAR' if leaf.is_text else leaf.type_name})"
