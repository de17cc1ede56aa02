"""Which files are read, in which order, and that each has complete rows of its own."""

import gzip
import json
import os
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_rows import bounds, column_rows, counts, file_call, file_rows, sql_literal, with_room_before_footer
from leaf_truth import plain_session, problems_of_file
from parquet_footer import edit


@pytest.fixture
def write(tmp_path):
    """Writes a Parquet file from columns (or an Arrow table) and gives its path."""

    def write_file(name, columns, **options):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path, **options)
        return str(path)

    return write_file


def file_order(rows):
    """(id, file) of every file in the order of its first row."""
    return list(dict.fromkeys((row["data_file_id"], os.path.basename(row["file_name"])) for row in rows))


def test_list_order_globs_sorted_duplicates_once(connection, write, tmp_path):
    paths = {name: write(f"{name}.parquet", {"i": [ord(name)]}) for name in "dbca"}
    rows = file_rows(connection, [paths["c"], str(tmp_path / "*.parquet"), paths["a"], paths["c"]])
    assert file_order(rows) == [(0, "c.parquet"), (1, "a.parquet"), (2, "b.parquet"), (3, "d.parquet")]
    assert [bounds(row) for row in rows] == [(str(ord(name)),) * 2 for name in "cabd"]
    assert [counts(row) for row in rows] == [(1, 0)] * 4


def test_a_file_named_twice_is_counted_once(connection, write):
    path = write("a.parquet", {"i": [1, 2, None]})
    (row,) = file_rows(connection, [path, path])
    assert counts(row) == (2, 1)


def test_files_with_different_schemas(connection, write):
    """Other columns, other types under the same name, another order. A column has no row where it is absent."""
    files = [
        write("1.parquet", {"a": pa.array([1, 2], pa.int32()), "b": ["x", "y"]}),
        write("2.parquet", {"b": [2.5, float("nan")], "c": [[1, None], []]}),
        write("3.parquet", {"c": pa.array([5], pa.int64()), "a": ["text"]}),
        write("4.parquet", {"a": pa.array([9, 7], pa.int32()), "b": [None, "z"]}),
    ]
    found = [
        (row["data_file_id"], row["column_id"], row["column_name"], row["column_type"], *bounds(row), *counts(row))
        for row in file_rows(connection, files)
    ]
    assert found == [
        (0, 1, "a", "INTEGER", "1", "2", 2, 0),
        (0, 2, "b", "VARCHAR", "x", "y", 2, 0),
        (1, 1, "b", "DOUBLE", "2.5", "2.5", 2, 0),
        (1, 3, "c.element", "BIGINT", "1", "1", 1, 2),
        (2, 1, "c", "BIGINT", "5", "5", 1, 0),
        (2, 2, "a", "VARCHAR", "text", "text", 1, 0),
        (3, 1, "a", "INTEGER", "7", "9", 2, 0),
        (3, 2, "b", "VARCHAR", "z", "z", 1, 1),
    ]


def geoparquet(geometry, reference_system):
    """A table with a column g of WKB that its metadata declare a geometry."""
    column = {"encoding": "WKB", "geometry_types": ["Point"], "crs": reference_system}
    metadata = {"version": "1.0.0", "primary_column": "g", "columns": {"g": column}}
    return pa.table({"g": pa.array([geometry])}).replace_schema_metadata({"geo": json.dumps(metadata)})


# Hosts before 1.5 have no geometries.
@pytest.mark.host_minimum("1.5.0")
@pytest.mark.parametrize("size", ["small", "large"])
def test_alike_but_for_their_metadata(connection, write, size):
    """Parquet itself sees no difference between the schemas of these files: only the metadata tell geometries, and their
    reference systems, from bytes."""
    point = bytes.fromhex("0101000000000000000000f03f0000000000000040")
    etrs89 = {"type": "GeographicCRS", "name": "ETRS89", "id": {"authority": "EPSG", "code": 4258}}
    files = [
        write("1.parquet", geoparquet(point, None)),
        write("2.parquet", {"g": pa.array([b"zzz", b"\x01\x02"])}),
        write("3.parquet", geoparquet(point, etrs89)),
    ]
    if size == "large":
        files = [str(with_room_before_footer(Path(file), Path(file).with_suffix(".large.parquet"))) for file in files]
    alone = [row for number, file in enumerate(files) for row in file_rows(connection, file, first_data_file_id=number)]
    assert [row["column_type"][:8] for row in alone] == ["GEOMETRY", "BLOB", "GEOMETRY"]
    assert bounds(alone[1]) == ("0102", "7A7A7A")
    assert all(json.loads(row["extra_stats"])["bbox"]["ymax"] == 2.0 for row in (alone[0], alone[2]))
    assert file_rows(connection, files) == alone
    assert file_rows(connection, files[::-1], columns=["g"])[2]["extra_stats"] == alone[0]["extra_stats"]


