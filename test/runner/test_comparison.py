"""Values are spelled as DuckDB's runner spells them, and wrong ones are told apart."""

import pytest
from comparison import compare_rows, error_matches, sort_rows, spell, values_match


@pytest.mark.parametrize(
    ("text", "sql_type", "spelled"),
    [
        (None, "VARCHAR", "NULL"),
        ("", "VARCHAR", "(empty)"),
        ("a\0b", "VARCHAR", "a\\0b"),
        ("true", "BOOLEAN", "1"),
        ("false", "BOOLEAN", "0"),
        ("true", "VARCHAR", "true"),
        ("[true]", "BOOLEAN[]", "[true]"),
        ("1e+20", "DOUBLE", "1e+20"),
    ],
)
def test_spelling(text, sql_type, spelled):
    assert spell(text, sql_type) == spelled


@pytest.mark.parametrize(
    ("actual", "expected", "sql_type"),
    [
        ("1", "true", "BOOLEAN"),
        ("0", "False", "BOOLEAN"),
        ("1.0", "1", "DOUBLE"),
        ("1e+20", "100000000000000000000", "DOUBLE"),
        ("nan", "NaN", "FLOAT"),
        ("0.1", "0.10000000149011612", "FLOAT"),
        ("1.50", "1.5", "DECIMAL(10,2)"),
        ("abc", "<REGEX>:a.c", "VARCHAR"),
        ("a\nc", "<REGEX>:a.c", "VARCHAR"),
        ("abc", "<!REGEX>:x", "VARCHAR"),
        ("NULL", "NULL", "INTEGER"),
    ],
)
def test_equal_values(actual, expected, sql_type):
    assert values_match(actual, expected, sql_type)


@pytest.mark.parametrize(
    ("actual", "expected", "sql_type"),
    [
        ("1", "false", "BOOLEAN"),
        ("NULL", "false", "BOOLEAN"),
        ("true", "1", "VARCHAR"),
        ("1.0", "1", "VARCHAR"),
        ("1.0", "1.001", "DOUBLE"),
        ("nan", "1", "DOUBLE"),
        ("NULL", "0", "INTEGER"),
        ("1", "1.4", "INTEGER"),
        ("0.00", "0.004", "DECIMAL(10,2)"),
        ("abc", "<REGEX>:b", "VARCHAR"),
        ("abc", "<!REGEX>:b", "VARCHAR"),
    ],
)
def test_different_values(actual, expected, sql_type):
    assert not values_match(actual, expected, sql_type)


def test_sorting_reorders_actual_rows():
    rows = [("b", "1"), ("a", "2"), ("a", "10")]
    assert sort_rows(rows, "nosort") == rows
    assert sort_rows(rows, "rowsort") == [("a", "10"), ("a", "2"), ("b", "1")]
    assert sort_rows(rows, "valuesort") == [("1", "10"), ("2", "a"), ("a", "b")]
    assert sort_rows([], "valuesort") == []


def test_differences_are_described():
    assert compare_rows([("1",)], [("1",)], ["INTEGER"]) is None
    assert compare_rows([("1",)], [], ["INTEGER"]) == "1 rows, expected 0"
    assert "row 1, column 2 (VARCHAR): 'b', expected 'c'" in compare_rows(
        [("1", "b")], [("1", "c")], ["INTEGER", "VARCHAR"]
    )


def test_error_messages():
    assert error_matches("Invalid Input Error: no such file", "no such")
    assert not error_matches("Invalid Input Error: no such file", "another")
    assert error_matches("a\nb", "<REGEX>:a.*b")
    assert not error_matches("xa", "<REGEX>:a")
