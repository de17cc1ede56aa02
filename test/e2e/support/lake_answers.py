"""What a lake answers beside what the same rows answer without statistics: filters made of the values and bounds of each
column. The seeds of random lakes: `COLSTATS_LAKES` of them, or the one in `COLSTATS_LAKE_SEED`."""

import math
import os
from dataclasses import dataclass

from file_rows import sql_literal
from random_lakes import WIDER, is_nested

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
ONE_SEED = os.environ.get("COLSTATS_LAKE_SEED")
SEEDS = [int(ONE_SEED)] if ONE_SEED else range(int(os.environ.get("COLSTATS_LAKES", "20")))
# So many constants are tried per column, those next to bounds first.
CONSTANTS = 10 if len(SEEDS) > 20 or ONE_SEED else 5

# Just below and just above a value of a type. For a text: its beginning, and one that is longer by a character.
NEIGHBOURS = {
    "FLOAT": ("nextafter(v, '-infinity'::FLOAT)", "nextafter(v, 'infinity'::FLOAT)"),
    "DOUBLE": ("nextafter(v, '-infinity'::DOUBLE)", "nextafter(v, 'infinity'::DOUBLE)"),
    "DECIMAL(4,1)": ("v - 0.1", "v + 0.1"),
    "DECIMAL(18,3)": ("v - 0.001", "v + 0.001"),
    "DECIMAL(38,10)": ("v - 0.0000000001", "v + 0.0000000001"),
    "VARCHAR": ("left(v, -1)", "v || '!'"),
    "DATE": ("v - 1", "v + 1"),
    "TIMESTAMP": ("v - INTERVAL '1 microsecond'", "v + INTERVAL '1 microsecond'"),
    "TIMESTAMP_S": ("v - INTERVAL '1 second'", "v + INTERVAL '1 second'"),
    "TIMESTAMP_MS": ("v - INTERVAL '1 millisecond'", "v + INTERVAL '1 millisecond'"),
    "TIMESTAMP WITH TIME ZONE": ("v - INTERVAL '1 microsecond'", "v + INTERVAL '1 microsecond'"),
}
WHOLE_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
# Different values of it are equal, and none has bounds.
UNORDERED = ("INTERVAL",)


def constants_of(lake, copy, name, column_type, bounds):
    """Constants of the column's type as texts: its bounds and some of its values, and their neighbours."""
    below_above = ("v - 1", "v + 1") if column_type in WHOLE_NUMBERS else NEIGHBOURS.get(column_type, ())
    neighbours = "".join(f", TRY(CAST({expression} AS {column_type}))" for expression in below_above)
    listed = ", ".join(sql_literal(text) for text in bounds) or "NULL"
    texts = lake.execute(f"""
        WITH sources AS (SELECT TRY_CAST(b AS {column_type}) AS v, 0 AS place FROM (SELECT unnest([{listed}]) AS b)
                         UNION ALL SELECT min({name}), 0 FROM {copy} UNION ALL SELECT max({name}), 0 FROM {copy}
                         UNION ALL (SELECT DISTINCT {name}, 1 FROM {copy} ORDER BY hash({name}) LIMIT 4)),
             tried AS (SELECT unnest([v{neighbours}]) AS c, place FROM sources)
        SELECT c FROM (SELECT CAST(c AS VARCHAR) AS c, place FROM tried) WHERE c IS NOT NULL
        GROUP BY c ORDER BY min(place), hash(c) LIMIT {CONSTANTS}""")
    return [text for (text,) in texts]


@dataclass(frozen=True)
class Filter:
    """A condition on a column; `operator` is one of COMPARISONS, or None for IS [NOT] NULL."""

    column: str
    column_type: str
    operator: str | None
    text: str

    @property
    def constant(self):
        return f"CAST({sql_literal(self.text)} AS {self.column_type})"

    @property
    def condition(self):
        return f"{self.column} {self.operator} {self.constant}" if self.operator else f"{self.column} {self.text}"

    @property
    def is_floating(self):
        return self.operator is not None and self.column_type in ("FLOAT", "DOUBLE")


def filters_of(name, column_type, texts):
    filters = [Filter(name, column_type, None, "IS NULL"), Filter(name, column_type, None, "IS NOT NULL")]
    if not is_nested(column_type) and column_type not in UNORDERED:
        filters += [Filter(name, column_type, operator, text) for text in texts for operator in COMPARISONS]
    return filters