def test_size_is_the_sum_of_all_chunks(connection, write):
    """Over row groups, for the leaf alone; the file's own footer says what it must be."""
    lists = pa.array([[number, number] for number in range(5000)])
    structs = [{"x": number, "y": str(number)} for number in range(5000)]
    columns = {"i": range(5000), "l": lists, "s": structs}
    path = write("a.parquet", columns, row_group_size=700)
    footer = pq.read_metadata(path)
    sizes = [
        sum(footer.row_group(group).column(chunk).total_compressed_size for group in range(footer.num_row_groups))
        for chunk in range(footer.num_columns)
    ]
    assert [row["column_size_bytes"] for row in file_rows(connection, path)] == sizes
    # Also when only some columns are asked for.
    assert column_rows(connection, path, columns=["s.y"])["s.y"]["column_size_bytes"] == sizes[3]


def test_bounds_that_have_no_text(connection, write):
    """A TIME of the last microsecond of 64 bits: DuckDB's `parquet_metadata` gives up, or the process with it. DuckDB 2.0
    reads no such value."""
    times = pa.array([5, 2**63 - 1], pa.int64()).view(pa.time64("us"))
    path = write("a.parquet", {"t": times})
    size = pq.read_metadata(path).row_group(0).column(0).total_compressed_size
    if duckdb.__version__ < "2":
        (row,) = file_rows(connection, path)
        assert (*bounds(row), *counts(row), row["column_size_bytes"]) == ("00:00:00.000005", None, 2, 0, size)
    else:
        with pytest.raises(duckdb.Error, match="file_column_stats: .*a.parquet.* TIME"):
            file_rows(connection, path)
    assert connection.execute("SELECT 42").fetchone() == (42,)


def test_sizes_that_duckdb_cannot_list(connection, write, tmp_path):
    """DuckDB's `parquet_metadata` fails at a bound that has no text. The values can be read all the same, and the sizes
    come from our own reading of the footer."""
    files = []
    for number in range(5):
        path = Path(write(f"{number}.parquet", {"i": [number, None], "t": ["a", "b"]}))
        if number == 2:
            edit(path, 0, 0, min=b"x")
        files.append(str(with_room_before_footer(path, tmp_path / f"{number}.large.parquet")))
    with pytest.raises(duckdb.Error, match="size"):
        connection.execute("SELECT total_compressed_size FROM parquet_metadata(?)", [files[2]])
    expected = [row for n in range(5) for row in ((str(n), 1, True), ("a", 2, True))]
    for source in (file_call(files), f"query(file_column_stats_sql({sql_literal(files)}))"):
        statement = f"SELECT min_value, value_count, column_size_bytes > 0 FROM {source}"
        assert connection.execute(statement).fetchall() == expected


EMPTY_SCHEMA = pa.schema(
    [("i", pa.int32()), ("d", pa.float64()), ("t", pa.string()), ("l", pa.list_(pa.float32())),
     ("s", pa.struct([("x", pa.float64()), ("y", pa.date32())]))]
)  # fmt: skip


def assert_complete_and_empty(rows):
    found = [
        (row["column_id"], row["column_name"], row["column_type"], *counts(row), *bounds(row), row["contains_nan"])
        for row in rows
    ]
    assert found == [
        (1, "i", "INTEGER", 0, 0, None, None, None),
        (2, "d", "DOUBLE", 0, 0, None, None, False),
        (3, "t", "VARCHAR", 0, 0, None, None, None),
        (5, "l.element", "FLOAT", 0, 0, None, None, False),
        (7, "s.x", "DOUBLE", 0, 0, None, None, False),
        (8, "s.y", "DATE", 0, 0, None, None, None),
    ]


def test_zero_rows(connection, write):
    rows = file_rows(connection, write("a.parquet", EMPTY_SCHEMA.empty_table()))
    assert_complete_and_empty(rows)
    assert all(row["column_size_bytes"] >= 0 for row in rows)


def test_zero_row_groups(connection, tmp_path):
    path = tmp_path / "a.parquet"
    pq.ParquetWriter(path, EMPTY_SCHEMA).close()
    assert pq.read_metadata(path).num_row_groups == 0
    rows = file_rows(connection, str(path))
    assert_complete_and_empty(rows)
    assert {row["column_size_bytes"] for row in rows} == {0}


