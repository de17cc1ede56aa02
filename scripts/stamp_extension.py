#!/usr/bin/env python3
"""Turn a shared library into a DuckDB extension: append the footer DuckDB reads before it loads one.

The footer is 534 bytes: 22 bytes that make it a custom section of WebAssembly, eight fields of 32 bytes written
last to first, and 256 bytes for a signature, left zero. DuckDB reads the last 512 bytes only, so a field of
the wrong length would shift every other one: lengths are checked here.
"""

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

SECTION_NAME = b"duckdb_signature"
FIELD_LENGTH = 32
FIELD_COUNT = 8
SIGNATURE_LENGTH = 256
BODY_LENGTH = FIELD_COUNT * FIELD_LENGTH + SIGNATURE_LENGTH
# Section id 0, its length and the length of the body in LEB128, around the length-prefixed name.
SECTION_HEAD = b"\x00\x93\x04" + bytes([len(SECTION_NAME)]) + SECTION_NAME + b"\x80\x04"
FOOTER_LENGTH = len(SECTION_HEAD) + BODY_LENGTH
MAGIC = "4"


class StampError(Exception):
    """A library or a field that cannot be stamped; the message says why."""


@dataclass(frozen=True)
class Metadata:
    """What DuckDB checks before it opens the library."""

    platform: str
    extension_version: str
    api_version: str = "v1.2.0"
    abi: str = "C_STRUCT"


def encode_field(name, value):
    """One field: ASCII, at most 32 bytes, padded with NUL."""
    try:
        encoded = value.encode("ascii")
    except UnicodeEncodeError as error:
        raise StampError(f"{name} {value!r} is not plain ASCII") from error
    if not encoded or b"\x00" in encoded:
        raise StampError(f"{name} {value!r} must not be empty or hold a NUL byte")
    if len(encoded) > FIELD_LENGTH:
        raise StampError(f"{name} {value!r} has {len(encoded)} bytes, the footer takes {FIELD_LENGTH}")
    return encoded.ljust(FIELD_LENGTH, b"\x00")


def build_footer(metadata):
    """The 534 bytes: fields 8 to 1; 8 to 6 are unused."""
    unused = b"\x00" * FIELD_LENGTH * 3
    fields = (
        encode_field("ABI", metadata.abi)
        + encode_field("extension version", metadata.extension_version)
        + encode_field("API version", metadata.api_version)
        + encode_field("platform", metadata.platform)
        + encode_field("magic", MAGIC)
    )
    return SECTION_HEAD + unused + fields + b"\x00" * SIGNATURE_LENGTH


def read_metadata(content):
    """The metadata at the end of an extension, or None when it carries no footer."""
    footer = content[-FOOTER_LENGTH:]
    if len(footer) < FOOTER_LENGTH or not footer.startswith(SECTION_HEAD):
        return None
    body = footer[len(SECTION_HEAD):]
    fields = [body[i * FIELD_LENGTH:(i + 1) * FIELD_LENGTH].rstrip(b"\x00").decode("ascii", "replace")
              for i in range(FIELD_COUNT)]
    _, _, _, abi, extension_version, api_version, platform, magic = fields
    if magic != MAGIC:
        return None
    return Metadata(platform, extension_version, api_version, abi)


def stamp(library, output, metadata):
    """Write library plus footer to output.

    Written beside the target and renamed: a process that has the old file mapped keeps the old one.
    """
    content = Path(library).read_bytes()
    if not content:
        raise StampError(f"{library} is empty")
    if read_metadata(content) is not None:
        raise StampError(f"{library} carries a footer already; stamp the library that cargo built")
    output = Path(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f"{output.name}.{os.getpid()}.partial")
    partial.write_bytes(content + build_footer(metadata))
    partial.chmod(0o755)
    os.replace(partial, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True, type=Path, help="the shared library that cargo built")
    parser.add_argument("--output", required=True, type=Path, help="the .duckdb_extension file to write")
    parser.add_argument("--platform", required=True, help="such as linux_amd64")
    parser.add_argument("--extension-version", required=True)
    parser.add_argument("--api-version", default=Metadata.api_version, help="C API version (%(default)s)")
    parser.add_argument("--abi", default=Metadata.abi, help="ABI field (%(default)s)")
    options = parser.parse_args()
    metadata = Metadata(options.platform, options.extension_version, options.api_version, options.abi)
    stamp(options.library, options.output, metadata)


if __name__ == "__main__":
    try:
        main()
    except (StampError, OSError) as error:
        sys.exit(f"error: {error}")
