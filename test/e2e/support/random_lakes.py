"""Random lakes from a seed: schemas, tables, rows in files and in the catalogue, changed columns, added files.

Every table has a column `k` that numbers its rows, so that what must be there is known without asking the lake.
"""

import random
from dataclasses import dataclass, field

import duckdb
from file_rows import quoted_identifier, sql_literal

ROWS_PER_GROUP = 2048
# Small inserts stay in the catalogue, the others become files of one or several row groups.
ROW_COUNTS = (1, 2, 5, 9, 60, 700, 2500, 5000)
LARGE_ROW_COUNTS = (60, 700, 2500, 5000)
LONG_TEXTS = ["repeat('é', 130)", "repeat('é', 200) || 'x'", "repeat('long ', 80) || 'z'", "repeat('\U0010ffff', 70)"]

# By type, constants in ascending order: an insert takes a stretch of them, so that files have ranges of their own.
VALUES = {
    "TINYINT": [-128, -3, 0, 1, 5, 100, 127],
    "SMALLINT": [-32768, -300, -1, 0, 7, 299, 32767],
    "INTEGER": [-2147483648, -70000, -2, -1, 0, 1, 2, 3, 50, 99, 100, 70000, 2147483647],
    "BIGINT": [-9223372036854775808, -5000000000, -1, 0, 1, 10, 11, 5000000000, 9223372036854775807],
    "UTINYINT": [0, 1, 9, 10, 200, 255],
    "USMALLINT": [0, 1, 300, 65535],
    "UINTEGER": [0, 1, 70000, 4294967295],
    "UBIGINT": [0, 1, 10, 9, 5000000000, 18446744073709551615],
    # They lie in files as DOUBLE: only whole numbers that a DOUBLE holds come back as they were.
    "HUGEINT": [-(2**100), -5, 0, 3, 12, 2**53, 2**100],
    "FLOAT": ["-inf", -3.4e38, -1.5, -1e-30, "-0.0", 0.0, 1e-30, 0.1, 1.0, 2.5, 1e10, 3.4e38, "inf", "nan"],
    "DOUBLE": ["-inf", -1.7e308, -1e-300, -0.1, "-0.0", 0.0, 5e-324, 0.1, 0.3, 1.0, 1e10, 1e300, "inf", "nan"],
    "DECIMAL(4,1)": ["-999.9", "-1.5", "0.0", "0.1", "12.3", "999.9"],
    "DECIMAL(18,3)": ["-123456789012345.678", "-0.001", "0.000", "1.500", "999999999999999.999"],
    "DECIMAL(38,10)": ["-1234567890123456789012345678.0123456789", "-1.5", "0", "0.0000000001", "12345678901234567890"],
    "VARCHAR": ["''", "' '", "'10'", "'9'", "'A'", "'a'", "'ab'", "'abc'", "'b'", "'é'", "'x''y'", "'z\"'",
                *LONG_TEXTS],
    "JSON": ["'\"a\"'", "'{\"a\": 1}'", "'{\"b\": [1, 2]}'", "'null'"],
    "DATE": ["'-infinity'", "'0044-03-15 (BC)'", "'1969-12-31'", "'1970-01-01'", "'2020-02-29'", "'9999-12-31'",
             "'infinity'"],
    "TIME": ["'00:00:00'", "'00:00:00.000001'", "'12:34:56.789'", "'23:59:59.999999'", "'24:00:00'"],
    "TIMESTAMP": ["'-infinity'", "'0044-03-15 (BC) 01:02:03'", "'1969-12-31 23:59:59.999999'", "'1970-01-01 00:00:00'",
                  "'2020-01-01 00:00:00.1'", "'2020-01-01 00:00:00.100001'", "'infinity'"],
    "TIMESTAMP_S": ["'1969-12-31 23:59:59'", "'1970-01-01 00:00:00'", "'2020-01-01 00:00:01'"],
    "TIMESTAMP_MS": ["'1969-12-31 23:59:59.999'", "'1970-01-01 00:00:00'", "'2020-01-01 00:00:00.001'"],
    "TIMESTAMP_NS": ["'1969-12-31 23:59:59.999999999'", "'1970-01-01 00:00:00'", "'2020-01-01 00:00:00.000000001'"],
    "TIMESTAMP WITH TIME ZONE": ["'1969-12-31 23:59:59+00'", "'2020-01-01 00:00:00+02'", "'2020-01-01 00:00:00+00'"],
    "BOOLEAN": ["false", "true"],
    "UUID": ["'00000000-0000-0000-0000-000000000000'", "'00000000-0000-0000-0000-00000000000a'",
             "'7fffffff-ffff-ffff-ffff-ffffffffffff'", "'80000000-0000-0000-0000-000000000000'",
             "'ffffffff-0000-0000-0000-000000000001'"],
    "BLOB": ["'\\x00'", "'\\x00\\xFF'", "'a'", "'\\xFF'"],
    "INTERVAL": ["'1 day'", "'24 hours'", "'1 month'"],
    "STRUCT(a INTEGER, b STRUCT(c VARCHAR, d DOUBLE))": [
        "{'a': 1, 'b': {'c': 'x', 'd': 1.5}}", "{'a': NULL, 'b': NULL}", "{'a': -7, 'b': {'c': NULL, 'd': 'nan'}}"],
    "INTEGER[]": ["[1, 2]", "[]", "[NULL]", "[-5, NULL, 9]"],
    "VARCHAR[][]": ["[['a'], []]", "[]", "[NULL, ['z', NULL]]"],
    "STRUCT(x FLOAT, y INTEGER)[]": [
        "[{'x': 1.5, 'y': 1}]", "[]", "[{'x': 'nan'::FLOAT, 'y': NULL}, {'x': -1, 'y': 2}]"],
    "MAP(VARCHAR, INTEGER)": ["MAP {'a': 1}", "MAP {}", "MAP {'b': NULL, 'c': -3}"],
}  # fmt: skip
WIDER = {
    "TINYINT": ("SMALLINT", "INTEGER", "BIGINT"), "SMALLINT": ("INTEGER", "BIGINT"), "INTEGER": ("BIGINT",),
    "UTINYINT": ("USMALLINT", "UINTEGER", "UBIGINT"), "USMALLINT": ("UINTEGER",), "UINTEGER": ("UBIGINT",),
    "FLOAT": ("DOUBLE",), "DECIMAL(4,1)": ("DECIMAL(18,3)",), "DECIMAL(18,3)": ("DECIMAL(38,10)",),
}  # fmt: skip
# ducklake_add_data_files refuses them, or the Parquet reader gives another type.
NOT_ADDED = ("HUGEINT", "INTERVAL", "TIMESTAMP_S")