def test_empty_files_among_others(connection, write, tmp_path):
    """All have one schema: one scan, where the empty files leave no trace of their own."""
    pq.ParquetWriter(tmp_path / "2.parquet", pa.schema([("i", pa.int64())])).close()
    files = [
        write("1.parquet", {"i": [1]}),
        str(tmp_path / "2.parquet"),
        write("3.parquet", {"i": pa.array([], pa.int64())}),
        write("4.parquet", {"i": [4, None]}),
    ]
    rows = file_rows(connection, files)
    assert [(row["data_file_id"], *bounds(row), *counts(row)) for row in rows] == [
        (0, "1", "1", 1, 0), (1, None, None, 0, 0), (2, None, None, 0, 0), (3, "4", "4", 1, 1),
    ]  # fmt: skip


def test_all_null(connection, write):
    columns = {"i": pa.nulls(3, pa.int64()), "f": pa.nulls(3, pa.float32()), "t": pa.nulls(3, pa.string()),
               "n": pa.nulls(3), "l": pa.nulls(3, pa.list_(pa.float64())),
               "s": pa.nulls(3, pa.struct([("x", pa.float64())]))}  # fmt: skip
    rows = column_rows(connection, write("a.parquet", columns))
    assert {counts(row) for row in rows.values()} == {(0, 3)}
    assert {bounds(row) for row in rows.values()} == {(None, None)}
    flags = {name: row["contains_nan"] for name, row in rows.items()}
    assert flags == {"i": None, "f": False, "t": None, "n": None, "l.element": False, "s.x": False}


@pytest.mark.parametrize(
    "name",
    ["a[1].parquet", "what?.parquet", "st*r.parquet", "it's.parquet", "a b.parquet", "[!x].parquet", "{a,b}.parquet",
     "ünï 🦆.parquet", "per%20cent.parquet", "dir[1]/a*b.parquet", "-- comment; x.parquet", '"quoted".parquet'],
)  # fmt: skip
def test_file_names(connection, write, tmp_path, name):
    """A name that looks like a pattern means the file of that name, as long as the pattern matches nothing else. A file
    that another pattern found always means itself."""
    path = write(name, {"i": [1, 2]})
    (alone,) = file_rows(connection, path)
    assert (alone["file_name"], *bounds(alone)) == (path, "1", "2")
    decoys = [write(decoy, {"i": [-5]}) for decoy in ("a1.parquet", "star.parquet", "dir1/ab.parquet")]
    rows = {row["file_name"]: row for row in file_rows(connection, str(tmp_path / "**" / "*.parquet"))}
    assert rows.keys() == {path, *decoys}
    assert bounds(rows[path]) == ("1", "2")
    assert rows[path]["column_size_bytes"] == alone["column_size_bytes"]


def test_relative_paths(connection, write, tmp_path, monkeypatch):
    write("a.parquet", {"i": [1]})
    monkeypatch.chdir(tmp_path)
    paths = ["a.parquet", "./a.parquet"]
    assert [row["file_name"] for row in file_rows(connection, paths)] == paths


def test_formats_in_one_call(connection, write, tmp_path):
    """By the name of each file, looked through a compression suffix."""
    (tmp_path / "2.csv").write_text("a;b\n1;x\n2;\n")
    with gzip.open(tmp_path / "3.csv.gz", "wt") as file:
        file.write("n,m\n0.5,2020-01-31\n")
    (tmp_path / "4.json").write_text('{"a": 1, "b": {"c": [1, null]}}\n{"a": null}\n{"b": {"c": []}}\n')
    with gzip.open(tmp_path / "5.NDJSON.gz", "wt") as file:
        file.write('{"z": "last"}\n')
    files = [str(tmp_path / name) for name in ("5.NDJSON.gz", "2.csv", "4.json", "3.csv.gz")]
    files.insert(1, write("1.parquet", {"p": [True]}))
    rows = file_rows(connection, files)
    found = [
        (row["data_file_id"], row["column_name"], row["column_type"], *bounds(row), *counts(row)) for row in rows
    ]
    assert found == [
        (0, "z", "VARCHAR", "last", "last", 1, 0),
        (1, "p", "BOOLEAN", "1", "1", 1, 0),
        (2, "a", "BIGINT", "1", "2", 2, 0),
        (2, "b", "VARCHAR", "x", "x", 1, 1),
        (3, "a", "BIGINT", "1", "1", 1, 2),
        (3, "b.c.element", "BIGINT", "1", "1", 1, 3),
        (4, "n", "DOUBLE", "0.5", "0.5", 1, 0),
        (4, "m", "DATE", "2020-01-31", "2020-01-31", 1, 0),
    ]
    assert {row["data_file_id"] for row in rows if row["column_size_bytes"] is not None} == {1}


