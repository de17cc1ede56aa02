"""Run the commands of one sqllogictest file against the installed duckdb package."""

import os
import sys
from pathlib import Path

import duckdb
from comparison import compare_rows, error_matches, sort_rows, spell
from dialect import Load, Query, Require, RequireEnvironment, Restart, Statement

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))

from packaged_extension import load_statement, packaged_extension_path  # noqa: E402

EXTENSION = "colstats"
# Part of DuckDB, loaded with it or on demand.
BUILT_IN = ("core_functions", "icu", "json", "parquet")
# Installed as Python packages for some hosts (scripts/hosts.ini).
PACKAGED = ("ducklake", "postgres_scanner", "spatial", "sqlite_scanner")


class Failure(Exception):
    """What a command did not do as expected."""


class Skip(Exception):
    """Why the rest of a file cannot be run on this host."""


class Session:
    """One database at a time, as the commands of a file open it."""

    def __init__(self, extension_path, test_directory):
        self.extension_path = extension_path
        self.test_directory = test_directory
        self.load_statements = []
        self.placeholders = {
            "__TEST_DIR__": test_directory,
            "__WORKING_DIRECTORY__": os.getcwd(),
        }
        self.path = ":memory:"
        self.read_only = False
        self.connection = None
        self.checks = 0
        self.open()

    def open(self):
        """Open the database as DuckDB's own runners do: unsigned extensions, UTC, required extensions back."""
        self.connection = duckdb.connect(self.path, self.read_only, {"allow_unsigned_extensions": "true"})
        self.connection.execute("SET TimeZone = 'UTC'").fetchall()
        for statement in self.load_statements:
            self.connection.execute(statement).fetchall()

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def run(self, command):
        actions = {
            Require: self.require,
            RequireEnvironment: self.require_environment,
            Load: self.load,
            Restart: self.restart,
            Statement: self.statement,
            Query: self.query,
        }
        try:
            actions[type(command)](command)
        except (Failure, Skip) as outcome:
            raise type(outcome)(f"line {command.line}: {outcome}") from outcome
        except duckdb.Error as error:
            raise Failure(f"line {command.line}: {error}") from error

    def replace_placeholders(self, text):
        for placeholder, value in self.placeholders.items():
            text = text.replace(placeholder, value)
        return text

    def require(self, command):
        name = command.name
        if name == EXTENSION:
            self.load_extension(self.extension_path)
        elif name in BUILT_IN:
            self.require_built_in(name)
        elif name in PACKAGED:
            path = packaged_extension_path(name)
            if path is None:
                raise Skip(f"require {name}: not installed as a package for DuckDB {duckdb.__version__}")
            self.load_extension(path)
        else:
            known = ", ".join((EXTENSION, *BUILT_IN, *PACKAGED))
            raise Failure(f"require {name}: unknown; this runner knows {known}")

    def load_extension(self, path):
        """A required extension that is there and does not load is a failure, never a skip."""
        statement = load_statement(path)
        self.connection.execute(statement).fetchall()
        self.load_statements.append(statement)

    def require_built_in(self, name):
        # Fetched to the end: DuckDB 2.0 refuses other statements while a result is open.
        loaded = self.connection.execute(
            "SELECT loaded FROM duckdb_extensions() WHERE extension_name = ?", [name]
        ).fetchall()
        if loaded == [(True,)]:
            return
        try:
            self.connection.execute(f"LOAD {name}").fetchall()
        except duckdb.Error as error:
            raise Skip(f"require {name}: {str(error).splitlines()[0]}") from error
        self.load_statements.append(f"LOAD {name}")

    def require_environment(self, command):
        value = os.environ.get(command.name)
        if value is None:
            raise Skip(f"require-env {command.name}: not set")
        if command.value not in (None, value):
            raise Skip(f"require-env {command.name}: is {value!r}, not {command.value!r}")
        self.placeholders[f"${{{command.name}}}"] = value

    def load(self, command):
        self.close()
        self.path = self.replace_placeholders(command.path) if command.path else ":memory:"
        self.read_only = command.read_only
        if command.path and not command.read_only:
            for path in (self.path, f"{self.path}.wal"):
                Path(path).unlink(missing_ok=True)
        self.open()

    def restart(self, _command):
        self.close()
        self.open()

    def statement(self, command):
        self.checks += 1
        sql = self.replace_placeholders(command.sql)
        try:
            self.connection.execute(sql).fetchall()
        except duckdb.Error as error:
            self.check_error(sql, str(error), command.expected_error)
            return
        if command.expected_error is not None:
            raise Failure(f"succeeded, an error was expected\n{sql}")

    def check_error(self, sql, message, expected):
        if "INTERNAL" in message:
            raise Failure(f"internal error, which is never expected: {message}\n{sql}")
        if expected is None:
            raise Failure(f"{message}\n{sql}")
        if not error_matches(message, expected):
            raise Failure(f"another error than expected\n  error:    {message}\n  expected: {expected}\n{sql}")

    def query(self, command):
        self.checks += 1
        sql = self.replace_placeholders(command.sql)
        try:
            rows, types = self.fetch_spelled(sql)
        except duckdb.Error as error:
            raise Failure(f"{error}\n{sql}") from error
        if len(types) != command.column_count:
            raise Failure(f"{len(types)} columns, the query names {command.column_count}\n{sql}")
        rows = sort_rows(rows, command.sort_mode)
        difference = compare_rows(rows, command.rows, types)
        if difference:
            shown = "\n".join("\t".join(row) for row in rows[:50])
            raise Failure(f"{difference}\n{sql}\n---- result\n{shown}")

    def fetch_spelled(self, sql):
        """Rows as text and the columns' types. DuckDB itself does the cast to text, column by position, since
        names may repeat; values never pass through Python's own types."""
        relation = self.connection.query(sql)
        if relation is None:
            raise Failure(f"this gives no rows; use `statement ok`\n{sql}")
        types = [str(sql_type) for sql_type in relation.types]
        casts = ", ".join(f"CAST(#{position} AS VARCHAR)" for position in range(1, len(types) + 1))
        rows = relation.project(casts).fetchall()
        return [tuple(spell(cell, sql_type) for cell, sql_type in zip(row, types)) for row in rows], types
