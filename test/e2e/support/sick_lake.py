"""One lake with every fault at once, for tests that disturb its repair: each statement of the repair has work to do.

`QUERIES` maps a query to the answer that DuckLake gives before the repair and to the right one.
"""

from lakes import write_files

ROWS_PER_GROUP = 2048
NAN_FIRST = "SELECT CASE WHEN i < 10 THEN 'nan'::DOUBLE ELSE i END AS d, (-1e-30)::FLOAT AS f FROM range(10000) s(i)"
LONG_TEXTS = "SELECT CASE WHEN i >= 2048 THEN i::INTEGER END AS i, repeat('é', 200) || i AS x FROM range(4096) s(i)"
POINTS = "SELECT unnest(['POINT(0.12345674 1)', 'POINT(5.7654321 6)'])::GEOMETRY AS g"

QUERIES = {
    "SELECT count(*) FROM lake.nan WHERE d > 20000": (0, 10),
    "SELECT count(*) FROM lake.nan WHERE f = (-1e-30)::FLOAT": (0, 10000),
    "SELECT count(*) FROM lake.text WHERE x > 'b'": (0, 4096),
    "SELECT max(i) FROM lake.text": (50, 4095),
    "SELECT count(*) FROM lake.text WHERE i > 100": (0, 2048),
    "SELECT count(*) FROM lake.point WHERE g && 'LINESTRING(0 0, 0.1234568 2)'::GEOMETRY": (0, 1),
    "SELECT list(v) FROM (SELECT v FROM lake.twice ORDER BY v LIMIT 4)": ([0, 0, 1, 1], [0, 1, 2, 3]),
    "SELECT count(*) FROM lake.added WHERE d > 2.5": (499, 499),
}
TABLES = ("nan", "text", "point", "twice", "added")


def make_sick(lake, folder):
    """Fills an empty lake. All faults but the repeated rows and the lost row are DuckLake's own."""
    lake.set_option("data_inlining_row_limit", "0")
    lake.set_option("parquet_row_group_size", str(ROWS_PER_GROUP))
    pattern = write_files(lake.connection, folder / "added", [f"SELECT {k} + i / 1000 AS d FROM range(1000) s(i)" for k in range(3)])
    files = f"{lake.metadata}.ducklake_file_column_stats"
    return lake.run([
        f"CREATE TABLE lake.nan AS {NAN_FIRST}",
        "INSERT INTO lake.nan VALUES (5, 5), (6, 6)",
        f"CREATE TABLE lake.text AS {LONG_TEXTS}",
        "INSERT INTO lake.text VALUES (50, 'abc')",
        f"CREATE TABLE lake.point AS {POINTS}",
        "CREATE TABLE lake.twice AS SELECT i::INTEGER AS v, i AS w FROM range(100) s(i)",
        "INSERT INTO lake.twice SELECT i::INTEGER, i FROM range(100, 200) s(i)",
        f"INSERT INTO {files} SELECT s.* FROM {files} s JOIN {lake.metadata}.ducklake_table t USING (table_id)"
        " WHERE t.table_name = 'twice' AND s.column_id = 1 AND s.min_value = '0'",
        f"DELETE FROM {files} WHERE column_id = 2 AND table_id IN"
        f" (SELECT table_id FROM {lake.metadata}.ducklake_table WHERE table_name = 'twice')",
        "CREATE TABLE lake.added (d DOUBLE)",
        f"CALL ducklake_add_data_files('lake', 'added', '{pattern}')",
    ])  # fmt: skip


def answers(lake):
    return {query: lake.value(query) for query in QUERIES}


BEFORE = {query: before for query, (before, _) in QUERIES.items()}
RIGHT = {query: right for query, (_, right) in QUERIES.items()}
