"""Find DuckDB extensions that were installed as Python packages, such as duckdb-extension-ducklake.

Such a package holds nothing but the released, signed extension file, under
`duckdb_extension_<name>/extensions/v<duckdb version>/<name>.duckdb_extension`. Loading that file by its path
needs no network and no copy into the user's extension folder.
"""

import importlib.util
from pathlib import Path


def packaged_extension_path(name):
    """The extension file for the running DuckDB, or None when it is not installed for this version."""
    # Imported here: load_statement also serves scripts whose Python has no duckdb.
    import duckdb

    specification = importlib.util.find_spec(f"duckdb_extension_{name}")
    if specification is None or specification.origin is None:
        return None
    package = Path(specification.origin).parent
    path = package / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
    return path if path.exists() else None


def load_statement(path):
    """`LOAD` with the path quoted for SQL."""
    quoted = str(path).replace("'", "''")
    return f"LOAD '{quoted}'"
