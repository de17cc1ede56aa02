"""The footer has the bytes DuckDB reads, and cannot be written wrongly."""

import duckdb
import pytest
from stamp_extension import FOOTER_LENGTH, Metadata, StampError, build_footer, encode_field, read_metadata, stamp

METADATA = Metadata("linux_amd64", "v0.1.0")


def field(footer, number):
    """Field 1 to 8 as DuckDB counts them: the last one is written first."""
    start = len(footer) - 256 - 32 * number
    return footer[start:start + 32]


def test_footer_bytes():
    footer = build_footer(METADATA)
    assert len(footer) == FOOTER_LENGTH == 534
    assert footer[:22] == b"\x00\x93\x04\x10duckdb_signature\x80\x04"
    assert footer[-256:] == bytes(256)
    assert field(footer, 1) == b"4" + bytes(31)
    assert field(footer, 2) == b"linux_amd64" + bytes(21)
    assert field(footer, 3) == b"v1.2.0" + bytes(26)
    assert field(footer, 4) == b"v0.1.0" + bytes(26)
    assert field(footer, 5) == b"C_STRUCT" + bytes(24)
    assert field(footer, 6) == field(footer, 7) == field(footer, 8) == bytes(32)


@pytest.mark.parametrize("value", ["", "x" * 33, "linux_ämd64", "a\0b"])
def test_fields_that_do_not_fit_are_refused(value):
    with pytest.raises(StampError):
        encode_field("platform", value)


def test_a_field_may_fill_its_space():
    assert encode_field("platform", "x" * 32) == b"x" * 32


def test_stamping_writes_library_and_footer(tmp_path):
    library, output = tmp_path / "libcolstats.so", tmp_path / "a" / "b" / "colstats.duckdb_extension"
    library.write_bytes(b"library")
    stamp(library, output, METADATA)
    assert output.read_bytes() == b"library" + build_footer(METADATA)
    assert read_metadata(output.read_bytes()) == METADATA
    assert [path.name for path in output.parent.iterdir()] == [output.name]


def test_double_stamping_is_refused(tmp_path):
    library, output = tmp_path / "library", tmp_path / "once"
    library.write_bytes(b"library")
    stamp(library, output, METADATA)
    with pytest.raises(StampError, match="carries a footer already"):
        stamp(output, tmp_path / "twice", METADATA)
    assert not (tmp_path / "twice").exists()


def test_empty_library_is_refused(tmp_path):
    (tmp_path / "library").write_bytes(b"")
    with pytest.raises(StampError, match="is empty"):
        stamp(tmp_path / "library", tmp_path / "output", METADATA)


def test_no_footer_reads_as_none():
    assert read_metadata(b"") is None
    assert read_metadata(b"x" * 1000) is None


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (Metadata("plan9_amd64", "v0.1.0"), "plan9_amd64"),
        (Metadata("linux_amd64", "v0.1.0", api_version="v9.0.0"), "v9.0.0"),
    ],
)
def test_duckdb_reads_what_was_written(tmp_path, metadata, message):
    """DuckDB names the field it refuses, which proves that each lies where DuckDB looks for it."""
    platform = duckdb.execute("PRAGMA platform").fetchone()[0]
    if metadata.platform == "linux_amd64":
        metadata = Metadata(platform, metadata.extension_version, metadata.api_version)
    (tmp_path / "library").write_bytes(b"library" * 100)
    output = tmp_path / "colstats.duckdb_extension"
    stamp(tmp_path / "library", output, metadata)
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as connection:
        with pytest.raises(duckdb.Error, match=message):
            connection.execute(f"LOAD '{output}'")
