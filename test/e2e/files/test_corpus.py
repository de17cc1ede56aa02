"""Real public files of `../shared/corpus`: right rows for every readable one, an error for every other, no crash."""

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from file_rows import bounds, column_rows, counts, file_rows, sql_literal, with_room_before_footer
from leaf_truth import plain_session, problems_of_file

REPOSITORY = Path(__file__).resolve().parents[3]
CORPUS = Path(os.environ.get("COLSTATS_SHARED", REPOSITORY.parent / "shared")) / "corpus"
READERS = {".parquet": "read_parquet", ".csv": "read_csv", ".json": "read_json"}
SCRIPT = Path(__file__).parents[1] / "support" / "read_damaged_files.py"
# Two texts of a gigabyte: its truth takes minutes, so it has a test of its own.
HUGE = "large_string_map.brotli.parquet"


def corpus_files():
    files = sorted(path for path in CORPUS.rglob("*") if path.suffix in READERS and path.name != HUGE)
    return [path for path in files if path.parent.name != "bad_data"]


def bad_files():
    return sorted(CORPUS.rglob("bad_data/*.parquet"))


def pytest_generate_tests(metafunc):
    absent = pytest.param(None, marks=pytest.mark.skip(reason="there is no ../shared/corpus beside this repository"))
    for name, files in (("corpus_file", corpus_files()), ("bad_file", bad_files())):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, files or [absent], ids=[path.name for path in files] or ["absent"])


@pytest.fixture(scope="module")
def readable():
    """Names of the files that DuckDB was seen to read in full."""
    return set()


@pytest.fixture
def plain_connection(connection):
    plain_session(connection)
    return connection


def reading_error(connection, source):
    """What DuckDB says when it reads every value, or None."""
    try:
        connection.execute(f"SELECT bit_xor(hash(COLUMNS(*))) FROM {source}").fetchall()
    except duckdb.Error as error:
        return str(error)
    return None


def test_rows_of_a_corpus_file(plain_connection, corpus_file, readable):
    """Readable: counts are those of the leaf, bounds contain its extremes. Not readable: an error here too."""
    source = f"{READERS[corpus_file.suffix]}({sql_literal(corpus_file)})"
    if reading_error(plain_connection, source) is not None:
        with pytest.raises(duckdb.Error, match="file_column_stats: ") as caught:
            file_rows(plain_connection, str(corpus_file))
        assert "INTERNAL" not in str(caught.value)
        assert plain_connection.execute("SELECT 42").fetchone() == (42,)
        return
    readable.add(corpus_file.name)
    rows = file_rows(plain_connection, str(corpus_file))
    assert problems_of_file(plain_connection, source, rows) == []


def test_large_files_have_the_rows_of_small_ones(plain_connection, corpus_file, readable, tmp_path):
    """The footers of small files are read by colstats, those of large ones by DuckDB's functions."""
    if corpus_file.suffix != ".parquet" or corpus_file.name not in readable:
        pytest.skip("not a readable Parquet file")
    large = with_room_before_footer(corpus_file, tmp_path / corpus_file.name)
    small_rows, large_rows = (file_rows(plain_connection, str(path)) for path in (corpus_file, large))
    assert [row | {"file_name": str(corpus_file)} for row in large_rows] == small_rows


def test_all_files_in_one_call(plain_connection, shared_directory, readable, tmp_path):
    """Each file, small or large, has the rows that it has alone."""
    files = [path for path in corpus_files() if path.suffix == ".parquet" and path.name in readable]
    files[::3] = [with_room_before_footer(path, tmp_path / path.name) for path in files[::3]]
    alone = [row | {"data_file_id": number} for number, path in enumerate(files)
             for row in file_rows(plain_connection, str(path))]  # fmt: skip
    assert file_rows(plain_connection, [str(path) for path in files]) == alone


def test_most_files_are_readable(shared_directory, readable):
    """Runs after the above, which otherwise could pass without any row: 1.3.2 reads the fewest."""
    assert len(corpus_files()) >= 65
    assert len(readable) >= len(corpus_files()) - 8


# Two gigabytes of text take long to unpack: the default host is enough.
@pytest.mark.host_only("2.0.1")
def test_texts_of_a_gigabyte(connection, shared_directory):
    rows = column_rows(connection, str(shared_directory / "corpus" / "parquet-testing" / HUGE))
    assert counts(rows["arr.key"]) == counts(rows["arr.value"]) == (2, 0)
    assert bounds(rows["arr.key"]) == ("a" * 256, "a" * 255 + "b")
    assert bounds(rows["arr.value"]) == ("1", "1")


