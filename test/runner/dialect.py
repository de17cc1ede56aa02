"""Parse sqllogictest files: the part of DuckDB's dialect that every one of its runners reads alike.

Several runners exist (DuckDB's own in C++, changing with each release, and one in Python), and some of them skip
a file silently over a word they do not know. So this parser takes the common subset only and refuses everything
else, with a line number: what passes here is meant to pass there unmodified, and never the other way round.
"""

import re
from dataclasses import dataclass

SORT_MODES = ("nosort", "rowsort", "valuesort")
REGEX_PREFIXES = ("<REGEX>:", "<!REGEX>:")
PLACEHOLDERS = ("__TEST_DIR__", "__WORKING_DIRECTORY__")
HASH_LINE = re.compile(r"\d+ values hashing to [0-9a-f]{32}")


class DialectError(Exception):
    """A file outside of the portable subset; a failure of the test, never a skip."""


@dataclass(frozen=True)
class Require:
    line: int
    name: str


@dataclass(frozen=True)
class RequireEnvironment:
    line: int
    name: str
    value: str | None


@dataclass(frozen=True)
class Load:
    """Open a database file (None: in memory), instead of the one in use."""

    line: int
    path: str | None
    read_only: bool


@dataclass(frozen=True)
class Restart:
    """Close the database and open it again. DuckDB's own runners do this well; the one in Python trips over it from
    DuckDB 1.5 on, where `load PATH readonly` after a `load PATH` serves as well."""

    line: int


@dataclass(frozen=True)
class Statement:
    """SQL that must succeed, or fail with a message that fits `expected_error`."""

    line: int
    sql: str
    expected_error: str | None


@dataclass(frozen=True)
class Query:
    line: int
    sql: str
    column_count: int
    sort_mode: str
    rows: tuple


def parse(text):
    """The commands of a file, in order."""
    return FileParser(text).commands()


class FileParser:
    """Walks the lines of one file."""

    def __init__(self, text):
        self.lines = text.replace("\r", "").split("\n")
        self.position = 0

    def fail(self, message, line=None):
        raise DialectError(f"line {self.position + 1 if line is None else line}: {message}")

    def current(self):
        """The line at hand, or None at the end."""
        return self.lines[self.position] if self.position < len(self.lines) else None

    def commands(self):
        result = []
        while True:
            while self.current() is not None and (not self.current() or self.current().startswith("#")):
                self.position += 1
            if self.current() is None:
                return result
            result.append(self.command())

    def command(self):
        line = self.position + 1
        words = self.current().split()
        if not words:
            self.fail("this line holds blanks only; leave it empty")
        parsers = {
            "statement": self.statement,
            "query": self.query,
            "require": self.require,
            "require-env": self.require_environment,
            "load": self.load,
            "restart": self.restart,
        }
        if words[0] not in parsers:
            self.fail(f"unknown directive {words[0]!r}; the portable subset has {', '.join(parsers)}")
        self.position += 1
        if words[0] not in ("statement", "query") and self.current() and not self.current().startswith("#"):
            self.fail(f"{words[0]} must be followed by an empty line", line)
        return parsers[words[0]](line, words[1:])

    def require(self, line, words):
        if len(words) != 1:
            self.fail("require takes the name of one extension", line)
        return Require(line, words[0])

    def require_environment(self, line, words):
        if len(words) not in (1, 2):
            self.fail("require-env takes a variable's name and perhaps its value", line)
        return RequireEnvironment(line, words[0], words[1] if len(words) == 2 else None)

    def load(self, line, words):
        if len(words) > 2 or words[1:] not in ([], ["readonly"]):
            self.fail("load takes a path and perhaps the word readonly", line)
        if words and not words[0].startswith("__TEST_DIR__/"):
            self.fail("load opens (and replaces) files under __TEST_DIR__/ only", line)
        return Load(line, words[0] if words else None, len(words) == 2)

    def restart(self, line, words):
        if words:
            self.fail("restart takes no argument", line)
        return Restart(line)

    def sql(self, line):
        """SQL up to `----`, an empty line or the end."""
        start = self.position
        while self.current() and self.current() != "----":
            if self.current().startswith("#"):
                self.fail("a line that begins with # ends the statement in other runners; use -- in SQL")
            self.position += 1
        text = "\n".join(self.lines[start:self.position])
        if not text.strip():
            self.fail("no SQL follows", line)
        return text

    def block(self):
        """The lines after `----`, or None when there is no such line."""
        if self.current() != "----":
            return None
        self.position += 1
        start = self.position
        while self.current():
            self.position += 1
        lines = self.lines[start:self.position]
        for offset, text in enumerate(lines):
            if any(placeholder in text for placeholder in PLACEHOLDERS):
                self.fail("placeholders are not replaced in expected results by every runner", start + offset + 1)
        return lines

    def statement(self, line, words):
        if words not in (["ok"], ["error"]):
            self.fail("a statement is `statement ok` or `statement error`, with nothing behind it", line)
        sql = self.sql(line)
        block = self.block()
        if words == ["ok"]:
            if block is not None:
                self.fail("only `statement error` can have an expected message", line)
            return Statement(line, sql, None)
        if not block:
            self.fail("`statement error` needs ---- and a part of the expected message", line)
        message = "\n".join(block)
        self.check_regex(message, line)
        return Statement(line, sql, message)

    def query(self, line, words):
        if not words or not re.fullmatch("[TIR]+", words[0]):
            self.fail("a query names its columns with the letters T, I and R, such as `query IT`", line)
        if len(words) > 2 or words[1:] and words[1] not in SORT_MODES:
            self.fail(f"behind the columns only one of {', '.join(SORT_MODES)} may stand", line)
        sql = self.sql(line)
        first_row = self.position + 2
        block = self.block()
        if block is None:
            self.fail("a query needs ---- and its expected rows", line)
        column_count = len(words[0])
        rows = tuple(self.row(text, column_count, first_row + i) for i, text in enumerate(block))
        return Query(line, sql, column_count, words[1] if words[1:] else "nosort", rows)

    def row(self, text, column_count, line):
        """The cells of one expected row: one line a row, tabs between cells."""
        if HASH_LINE.fullmatch(text) or text.startswith("<FILE>:"):
            self.fail("results as a hash or a file are not part of the subset; write the rows", line)
        cells = tuple(text.split("\t"))
        if len(cells) != column_count:
            self.fail(f"{len(cells)} cells, the query names {column_count} (one row a line, tabs between)", line)
        if "" in cells:
            self.fail("an empty cell; write (empty) for an empty string", line)
        for cell in cells:
            self.check_regex(cell, line)
        return cells

    def check_regex(self, text, line):
        prefix = next((p for p in REGEX_PREFIXES if text.startswith(p)), None)
        if prefix:
            try:
                re.compile(text[len(prefix):])
            except re.error as error:
                self.fail(f"bad regular expression: {error}", line)
