"""DuckDB's own cipher, for files that are encrypted."""

import duckdb
import pytest


def use_own_cipher(connection):
    """Lets a connection write encrypted files without httpfs. Skips the test where the host cannot."""
    # Without this DuckDB looks for httpfs, and its cipher, in the network.
    connection.execute("SET autoload_known_extensions = false")
    try:
        connection.execute("SET force_mbedtls_unsafe = 'true'")
    except duckdb.Error as error:
        if not duckdb.__version__.startswith(("1.3.", "1.4.")):
            pytest.skip(f"DuckDB {duckdb.__version__} writes no encrypted files by itself: {error}")
