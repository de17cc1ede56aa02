"""The parser takes the portable subset and refuses all else, with the line at fault."""

import pytest
from dialect import DialectError, Load, Query, Require, RequireEnvironment, Restart, Statement, parse


def test_commands_of_every_kind():
    text = """# name: test/sql/sample.test
# group: [sql]

require colstats

require-env SOME_NAME value

load __TEST_DIR__/a.db readonly

restart

statement ok
CREATE TABLE t
(i INTEGER);

statement error
SELECT boom
----
not found

query IT rowsort
SELECT 1, 'a b'
----
1\ta b
<REGEX>:.*\t(empty)
"""
    assert parse(text) == [
        Require(4, "colstats"),
        RequireEnvironment(6, "SOME_NAME", "value"),
        Load(8, "__TEST_DIR__/a.db", True),
        Restart(10),
        Statement(12, "CREATE TABLE t\n(i INTEGER);", None),
        Statement(16, "SELECT boom", "not found"),
        Query(21, "SELECT 1, 'a b'", 2, "rowsort", (("1", "a b"), ("<REGEX>:.*", "(empty)"))),
    ]


def test_query_without_rows_and_at_the_end_of_the_file():
    assert parse("query I\nFROM range(0)\n----") == [Query(1, "FROM range(0)", 1, "nosort", ())]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("loop i 0 3\n", "line 1: unknown directive 'loop'"),
        ("onlyif x\n", "unknown directive"),
        ("statement maybe\nSELECT 1\n", "nothing behind it"),
        ("statement ok con1\nSELECT 1\n", "nothing behind it"),
        ("statement ok\n", "no SQL follows"),
        ("statement ok\nSELECT 1\n----\nx\n", "only `statement error`"),
        ("statement error\nSELECT 1\n", "needs ----"),
        ("statement error\nSELECT 1\n----\n\n", "needs ----"),
        ("statement ok\nSELECT 1\n# why\n", "line 3: a line that begins with #"),
        ("query X\nSELECT 1\n----\n1\n", "letters T, I and R"),
        ("query\nSELECT 1\n----\n1\n", "letters T, I and R"),
        ("query I label\nSELECT 1\n----\n1\n", "only one of nosort"),
        ("query I nosort label\nSELECT 1\n----\n1\n", "only one of nosort"),
        ("query I\nSELECT 1\n", "needs ----"),
        ("query II\nSELECT 1, 2\n----\n1\n2\n", "line 4: 1 cells, the query names 2 ("),
        ("query II\nSELECT 1, 2\n----\n1\t2\n1\t\n", "line 5: an empty cell"),
        ("query I\nSELECT 1\n----\n1 values hashing to acd848208cc35c7324ece9fcdd507823\n", "hash or a file"),
        ("query I\nSELECT 1\n----\n<FILE>:x.csv\n", "hash or a file"),
        ("query T\nSELECT 1\n----\n__TEST_DIR__/x\n", "line 4: placeholders"),
        ("query T\nSELECT 1\n----\n<REGEX>:(\n", "bad regular expression"),
        ("require colstats\nrequire json\n", "must be followed by an empty line"),
        ("require vector_size 1024\n", "name of one extension"),
        ("load x.db\n", "under __TEST_DIR__/ only"),
        ("load __TEST_DIR__/x.db readonly v1.2.0\n", "perhaps the word readonly"),
        ("restart now\n", "no argument"),
        ("  \nstatement ok\nSELECT 1\n", "blanks only"),
    ],
)
def test_everything_else_is_refused(text, message):
    with pytest.raises(DialectError) as caught:
        parse(text)
    assert message in str(caught.value)
