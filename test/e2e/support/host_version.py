"""The version of the DuckDB under test, in a form that compares."""

import duckdb


def version_tuple(text):
    """Comparable numbers of a version such as 1.5.5."""
    return tuple(int(part) for part in text.split(".")[:3])


HOST_VERSION = version_tuple(duckdb.__version__.split(".dev")[0])