def box_of(row):
    box = json.loads(row["extra_stats"])["bbox"]
    return [box[name] for name in ("xmin", "ymin", "xmax", "ymax")]


@pytest.mark.host_minimum("1.5.0")
def test_box_of_the_geoparquet_example(connection, shared_directory):
    """The file's writer recorded the box, too."""
    path = shared_directory / "corpus" / "geoparquet" / "example.parquet"
    recorded = json.loads(pq.read_metadata(path).metadata[b"geo"])["columns"]["geometry"]["bbox"]
    row = column_rows(connection, str(path))["geometry"]
    assert box_of(row) == recorded
    assert json.loads(row["extra_stats"])["types"] == ["multipolygon", "polygon"]


def test_boxes_are_those_of_spatial(connection, load_packaged, shared_directory):
    """DuckDB's spatial extension computes the same boxes and types, and may be loaded beside colstats."""
    load_packaged(connection, "spatial")
    files = sorted((shared_directory / "corpus" / "geoparquet").glob("*.parquet"))
    assert len(files) == 7
    for path in files:
        row = column_rows(connection, str(path))["geometry"]
        *box, types = connection.execute(f"""
            SELECT min(ST_XMin(geometry)), min(ST_YMin(geometry)), max(ST_XMax(geometry)), max(ST_YMax(geometry)),
                   list_sort(list(DISTINCT lower(ST_GeometryType(geometry)::VARCHAR)))
            FROM {sql_literal(path)} WHERE geometry IS NOT NULL""").fetchone()
        assert (box_of(row), json.loads(row["extra_stats"])["types"]) == (box, types), path.name


def outcomes(extension_path, files, timeout=120):
    """What became of damaged files, read in another process; a crash fails with the name of the file."""
    command = [sys.executable, str(SCRIPT), str(extension_path), *map(str, files)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    results = [json.loads(line) for line in finished.stdout.splitlines()]
    if finished.returncode != 0 or len(results) != len(files):
        culprit = files[len(results)] if len(results) < len(files) else "the end of the process"
        pytest.fail(f"exit code {finished.returncode} at {culprit}: {finished.stderr[-2000:]}")
    return results


def assert_error_or_right(result):
    detail = str(result["detail"])
    assert result["outcome"] in ("error", "right"), detail
    assert "INTERNAL" not in detail, detail
    assert "FATAL" not in detail, detail
    assert result["next_query"] == 42


def test_bad_file(extension_path, bad_file):
    (result,) = outcomes(extension_path, [bad_file])
    assert_error_or_right(result)
    if result["outcome"] == "error":
        assert "file_column_stats: " in result["detail"]
        assert bad_file.name in result["detail"], "the message does not name the file"


def damaged_copies(original, folder):
    """Truncated, empty, blotted and scrambled copies of a file."""
    whole = original.read_bytes()
    size = len(whole)
    copies = {f"first_{share}_tenths": whole[: size * share // 10] for share in range(0, 10, 3)}
    copies |= {f"last_{share}_tenths": whole[-(size * share // 10) :] for share in (3, 6, 9)}
    copies["without_last_byte"] = whole[:-1]
    copies["footer_length_too_large"] = whole[:-8] + (2**31 - 1).to_bytes(4, "little") + whole[-4:]
    copies["footer_length_zero"] = whole[:-8] + bytes(4) + whole[-4:]
    copies["middle_is_zero"] = whole[: size // 3] + bytes(size // 3) + whole[2 * (size // 3) :]
    for step in (7, 31, 101):
        scrambled = bytearray(whole)
        scrambled[4 : size - 8 : step] = bytes(byte ^ 0x5A for byte in scrambled[4 : size - 8 : step])
        copies[f"every_{step}th_byte"] = bytes(scrambled)
    copies["garbage"] = bytes(range(256)) * 16
    paths = []
    for name, content in copies.items():
        paths.append(folder / f"{original.stem}_{name}.parquet")
        paths[-1].write_bytes(content)
    return paths


@pytest.mark.parametrize("name", ["alltypes_plain", "nested_lists.snappy", "delta_byte_array", "datapage_v2.snappy"])
def test_damaged_copies(extension_path, shared_directory, tmp_path, name):
    original = shared_directory / "corpus" / "parquet-testing" / f"{name}.parquet"
    copies = damaged_copies(original, tmp_path)
    results = outcomes(extension_path, copies)
    for result in results:
        assert_error_or_right(result)
    assert sum(result["outcome"] == "error" for result in results) >= 8
