"""Spell values as DuckDB's own test runner does, and compare them with what a file expects.

Stricter than that runner in two places, so that a pass here is a pass there: a FLOAT must be equal, not within one
percent, and `<!REGEX>:` must not match any part of the value.
"""

import re
import struct
from decimal import Decimal, InvalidOperation

INTEGERS = {
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT",
    "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
}
BOOLEAN_WORDS = {"1": True, "true": True, "0": False, "false": False}


def spell(text, sql_type):
    """A value, given as DuckDB's own cast to VARCHAR, in the spelling of the dialect."""
    if text is None:
        return "NULL"
    if sql_type == "BOOLEAN":
        return "1" if text == "true" else "0"
    if text == "":
        return "(empty)"
    return text.replace("\0", "\\0")


def sort_rows(rows, sort_mode):
    """Rows in the order in which they are compared; only the actual ones are sorted, as in every runner."""
    if sort_mode == "rowsort":
        return sorted(rows)
    if sort_mode == "valuesort" and rows:
        width = len(rows[0])
        cells = sorted(cell for row in rows for cell in row)
        return [tuple(cells[i:i + width]) for i in range(0, len(cells), width)]
    return rows


def to_number(text, sql_type):
    """The number a cell stands for in its column's type, or None. FLOAT is rounded to 32 bits, so that 0.1 is 0.1."""
    try:
        if sql_type == "DOUBLE":
            return float(text)
        if sql_type == "FLOAT":
            return struct.unpack("f", struct.pack("f", float(text)))[0]
        if sql_type in INTEGERS or sql_type.startswith("DECIMAL("):
            return Decimal(text)
    except (ValueError, OverflowError, InvalidOperation):
        pass
    return None


def equal_as_number(actual, expected, sql_type):
    """Equal values in different spellings, such as 1 and 1.0, or 1e2 and 100.0; NaN equals NaN as in DuckDB."""
    have, want = to_number(actual, sql_type), to_number(expected, sql_type)
    if have is None or want is None:
        return False
    return have == want or (have != have and want != want)


def matches_regex(actual, expected):
    """True or False when `expected` is a regular expression, else None."""
    if expected.startswith("<REGEX>:"):
        return re.fullmatch(expected.removeprefix("<REGEX>:"), actual, re.DOTALL) is not None
    if expected.startswith("<!REGEX>:"):
        return re.search(expected.removeprefix("<!REGEX>:"), actual, re.DOTALL) is None
    return None


def values_match(actual, expected, sql_type):
    """Whether a spelled value is what the file expects."""
    if actual == expected:
        return True
    by_regex = matches_regex(actual, expected)
    if by_regex is not None:
        return by_regex
    if sql_type == "BOOLEAN":
        return actual in BOOLEAN_WORDS and BOOLEAN_WORDS.get(expected.lower()) == BOOLEAN_WORDS[actual]
    return equal_as_number(actual, expected, sql_type)


def compare_rows(actual, expected, types):
    """None when the rows match, else a description of the first difference."""
    if len(actual) != len(expected):
        return f"{len(actual)} rows, expected {len(expected)}"
    for number, (actual_row, expected_row) in enumerate(zip(actual, expected), start=1):
        for column, (have, want, sql_type) in enumerate(zip(actual_row, expected_row, types), start=1):
            if not values_match(have, want, sql_type):
                return f"row {number}, column {column} ({sql_type}): {have!r}, expected {want!r}"
    return None


def error_matches(message, expected):
    """Whether an error message is the expected one: a part of it, or a regular expression over all of it."""
    by_regex = matches_regex(message, expected)
    return expected in message if by_regex is None else by_regex
