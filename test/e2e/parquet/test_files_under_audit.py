"""parquet_stats_audit: which row groups and files a finding names, and files that cannot be read."""

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from footer_audit import LONG, audit, seen, uneven_file, write
from parquet_footer import Footer, edit


def test_only_the_row_groups_that_are_wrong(connection, tmp_path):
    """Row numbers are those of the file; rows are in the order of file, row group, column."""
    paths = []
    for name in ("b", "a"):
        path = tmp_path / f"{name}.parquet"
        table = pa.table({"i": range(10), "s": [f"v{k}" for k in range(10)]})
        pq.write_table(table, path, row_group_size=4)
        paths.append(path)
    footer = Footer(paths[1])
    footer.set(2, 0, max_value=LONG(8))
    footer.set(1, 1, min_value=b"v5")
    footer.set(1, 0, min_value=LONG(7))
    footer.write(paths[1])
    found = audit(connection, paths)
    names = ("file_name", "row_group_id", "column_name", "statistic", "first_offending_value", "first_offending_row")
    assert seen(found, *names) == [
        (str(paths[1]), 1, "i", "min", "4", 4),
        (str(paths[1]), 1, "s", "min", "v4", 4),
        (str(paths[1]), 2, "i", "max", "9", 9),
    ]
    assert audit(connection, paths, columns=["s"]) == [found[1]]
    assert audit(connection, str(tmp_path / "*.parquet")) == found
    with pytest.raises(duckdb.Error, match="column 'z' is in none of the files"):
        audit(connection, paths, columns=["z"])


def test_row_groups_of_any_size(connection, tmp_path):
    sizes = [(3, 1, 4), (5,), (2, 0, 2, 6, 1), (4, 4, 4), (4, 4, 1), (1, 2, 3, 4, 5, 6), (7, 9)]
    files = [uneven_file(tmp_path / f"{number}.parquet", size) for number, size in enumerate(sizes)]
    assert audit(connection, files) == []
    expected = []
    for path, groups in zip(files, sizes, strict=True):
        last = len(groups) - 1
        edit(path, last, 0, max_value=LONG(sum(groups) - 2))
        expected.append((str(path), last, str(sum(groups) - 1), sum(groups) - 1))
    names = ("file_name", "row_group_id", "first_offending_value", "first_offending_row")
    assert sorted(seen(audit(connection, files), *names)) == expected


@pytest.mark.parametrize("sizes", [[3] * 5000, [2 + number % 3 for number in range(5000)]], ids=["even", "uneven"])
def test_many_row_groups(connection, tmp_path, sizes):
    path = uneven_file(tmp_path / "a.parquet", sizes)
    edit(path, 4321, 0, min_value=LONG(10**9))
    first = sum(sizes[:4321])
    assert seen(audit(connection, path), "row_group_id", "true_value", "first_offending_row") == [
        (4321, str(first), first)
    ]


def test_nothing_to_audit(connection, tmp_path):
    empty = write(tmp_path / "rows.parquet", pa.array([], pa.int32()))
    no_groups = uneven_file(tmp_path / "groups.parquet", [])
    assert audit(connection, [empty, no_groups]) == []
    assert audit(connection, empty, columns=["x"]) == []


def test_files_that_cannot_be_read(connection, tmp_path):
    whole = write(tmp_path / "whole.parquet", pa.array(range(1000)), compression="snappy")
    content = bytearray(whole.read_bytes())
    (tmp_path / "cut.parquet").write_bytes(content[:-30])
    content[100:400] = bytes(300)
    (tmp_path / "blotted.parquet").write_bytes(content)
    (tmp_path / "text.parquet").write_text("no Parquet")
    for name in ("cut", "blotted", "text", "absent"):
        with pytest.raises(duckdb.Error, match=rf"parquet_stats_audit: .*{name}\.parquet"):
            audit(connection, [whole, tmp_path / f"{name}.parquet"])
    with pytest.raises(duckdb.Error, match="files must not be NULL"):
        connection.execute("FROM parquet_stats_audit(NULL)").fetchall()
