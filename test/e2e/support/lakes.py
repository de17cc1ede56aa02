"""Lakes of the real DuckLake for tests: attach one on any catalogue, audit it, repair it."""

import re
from dataclasses import dataclass
from pathlib import Path

from cipher import use_own_cipher
from file_rows import quoted_identifier, rows_of, sql_literal

FUNCTIONS = (
    "ducklake_column_stats", "ducklake_table_column_stats", "ducklake_file_variant_stats", "ducklake_stats_audit",
    "ducklake_stats_repair",
)  # fmt: skip
FILES_READ = re.compile(r"Total Files Read:\s*(\d+)")

# Ten rows with NaN in the first of several row groups: W1, the fault by which the tests see that a repair works.
NAN_FIRST = "CASE WHEN i < 10 THEN 'nan'::DOUBLE ELSE i END"


@dataclass
class Lake:
    """A lake attached to a connection. `catalogue` is what follows `ducklake:` in its ATTACH."""

    connection: object
    catalogue: str
    data_path: str
    name: str = "lake"
    attach_options: str = ""

    @property
    def is_encrypted(self):
        return "ENCRYPTED" in self.attach_options

    def attach(self):
        options = f"DATA_PATH {sql_literal(self.data_path)}{self.attach_options}"
        catalogue = sql_literal(f"ducklake:{self.catalogue}")
        self.execute(f"ATTACH {catalogue} AS {quoted_identifier(self.name)} ({options})")
        return self

    def attach_again(self):
        """As every session must after a repair: DuckLake keeps the statistics of tables in memory."""
        self.execute(f"DETACH {quoted_identifier(self.name)}")
        return self.attach()

    def execute(self, statement):
        """Runs a statement to its end; gives its rows."""
        return self.connection.execute(statement).fetchall()

    def run(self, statements):
        for statement in statements:
            self.execute(statement)
        return self

    def value(self, query):
        ((value,),) = self.execute(query)
        return value

    def set_option(self, name, value):
        self.execute(f"CALL {quoted_identifier(self.name)}.set_option({sql_literal(name)}, {sql_literal(value)})")

    @property
    def metadata(self):
        """Prefix of the catalogue's tables."""
        return quoted_identifier(f"__ducklake_metadata_{self.name}")

    def call(self, function, **options):
        arguments = [sql_literal(self.name)]
        arguments += [f"{name} := {sql_literal(value)}" for name, value in options.items()]
        return f"{function}({', '.join(arguments)})"

    def rows(self, function, **options):
        """All rows of one of our functions, as dictionaries."""
        return rows_of(self.connection, f"FROM {self.call(function, **options)}")

    def audit(self, **options):
        return self.rows("ducklake_stats_audit", **options)

    def findings(self, *severities, **options):
        """`(severity, column, statistic, file or table)` of the audit, of these severities or of all."""
        return {
            (row["severity"], row["column_name"], row["statistic"], "table" if row["data_file_id"] is None else "file")
            for row in self.audit(**options)
            if not severities or row["severity"] in severities
        }

    def repair_statements(self, **options):
        rows = self.rows("ducklake_stats_repair", **options)
        assert [row["step"] for row in rows] == list(range(1, len(rows) + 1))
        assert all(row["statement"] and row["purpose"] for row in rows)
        return [row["statement"] for row in rows]

    def repair(self, **options):
        """Runs the repair as its note says; gives the number of statements."""
        statements = self.repair_statements(**options)
        self.run(statements)
        self.attach_again()
        return len(statements)

    def files_read(self, query):
        """How many data files a query reads; None where it is answered without any scan."""
        plan = "\n".join(str(part) for row in self.execute(f"EXPLAIN ANALYZE {query}") for part in row)
        found = FILES_READ.findall(plan)
        return sum(map(int, found)) if found else None


def duckdb_catalogue(folder):
    return str(Path(folder) / "catalogue.ducklake")


def lake_in(connection, folder, catalogue=None, name="lake", **options):
    """Attaches a lake whose files lie in `folder`/data, on a DuckDB catalogue there unless another is named."""
    return Lake(connection, catalogue or duckdb_catalogue(folder), f"{folder}/data/", name, **options).attach()


def encrypted_lake_in(connection, folder, catalogue=None):
    """A lake whose files are encrypted, each by a key of its own. Skips the test without a cipher to write with."""
    use_own_cipher(connection)
    return lake_in(connection, folder, catalogue, attach_options=", ENCRYPTED")


def write_files(connection, folder, queries, prefix="part"):
    """Files by COPY, for `ducklake_add_data_files`; gives the pattern that names them all."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number, query in enumerate(queries):
        path = sql_literal(folder / f"{prefix}_{number:03}.parquet")
        connection.execute(f"COPY ({query}) TO {path} (FORMAT parquet)").fetchall()
    return str(folder / f"{prefix}_*.parquet")


def add_file(lake, path, query, table="t"):
    """Writes a file by COPY and adds it to a table."""
    lake.execute(f"COPY ({query}) TO {sql_literal(path)}")
    lake.execute(f"CALL ducklake_add_data_files('lake', {sql_literal(table)}, {sql_literal(path)})")


def sick_table(lake, table="lake.t"):
    """A table of which DuckLake loses the ten rows with NaN."""
    lake.set_option("parquet_row_group_size", "2048")
    lake.execute(f"CREATE TABLE {table} AS SELECT {NAN_FIRST} AS d FROM range(10000) s(i)")
    assert lost_rows(lake, table) == 10


def lost_rows(lake, table="lake.t"):
    """How many of the ten rows a filter does not find."""
    return 10 - lake.value(f"SELECT count(*) FROM {table} WHERE d > 20000")