def is_nested(column_type):
    return column_type.startswith("STRUCT") or column_type.startswith("MAP") or column_type.endswith("[]")


def constant(column_type, value):
    """A value of VALUES as an SQL expression of the type."""
    if isinstance(value, str) and column_type in ("FLOAT", "DOUBLE"):
        value = f"'{value}'"
    elif column_type.startswith("DECIMAL"):
        value = f"'{value}'"
    return f"CAST({value} AS {column_type})"


@dataclass
class Table:
    """What must be in a table of the lake."""

    name: str
    columns: dict = field(default_factory=dict)
    keys: set = field(default_factory=set)
    is_partitioned: bool = False
    retyped: set = field(default_factory=set)


@dataclass(frozen=True)
class Moment:
    """A table at a snapshot, and the temporary table with its rows then."""

    table: Table
    snapshot: int
    copy: str
    columns: dict


class RandomLake:
    """Fills an empty lake by `seed`. `log` lists the statements, to be read when a test fails."""

    def __init__(self, lake, folder, seed):
        self.lake = lake
        self.folder = folder
        self.random = random.Random(seed)
        self.next_key = 0
        self.next_name = 0
        self.tables = []
        self.moments = []
        self.log = []

    def run(self, statement):
        self.log.append(statement)
        return self.lake.execute(statement)

    def chance(self, probability):
        return self.random.random() < probability

    def fresh(self, prefix):
        self.next_name += 1
        return f"{prefix}{self.next_name}"

    def build(self):
        self.lake.set_option("data_inlining_row_limit", str(self.random.choice((0, 10, 10, 100))))
        self.lake.set_option("parquet_row_group_size", str(ROWS_PER_GROUP))
        schemas = ["lake.main"]
        if self.chance(0.5):
            self.run('CREATE SCHEMA lake."second schema"')
            schemas.append('lake."second schema"')
        for _ in range(self.random.randint(1, 3)):
            self.create_table(self.random.choice(schemas))
        changes = (
            (self.insert, 9), (self.add_column, 3), (self.drop_column, 2), (self.rename_column, 2), (self.widen, 3),
            (self.delete, 3), (self.update, 3), (self.add_files, 3), (self.add_hive_files, 1), (self.partition, 1),
            (self.maintain, 2), (self.remember, 1),
        )  # fmt: skip
        for _ in range(self.random.randint(8, 22)):
            (change,) = self.random.choices([c for c, _ in changes], [weight for _, weight in changes])
            change(self.random.choice(self.tables))
        return self

    def create_table(self, schema):
        table = Table(f"{schema}.{self.fresh('t')}")
        for _ in range(self.random.randint(2, 6)):
            table.columns[self.fresh("c")] = self.random_type()
        declared = "".join(f", {name} {column_type}" for name, column_type in table.columns.items())
        self.run(f"CREATE TABLE {table.name} (k BIGINT{declared})")
        self.tables.append(table)
        self.insert(table)

    def random_type(self):
        # Floats are where most goes wrong.
        return self.random.choice((*VALUES, "DOUBLE", "FLOAT", "DOUBLE", "VARCHAR"))

    def values(self, column_type, first, count):
        """An expression over the row number i (from `first`): a stretch of the type's values, with NULLs."""
        pool = VALUES[column_type]
        start = self.random.randrange(len(pool))
        stop = self.random.randint(start + 1, len(pool))
        stretch = self.stretch(column_type, pool[start:stop])
        kind = self.random.random()
        if count > ROWS_PER_GROUP and kind < 0.5:
            # The first row group differs: NULL alone, or other values.
            other = self.random.choice(["NULL", self.stretch(column_type, pool[-1:]), self.stretch(column_type, pool)])
            return f"CASE WHEN i < {first + ROWS_PER_GROUP} THEN {other} ELSE {stretch} END"
        if kind < 0.1:
            return f"CAST(NULL AS {column_type})"
        if kind < 0.4:
            return f"CASE WHEN hash(i + {self.random.randrange(99)}) % 3 > 0 THEN {stretch} END"
        return stretch

    def stretch(self, column_type, pool):
        listed = ", ".join(constant(column_type, value) for value in pool)
        return f"([{listed}])[1 + (hash(i * 7 + {self.random.randrange(99)}) % {len(pool)})::INTEGER]"

    def rows(self, columns, count):
        """A query of new rows: k and the columns, and their keys."""
        first = self.next_key
        self.next_key += count
        selected = "".join(f", {self.values(t, first, count)} AS {name}" for name, t in columns.items())
        return f"SELECT i AS k{selected} FROM range({first}, {first + count}) s(i)", set(range(first, first + count))

    def insert(self, table):
        query, keys = self.rows(table.columns, self.random.choice(ROW_COUNTS))
        self.run(f"INSERT INTO {table.name} {query}")
        table.keys |= keys

    def add_column(self, table):
        # Now and then the name of a column that was dropped.
        dropped = [f"c{number}" for number in range(1, self.next_name + 1) if f"c{number}" not in table.columns]
        name = self.random.choice(dropped) if dropped and self.chance(0.3) else self.fresh("c")
        column_type = self.random_type()
        default = ""
        if self.chance(0.5) and not is_nested(column_type) and column_type not in ("BLOB", "JSON"):
            value = self.random.choice([v for v in VALUES[column_type] if v not in LONG_TEXTS])
            default = f" DEFAULT {value}" if str(value).startswith("'") else f" DEFAULT '{value}'"
        self.run(f"ALTER TABLE {table.name} ADD COLUMN {name} {column_type}{default}")
        table.columns[name] = column_type

    def pick(self, table, is_wanted=lambda column_type: True):
        names = [name for name, column_type in table.columns.items() if is_wanted(column_type)]
        return self.random.choice(names) if names else None

    def drop_column(self, table):
        if len(table.columns) > 2 and not table.is_partitioned:
            name = self.pick(table)
            self.run(f"ALTER TABLE {table.name} DROP COLUMN {name}")
            del table.columns[name]
            table.retyped.discard(name)

    def rename_column(self, table):
        name, new_name = self.pick(table), self.fresh("c")
        self.run(f"ALTER TABLE {table.name} RENAME {name} TO {new_name}")
        table.columns = {new_name if n == name else n: t for n, t in table.columns.items()}
        if name in table.retyped:
            table.retyped = table.retyped - {name} | {new_name}

    def widen(self, table):
        name = self.pick(table, lambda column_type: column_type in WIDER)
        if name and not table.is_partitioned:
            wider = self.random.choice(WIDER[table.columns[name]])
            self.run(f"ALTER TABLE {table.name} ALTER {name} SET DATA TYPE {wider}")
            table.columns[name] = wider
            table.retyped.add(name)

    def key_range(self, table):
        """Some of the keys, as a condition and as a set."""
        first = self.random.randrange(self.next_key)
        last = first + self.random.choice((0, 1, 10, 500, 3000))
        return f"k BETWEEN {first} AND {last}", {key for key in table.keys if first <= key <= last}

    def delete(self, table):
        condition, keys = self.key_range(table)
        self.run(f"DELETE FROM {table.name} WHERE {condition}")
        table.keys -= keys

    def update(self, table):
        condition, _ = self.key_range(table)
        name = self.pick(table)
        value = constant(table.columns[name], self.random.choice(VALUES[table.columns[name]]))
        self.run(f"UPDATE {table.name} SET {name} = {value} WHERE {condition}")

    def addable(self, table):
        """Some columns in another order; a nested one has to be whole, others may be absent."""
        names = [name for name, column_type in table.columns.items()
                 if column_type not in NOT_ADDED and not (is_nested(column_type) and self.chance(0.5))]  # fmt: skip
        self.random.shuffle(names)
        return {name: table.columns[name] for name in names if self.chance(0.8)}

    def add_files(self, table):
        # DuckLake reads no foreign file in an encrypted lake.
        if table.is_partitioned or self.lake.is_encrypted:
            return
        columns = self.addable(table)
        for _ in range(self.random.randint(1, 3)):
            query, keys = self.rows(columns, self.random.choice(LARGE_ROW_COUNTS))
            path = sql_literal(self.folder / f"{self.fresh('added')}.parquet")
            order = [*columns, "k", "1 AS surplus"]
            self.random.shuffle(order)
            self.run(f"COPY (SELECT {', '.join(order)} FROM ({query})) TO {path} "
                     f"(FORMAT parquet, ROW_GROUP_SIZE {ROWS_PER_GROUP})")  # fmt: skip
            self.run(self.adding(table, path))
            table.keys |= keys

    def adding(self, table, path, more=""):
        schema, name = table.name.removeprefix("lake.").rsplit(".", 1)
        schema = schema.strip('"')
        return (f"CALL ducklake_add_data_files('lake', '{name}', {path}, schema => '{schema}', "
                f"allow_missing => true, ignore_extra_columns => true{more})")  # fmt: skip

    def add_hive_files(self, table):
        """Files whose path alone holds the value of a column."""
        name = self.pick(table, lambda t: t in ("INTEGER", "BIGINT", "VARCHAR", "DATE", "DOUBLE"))
        if name is None or table.is_partitioned or self.lake.is_encrypted:
            return
        column_type = table.columns[name]
        columns = {n: t for n, t in self.addable(table).items() if n != name}
        query, keys = self.rows(columns, self.random.choice(LARGE_ROW_COUNTS))
        usual = {"INTEGER": "i % 3", "BIGINT": "i % 2 * 5000000000", "DATE": "DATE '2020-01-01' + (i % 2)::INTEGER",
                 "DOUBLE": "i % 3 / 4", "VARCHAR": "['a/b', 'ü x', 'z'][1 + i % 3]"}  # fmt: skip
        value = usual[column_type].replace("i %", "k %")
        if self.chance(0.3):
            value = f"CASE WHEN k % 5 > 0 THEN {value} END"
        folder = self.folder / self.fresh("hive")
        self.run(f"COPY (SELECT *, ({value})::{column_type} AS {name} FROM ({query})) "
                 f"TO {sql_literal(folder)} (FORMAT parquet, PARTITION_BY ({name}))")  # fmt: skip
        self.run(self.adding(table, sql_literal(folder / "**" / "*.parquet"), ", hive_partitioning => true"))
        table.keys |= keys

    def partition(self, table):
        name = self.pick(table, lambda t: t in ("INTEGER", "TINYINT", "BOOLEAN", "DATE", "TIMESTAMP_S"))
        if name is None:
            return
        transform = f"year({name})" if table.columns[name] == "TIMESTAMP_S" else name
        self.run(f"ALTER TABLE {table.name} SET PARTITIONED BY ({transform})")
        table.is_partitioned = True

    def maintain(self, table):
        schema, name = table.name.removeprefix("lake.").rsplit(".", 1)
        schema = schema.strip('"')
        call = self.random.choice((
            "CALL ducklake_merge_adjacent_files('lake')",
            "CALL ducklake_flush_inlined_data('lake')",
            f"CALL ducklake_rewrite_data_files('lake', '{name}', schema => '{schema}', delete_threshold => 0.01)",
        ))  # fmt: skip
        try:
            self.run(call)
        except duckdb.TransactionException as error:
            # DuckLake asks rows that were inlined before a column was added for that column, and refuses.
            if "Failed to read inlined-data aggregates" not in str(error):
                raise

    def remember(self, table):
        """Keeps a table as it is now, for time travel."""
        snapshot = self.lake.value(f"SELECT max(snapshot_id) FROM {self.lake.metadata}.ducklake_snapshot")
        copy = self.copy(table)
        self.moments.append(Moment(table, snapshot, copy, dict(table.columns)))

    def copy(self, table):
        """All rows as a temporary table. Nothing of the lake's statistics has a part in it."""
        copy = quoted_identifier(self.fresh("copy"))
        self.run("PRAGMA disable_optimizer")
        self.run(f"CREATE TEMP TABLE {copy} AS FROM {table.name}")
        self.run("PRAGMA enable_optimizer")
        expected = (len(table.keys), len(table.keys), sum(table.keys) if table.keys else None)
        assert self.lake.execute(f"SELECT count(*), count(DISTINCT k), sum(k) FROM {copy}") == [expected]
        return copy

    def tamper(self):
        """Takes statistics away, as a catalogue may lack them. None becomes wrong."""
        files, tables = (f"{self.lake.metadata}.ducklake_{kind}_column_stats" for kind in ("file", "table"))
        pick = f"hash(column_id, table_id, {self.random.randrange(999)}) % 3 = 0"
        for _ in range(self.random.randint(1, 4)):
            values = self.random.choice(("min_value = NULL, max_value = NULL", "contains_nan = NULL",
                                         "value_count = NULL, null_count = NULL", "min_value = NULL"))  # fmt: skip
            self.run(f"UPDATE {files} SET {values} WHERE {pick} AND hash(data_file_id) % 2 = 0")
        if self.chance(0.6):
            self.run(f"DELETE FROM {files} WHERE hash(data_file_id, column_id) % 4 = 0")
        if self.chance(0.5):
            self.run(f"UPDATE {tables} SET min_value = NULL, max_value = NULL WHERE {pick}")
