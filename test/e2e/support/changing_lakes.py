"""Random lakes (random_lakes.py) that live on: changes that a lake sees in use, made in rounds with a repair between.

These changes show whether columns are told by number, not by name, and files by what the catalogue says of them: names that
change places, fields of structs that come and go, transactions that are taken back, expiry, and rows that move between
the catalogue and files.
"""

from random_lakes import VALUES, RandomLake, is_nested

STRUCT = "STRUCT(p INTEGER, q VARCHAR)"
STRUCT_VALUES = ["{'p': 1, 'q': 'x'}", "{'p': -7, 'q': NULL}", "NULL"]
FIELD_TYPES = ("DOUBLE", "BIGINT", "VARCHAR")


class ChangingLake(RandomLake):
    """Call `build`, then `change` as often as wanted."""

    def build(self):
        super().build()
        # Old snapshots go in this lake: what was remembered of them with them.
        self.moments = []
        return self

    def change(self, count):
        changes = {
            self.insert: 6, self.update: 2, self.delete: 2, self.delete_everything: 1, self.add_files: 1,
            self.maintain: 3, self.swap_names: 3, self.change_struct: 4, self.transaction: 3, self.expire: 1,
            self.merge_into: 1, self.set_inlining: 1, self.widen: 1, self.rename_column: 1, self.add_column: 1,
        }  # fmt: skip
        for _ in range(count):
            (change,) = self.random.choices(list(changes), list(changes.values()))
            change(self.random.choice(self.tables))
        return self

    def values(self, column_type, first, count):
        # A struct that was changed has no values of its own here.
        known = VALUES | {STRUCT: STRUCT_VALUES}
        if column_type not in known and is_nested(column_type):
            return f"CAST(NULL AS {column_type})"
        return super().values(column_type, first, count) if column_type in VALUES else self.stretch_of_struct()

    def stretch_of_struct(self):
        listed = ", ".join(f"CAST({value} AS {STRUCT})" for value in STRUCT_VALUES)
        return f"([{listed}])[1 + (hash(i * 7 + {self.random.randrange(99)}) % {len(STRUCT_VALUES)})::INTEGER]"

    def insert(self, table):
        """By names: their order in the table is no longer the one they were made in."""
        names = ", ".join(("k", *table.columns))
        query, keys = self.rows(table.columns, self.random.choice((1, 5, 60, 700, 2500, 5000)))
        self.run(f"INSERT INTO {table.name} ({names}) SELECT {names} FROM ({query})")
        table.keys |= keys

    def update(self, table):
        condition, _ = self.key_range(table)
        name = self.pick(table, lambda column_type: column_type in VALUES)
        if name is not None:
            value = self.stretch(table.columns[name], VALUES[table.columns[name]]).replace("i *", "k *")
            self.run(f"UPDATE {table.name} SET {name} = {value} WHERE {condition}")

    def delete_everything(self, table):
        self.run(f"DELETE FROM {table.name}")
        table.keys = set()

    def merge_into(self, table):
        condition, keys = self.key_range(table)
        self.run(f"MERGE INTO {table.name} USING (SELECT k AS key FROM {table.name} WHERE {condition}) s ON k = key "
                 "WHEN MATCHED THEN DELETE")  # fmt: skip
        table.keys -= keys

    def swap_names(self, table):
        if len(table.columns) < 2 or table.is_partitioned:
            return
        left, right = self.random.sample(list(table.columns), 2)
        between = self.fresh("c")
        for old, new in ((left, between), (right, left), (between, right)):
            self.run(f"ALTER TABLE {table.name} RENAME {old} TO {new}")
        renamed = {left: right, right: left}
        table.columns = {renamed.get(name, name): column_type for name, column_type in table.columns.items()}
        table.retyped = {renamed.get(name, name) for name in table.retyped}

    def change_struct(self, table):
        """Adds, drops or renames a field of a struct; adds a struct where there is none."""
        name = self.pick(table, lambda column_type: column_type.startswith("STRUCT") and column_type[-1] == ")")
        if name is None:
            name = self.fresh("c")
            self.run(f"ALTER TABLE {table.name} ADD COLUMN {name} {STRUCT}")
            table.columns[name] = STRUCT
            return
        field_of = f"SELECT unnest({name}) FROM {table.name} LIMIT 0"
        fields = [column[0] for column in self.lake.connection.execute(field_of).description]
        kind = self.random.choice(("add", "drop", "rename") if len(fields) > 1 else ("add", "rename"))
        changed = self.random.choice(fields)
        self.run({
            "add": f"ALTER TABLE {table.name} ADD COLUMN {name}.{self.fresh('f')} {self.random.choice(FIELD_TYPES)}",
            "drop": f"ALTER TABLE {table.name} DROP COLUMN {name}.{changed}",
            "rename": f"ALTER TABLE {table.name} RENAME COLUMN {name}.{changed} TO {self.fresh('f')}",
        }[kind])  # fmt: skip
        described = self.lake.execute(f"SELECT column_name, column_type FROM (DESCRIBE {table.name})")
        table.columns[name] = dict(described)[name]

    def transaction(self, table):
        keys = set(table.keys)
        self.run("BEGIN")
        for _ in range(self.random.randint(2, 4)):
            self.random.choice((self.insert, self.delete, self.update))(table)
        if self.chance(0.3):
            self.run("ROLLBACK")
            table.keys = keys
        else:
            self.run("COMMIT")

    def expire(self, table):
        snapshots = f"SELECT snapshot_id FROM {self.lake.metadata}.ducklake_snapshot ORDER BY snapshot_id"
        older = [snapshot for (snapshot,) in self.lake.execute(snapshots)][:-1]
        some = sorted(self.random.sample(older, len(older) // 2))
        if some:
            self.run(f"SELECT count(*) FROM ducklake_expire_snapshots('lake', versions => {some})")
            self.run("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")

    def set_inlining(self, table):
        self.lake.set_option("data_inlining_row_limit", str(self.random.choice((0, 10, 100))))
