"""The build folder holds every file that DuckDB's tooling and the hosts look for."""

import pytest
from package_extension import platform_of_target, write_layout
from stamp_extension import Metadata, StampError, read_metadata


@pytest.mark.parametrize(
    ("target", "platform"),
    [
        ("x86_64-unknown-linux-gnu", "linux_amd64"),
        ("aarch64-unknown-linux-gnu", "linux_arm64"),
        ("x86_64-unknown-linux-musl", "linux_amd64_musl"),
        ("x86_64-apple-darwin", "osx_amd64"),
        ("aarch64-apple-darwin", "osx_arm64"),
        ("x86_64-pc-windows-msvc", "windows_amd64"),
        ("x86_64-pc-windows-gnu", "windows_amd64_mingw"),
    ],
)
def test_platform_names(target, platform):
    assert platform_of_target(target) == platform


def test_unknown_target_names_the_way_out():
    with pytest.raises(StampError, match="DUCKDB_PLATFORM"):
        platform_of_target("riscv64gc-unknown-linux-gnu")


@pytest.mark.parametrize(
    ("platform", "places"),
    [
        (
            "linux_amd64",
            {".": "linux_amd64", "extension/colstats": "linux_amd64", "linux_amd64_gcc4": "linux_amd64_gcc4"},
        ),
        ("osx_arm64", {".": "osx_arm64", "extension/colstats": "osx_arm64"}),
    ],
)
def test_layout(tmp_path, platform, places):
    library = tmp_path / "library"
    library.write_bytes(b"library")
    build = tmp_path / "release"
    written = write_layout(library, build, Metadata(platform, "v0.1.0"))
    assert sorted(written) == sorted(build / place / "colstats.duckdb_extension" for place in places)
    for place, expected in places.items():
        content = (build / place / "colstats.duckdb_extension").read_bytes()
        assert read_metadata(content) == Metadata(expected, "v0.1.0")
