"""Fixtures for tests that load the built extension into a real DuckDB.

    python -m pytest test/e2e --extension build/release/colstats.duckdb_extension

`make test STAGES=e2e` runs them on every host. A test chooses its hosts by marker:

    @pytest.mark.host_minimum("1.5.0")   skipped on older DuckDB
    @pytest.mark.host_only("1.5.5")      skipped elsewhere
    @pytest.mark.refusing_host           runs only where colstats must decline to load; all others do not run there
"""

import itertools
import os
import sys
from pathlib import Path

import duckdb
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))
sys.path.insert(0, str(Path(__file__).parent / "support"))

from cipher import use_own_cipher  # noqa: E402
from host_version import HOST_VERSION, version_tuple  # noqa: E402
from hosts import load_hosts  # noqa: E402
from packaged_extension import load_statement, packaged_extension_path  # noqa: E402
from postgres import create_database, postgres_server, server_programs  # noqa: E402


def is_refusing_host():
    return any(host.version == duckdb.__version__ and not host.is_supported for host in load_hosts())


def pytest_addoption(parser):
    parser.addoption("--extension", help="the built colstats.duckdb_extension to test")


def pytest_configure(config):
    config.addinivalue_line("markers", "host_minimum(version): skip on DuckDB older than this")
    config.addinivalue_line("markers", "host_only(*versions): skip on all other versions of DuckDB")
    config.addinivalue_line("markers", "refusing_host: for DuckDB versions in which colstats must not load")


def pytest_collection_modifyitems(config, items):
    """Select by role, then skip by version."""
    refusing = is_refusing_host()
    selected = [item for item in items if (item.get_closest_marker("refusing_host") is not None) == refusing]
    dropped = [item for item in items if item not in selected]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = selected
    for item in items:
        minimum = item.get_closest_marker("host_minimum")
        if minimum and HOST_VERSION < version_tuple(minimum.args[0]):
            item.add_marker(pytest.mark.skip(reason=f"needs DuckDB {minimum.args[0]}, this is {duckdb.__version__}"))
        only = item.get_closest_marker("host_only")
        if only and duckdb.__version__ not in only.args:
            item.add_marker(pytest.mark.skip(reason=f"for DuckDB {', '.join(only.args)}, this is {duckdb.__version__}"))


@pytest.fixture(scope="session")
def extension_path(request):
    """Absolute path of the extension under test; without one nothing here can pass."""
    option = request.config.getoption("--extension")
    if not option:
        pytest.fail("pass --extension PATH (`make release` builds build/release/colstats.duckdb_extension)")
    path = Path(option).resolve()
    if not path.is_file():
        pytest.fail(f"{path} is missing; `make release` builds it")
    return path


@pytest.fixture
def connect(extension_path):
    """Open a database (default: in memory) with colstats loaded and the session in UTC; closed after the test."""
    opened = []

    def open_database(path=":memory:", **config):
        connection = duckdb.connect(str(path), config={"allow_unsigned_extensions": "true", **config})
        opened.append(connection)
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(load_statement(extension_path))
        return connection

    yield open_database
    for connection in opened:
        connection.close()


@pytest.fixture
def connection(connect):
    """An empty database in memory with colstats loaded."""
    return connect()


@pytest.fixture(scope="session")
def load_packaged():
    """Load an extension that is installed as a Python package (ducklake, spatial, sqlite_scanner,
    postgres_scanner) into a connection; skips the test on hosts without that package."""

    def load(connection, name):
        path = packaged_extension_path(name)
        if path is None:
            pytest.skip(f"{name} is not packaged for DuckDB {duckdb.__version__}; see scripts/hosts.ini")
        connection.execute(load_statement(path))

    return load


@pytest.fixture
def lake(connection, load_packaged, tmp_path):
    """A connection with colstats and the real DuckLake, and an empty lake attached as `lake`. Its catalogue is
    `tmp_path/catalogue.ducklake`, readable as schema `__ducklake_metadata_lake`; its files are in `tmp_path/data`."""
    load_packaged(connection, "ducklake")
    quoted = str(tmp_path).replace("'", "''")
    connection.execute(f"ATTACH 'ducklake:{quoted}/catalogue.ducklake' AS lake (DATA_PATH '{quoted}/data/')")
    return connection


@pytest.fixture(scope="session")
def postgres_databases():
    """Makes an empty PostgreSQL database and gives its connection string. Skips the test where no server is
    installed (Debian: postgresql)."""
    programs = server_programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL server: initdb and pg_ctl are not in PATH (Debian: postgresql)")
    with postgres_server(programs) as server:
        numbers = itertools.count(1)
        yield lambda: create_database(programs, server, f"lake_{next(numbers)}")


@pytest.fixture
def catalogues(connection, load_packaged, tmp_path, request):
    """By kind (`duckdb`, `sqlite`, `postgres`) what stands behind `ducklake:` in ATTACH, for an empty catalogue."""

    def catalogue(kind):
        load_packaged(connection, "ducklake")
        if kind == "duckdb":
            return str(tmp_path / "catalogue.ducklake")
        load_packaged(connection, f"{kind}_scanner")
        if kind == "sqlite":
            return f"sqlite:{tmp_path}/catalogue.sqlite"
        return f"postgres:{request.getfixturevalue('postgres_databases')()}"

    return catalogue


@pytest.fixture(scope="session")
def shared_directory():
    """Recorded rows and public files beside the repository; skips the test in a bare clone."""
    path = Path(os.environ.get("COLSTATS_SHARED", REPOSITORY.parent / "shared"))
    if not path.is_dir():
        pytest.skip("there is no ../shared beside this repository")
    return path


@pytest.fixture
def encrypted_file(connection, tmp_path):
    """A Parquet file with a column i of 0 to 9, encrypted with the key `my_key` that the database knows. Skips the
    test where DuckDB has no cipher of its own to write with."""
    path = tmp_path / "encrypted.parquet"
    use_own_cipher(connection)
    connection.execute("PRAGMA add_parquet_key('my_key', '0123456789abcdef')")
    try:
        connection.execute(
            f"COPY (SELECT i FROM range(10) numbers(i)) TO '{path}'"
            " (FORMAT parquet, ENCRYPTION_CONFIG {footer_key: 'my_key'})"
        )
    except duckdb.Error as error:
        pytest.skip(f"DuckDB {duckdb.__version__} writes no encrypted files by itself: {error}")
    return str(path)
