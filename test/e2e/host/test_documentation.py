"""What README.md and the pages below docs show under a statement is what the statement answers, every SQL function is
shown in docs/functions, and links lead somewhere."""

import re
import shutil
from pathlib import Path

import duckdb
import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
PUBLIC_FILE = REPOSITORY.parent / "shared/corpus/parquet-testing/fixed_length_decimal.parquet"

PAGES = sorted(str(path.relative_to(REPOSITORY)) for path in REPOSITORY.glob("docs/**/*.md"))
# The recipe of hive-metastore.md needs a PostgreSQL server: test_hive_metastore.py runs it.
DOCUMENTS = ["README.md", *(page for page in PAGES if page != "docs/hive-metastore.md")]
OTHER_DOCUMENTS = ["docs/hive-metastore.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md", "bench/figures.md", "fuzz/README.md"]
FUNCTION_PAGES = [document for document in DOCUMENTS if document.startswith("docs/functions/")]

# A block of SQL, with the block of its output where one follows.
EXAMPLE = re.compile(r"^```sql\n(.*?)^```\n(?:```\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def examples(document):
    return EXAMPLE.findall((REPOSITORY / document).read_text())


def shown_cells(output):
    """The column names and rows of a printed table: in a box, with types below the names, or between bars."""
    lines = output.splitlines()
    if output.startswith("┌"):
        rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if line.startswith("│")]
        return [rows[0], *rows[2:]]
    return [[cell.strip() for cell in line.split("|")] for line in lines if not line.startswith("---")]


def split_statements(connection, script):
    return [statement.query for statement in connection.extract_statements(script)]


def cells(connection, statement):
    """As `shown_cells`, from the statement itself."""
    query = statement.strip().rstrip(";")
    result = connection.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ({query})")
    rows = [["NULL" if value is None else value.strip() for value in row] for row in result.fetchall()]
    return [[column[0] for column in result.description], *rows]


def unquoted(table):
    """The command line quotes texts in lists, a cast to VARCHAR does not."""
    return [[cell.replace("'", "") for cell in row] for row in table]


def needs_lake(script):
    return "lake." in script or "'lake'" in script or "ducklake" in script


@pytest.fixture
def directory(connection, tmp_path, monkeypatch):
    """The working directory of the examples, with the files that they only name."""
    monkeypatch.chdir(tmp_path)
    for day in (1, 2):
        (tmp_path / f"sales/day={day}").mkdir(parents=True)
    if PUBLIC_FILE.exists():
        shutil.copy(PUBLIC_FILE, tmp_path)


def compare(connection, shown):
    compared = 0
    for script, output in shown:
        if PUBLIC_FILE.name in script and not PUBLIC_FILE.exists():
            continue
        *before, last = split_statements(connection, script)
        for statement in before:
            connection.execute(statement)
        if output:
            assert unquoted(cells(connection, last)) == unquoted(shown_cells(output)), last
            compared += 1
        else:
            connection.execute(last)
    return compared


def with_examples(is_of_lake):
    return [document for document in DOCUMENTS if any(needs_lake(script) == is_of_lake for script, _ in examples(document))]


@pytest.mark.host_only("2.0.1")
@pytest.mark.parametrize("document", with_examples(False))
def test_outputs_are_real(connection, directory, document):
    """On the default host, whose files have the sizes that are shown."""
    shown = [example for example in examples(document) if not needs_lake(example[0])]
    assert compare(connection, shown) >= 1


@pytest.mark.host_only("1.5.5")
@pytest.mark.parametrize("document", with_examples(True))
def test_outputs_of_lakes_are_real(connection, directory, load_packaged, document):
    load_packaged(connection, "ducklake")
    shown = [example for example in examples(document) if needs_lake(example[0])]
    assert compare(connection, shown) >= 1


def test_the_pages_are_found():
    assert len(FUNCTION_PAGES) == 6 and set(FUNCTION_PAGES) <= set(with_examples(False) + with_examples(True))


def test_every_function_is_shown(connection):
    """With an example, not only by its name."""

    def function_names(session):
        return {name for (name,) in session.execute("SELECT function_name FROM duckdb_functions()").fetchall()}

    with duckdb.connect() as plain:
        own = function_names(connection) - function_names(plain)
    pages = [example for document in FUNCTION_PAGES for example in examples(document)]
    shown = "".join(script for script, output in pages if output)
    assert len(own) > 25
    assert hidden_names(own, shown) == []


def hidden_names(names, shown):
    """Those that are not called: `column_stats(` inside of `file_column_stats(` is another function."""
    return [name for name in sorted(names) if not re.search(rf"(?<!\w){name}\(", shown)]


def test_a_longer_name_does_not_show_a_shorter_one():
    assert hidden_names({"column_stats"}, "FROM file_column_stats('x')") == ["column_stats"]
    assert hidden_names({"column_stats"}, "SELECT column_stats(x)") == []


def broken_links(document, text):
    """Links to files that are not there. Pages of the web are not asked."""
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    here = (REPOSITORY / document).parent
    return [target for target in targets if "://" not in target and not (here / target).exists()]


@pytest.mark.parametrize("document", [*DOCUMENTS, *OTHER_DOCUMENTS])
def test_links_lead_somewhere(document):
    assert broken_links(document, (REPOSITORY / document).read_text()) == []


def test_a_broken_link_is_seen():
    assert broken_links("docs/limits.md", "[a](gone.md#top) [b](memory.md) [c](https://duckdb.org)") == ["gone.md"]
