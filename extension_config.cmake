# Read by DuckDB's own build (DUCKDB_EXTENSION_CONFIGS) to add the tests under test/sql to its `unittest`.
# The extension itself is built by cargo (see the Makefile), not by CMake.

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/Cargo.toml" COLSTATS_VERSION_LINE REGEX "^version = " LIMIT_COUNT 1)
string(REGEX REPLACE "^version = \"(.*)\"$" "v\\1" COLSTATS_VERSION "${COLSTATS_VERSION_LINE}")

duckdb_extension_load(colstats
    DONT_LINK
    LOAD_TESTS
    SOURCE_DIR ${CMAKE_CURRENT_LIST_DIR}
    EXTENSION_VERSION ${COLSTATS_VERSION}
)

# The call above registers the tests, and would then descend into SOURCE_DIR for a CMakeLists.txt, which a cargo
# package has not: without this line configuring fails. DONT_BUILD is no way out, it drops every other argument,
# SOURCE_DIR and LOAD_TESTS included. `require colstats` finds the file that `make release` built: up to DuckDB 1.4
# in <DuckDB's build>/extension/colstats/, from 1.5 in the repository that LOCAL_EXTENSION_REPO names.
set(DUCKDB_EXTENSION_COLSTATS_SHOULD_BUILD FALSE)

# Used by the tests.
duckdb_extension_load(parquet)
duckdb_extension_load(json)