def test_text_files_without_rows(connection, tmp_path):
    path = tmp_path / "header.csv"
    path.write_text("a,b\n")
    rows = column_rows(connection, str(path))
    assert {name: (*counts(row), *bounds(row)) for name, row in rows.items()} == dict.fromkeys("ab", (0, 0, None, None))


def test_two_thousand_columns(connection, write):
    path = write("wide.parquet", {f"c{number}": [number, None, -number] for number in range(2000)})
    rows = file_rows(connection, path)
    found = [(row["column_id"], row["column_name"], *bounds(row), *counts(row)) for row in rows]
    assert found == [(n + 1, f"c{n}", str(-n), str(n), 2, 1) for n in range(2000)]
    few = file_rows(connection, path, columns=["c1999", "c0"])
    assert [row["column_name"] for row in few] == ["c0", "c1999"]


def test_three_hundred_files(connection, tmp_path):
    """More rows than a chunk holds; files and columns must not get mixed up."""
    for number in range(300):
        columns = {f"c{column}": [number * 100 + column, None] for column in range(10)}
        pq.write_table(pa.table(columns), tmp_path / f"{number:03}.parquet")
    rows = file_rows(connection, str(tmp_path / "*.parquet"))
    found = [(row["data_file_id"], row["column_id"], *bounds(row), *counts(row)) for row in rows]
    assert found == [(f, c + 1, str(f * 100 + c), str(f * 100 + c), 1, 1) for f in range(300) for c in range(10)]


def test_a_hundred_schemas(connection, write, tmp_path):
    for number in range(100):
        write(f"{number:03}.parquet", {f"only_{number}": [number], "shared": [str(number)]})
    rows = file_rows(connection, str(tmp_path / "*.parquet"))
    found = [(row["data_file_id"], row["column_name"], *bounds(row)) for row in rows]
    assert found == [(n, name, str(n), str(n)) for n in range(100) for name in (f"only_{n}", "shared")]


@pytest.mark.parametrize("schema", ["alike", "different"])
def test_many_text_files_in_little_memory(connection, tmp_path, schema):
    """A CSV reader takes 30 MB of buffers for the smallest file: they must not all be held at once."""
    for number in range(60):
        name = "b" if schema == "alike" else f"b{number}"
        (tmp_path / f"{number:02}.csv").write_text(f"a,{name}\n{number},x\n")
    connection.execute("SET GLOBAL memory_limit = '1GB'")
    rows = file_rows(connection, str(tmp_path / "*.csv"))
    found = [(row["data_file_id"], row["column_name"][0], *bounds(row)) for row in rows]
    assert found == [row for n in range(60) for row in ((n, "a", str(n), str(n)), (n, "b", "x", "x"))]


def test_many_text_files_among_others(connection, write, tmp_path):
    """However many statements it takes: the order of the files, ids, and a column that only the last file has."""
    for number in range(40):
        (tmp_path / f"{number:02}.csv").write_text(f"a\n{number}\n")
        write(f"{number:02}.parquet", {"a": [number, None]})
    (tmp_path / "40.json").write_text('{"late": 1}\n')
    files = sorted(str(path) for path in tmp_path.iterdir())
    rows = file_rows(connection, files, first_data_file_id=7)
    found = [(row["data_file_id"], row["file_name"], *bounds(row), *counts(row)) for row in rows]
    expected = [(7 + index, file, *(str(index // 2),) * 2, 1, index % 2) for index, file in enumerate(files[:-1])]
    assert found == [*expected, (87, files[-1], "1", "1", 1, 0)]
    (late,) = file_rows(connection, files, columns=["late"])
    assert (late["data_file_id"], late["column_name"]) == (80, "late")
    with pytest.raises(duckdb.Error, match="column 'later' is in none of the files"):
        file_rows(connection, files, columns=["late", "later"])


@pytest.mark.parametrize("format_name", ["parquet", "csv"])
def test_every_type_of_duckdb(connection, tmp_path, format_name):
    """DuckDB's own table of all types: whatever the file makes of them, rows are right."""
    plain_session(connection)
    names = [name for (name, *_) in connection.execute("DESCRIBE FROM test_all_types()").fetchall()]
    path = sql_literal(tmp_path / f"all.{format_name}")
    written = []
    for name in names:
        try:
            connection.execute(f'COPY (SELECT "{name}" FROM test_all_types()) TO {path} (FORMAT {format_name})')
            written.append(f'"{name}"')
        except duckdb.Error:
            assert name == "empty_struct", "only this type has no place in a file"
    assert len(written) >= 50
    connection.execute(f"COPY (SELECT {', '.join(written)} FROM test_all_types()) TO {path} (FORMAT {format_name})")
    rows = file_rows(connection, str(tmp_path / f"all.{format_name}"))
    assert problems_of_file(connection, f"read_{format_name}({path})", rows) == []