def loses_nan_rows(lake, table, tried):
    """W5: `x <> c` leaves out a file, or all, whose bounds are both c, with its NaN."""
    if tried.operator != "<>" or not tried.is_floating:
        return False
    bounds = (f"TRY_CAST({bound}_value AS {tried.column_type})" for bound in ("min", "max"))
    both = " AND ".join(f"{bound} = {tried.constant}" for bound in bounds)
    of_column = f"(table_id, column_id) IN ({column_ids(lake, table.name, tried.column)})"
    return any(
        lake.value(f"""SELECT count(*) FROM {lake.metadata}.ducklake_{kind}_column_stats
                       WHERE {of_column} AND {both} AND coalesce(contains_nan, true)""")
        for kind in ("file", "table")
    )  # fmt: skip


def is_rounded_on_the_way(lake, table, tried):
    """The catalogue is asked with the constant as a decimal literal, which is another DOUBLE, one step beside."""
    return (tried.is_floating and math.isfinite(float(tried.text))
            and lake.value(f"SELECT {tried.text} <> {tried.constant}"))  # fmt: skip


def is_equality_with_zero(lake, table, tried):
    """The Parquet reader looks for -0.0 and 0.0 as if they differed, in dictionaries and Bloom filters."""
    return tried.operator == "=" and tried.is_floating and float(tried.text) == 0


def is_equality_of_blobs(lake, table, tried):
    """The Parquet reader does not find bytes that are no ASCII."""
    return tried.operator == "=" and tried.column_type == "BLOB" and "\\x" in tried.text


def is_no_constant_of_the_old_type(lake, table, tried):
    """A file from before the column was widened is asked with the constant rounded to its type."""
    if tried.operator is None or tried.column not in table.retyped:
        return False
    narrower = [narrow for narrow, wide in WIDER.items() if tried.column_type in wide]
    rounded = (f"TRY_CAST({tried.constant} AS {column_type})" for column_type in narrower)
    return any(lake.value(f"SELECT {other} IS DISTINCT FROM {tried.constant}") for other in rounded)


# Wrong answers of the released DuckDB and DuckLake that no statistics can cure, each described exactly.
KNOWN_WRONG_ANSWERS = (
    loses_nan_rows, is_rounded_on_the_way, is_equality_with_zero, is_equality_of_blobs, is_no_constant_of_the_old_type,
)  # fmt: skip


def column_ids(lake, table, name):
    """The table's and the column's number, as a subquery."""
    schema, table_name = table.removeprefix("lake.").rsplit(".", 1)
    return f"""SELECT t.table_id, c.column_id FROM {lake.metadata}.ducklake_table t
               JOIN {lake.metadata}.ducklake_schema s USING (schema_id)
               JOIN {lake.metadata}.ducklake_column c USING (table_id)
               WHERE t.table_name = '{table_name}' AND s.schema_name = {sql_literal(schema.strip('"'))}
               AND c.column_name = '{name}' AND c.parent_column IS NULL AND c.end_snapshot IS NULL"""


def stored_bounds(lake, table, name):
    """All bounds that the catalogue has for a column."""
    of_column = f"(table_id, column_id) IN ({column_ids(lake, table, name)})"
    parts = [f"SELECT {bound}_value FROM {lake.metadata}.ducklake_{kind}_column_stats WHERE {of_column}"
             for kind in ("file", "table") for bound in ("min", "max")]  # fmt: skip
    return [text for (text,) in lake.execute(" UNION ".join(parts) + " ORDER BY 1") if text is not None]


def same(left, right):
    both_nan = isinstance(left, float) and isinstance(right, float) and math.isnan(left) and math.isnan(right)
    return both_nan or left == right


def wrong_answers(lake, source, copy, columns, table):
    """Queries that the lake answers otherwise than the copy, as `(query, lake's answer, copy's answer)`."""
    wrong = []

    def compare(values, tried=None):
        where = f" WHERE {tried.condition}" if tried else ""
        of_lake, of_copy = (f"SELECT {values} FROM {rows}{where}" for rows in (source, copy))
        (answer,), (truth,) = lake.execute(of_lake), lake.execute(of_copy)
        if not all(map(same, answer, truth)) and not (tried and any(known(lake, table, tried) for known in KNOWN_WRONG_ANSWERS)):
            wrong.append((of_lake, answer, truth))

    compare("count(*), sum(k), min(k), max(k)")
    for name, column_type in columns.items():
        compare(f"count({name}), count(*)")
        texts = []
        if not is_nested(column_type):
            texts = constants_of(lake, copy, name, column_type, stored_bounds(lake, table.name, name))
        if not is_nested(column_type) and column_type not in UNORDERED:
            text = "" if column_type in ("FLOAT", "DOUBLE") else "::VARCHAR"
            compare(f"min({name}){text}, max({name}){text}")
            compare(f"max({name}){text}")
        for tried in filters_of(name, column_type, texts):
            compare("count(*), sum(k)", tried)
    return wrong
