"""Damaged and forged states end in an error, and the session goes on: no crash, no huge allocation, no bound that does not
bound. What could end the process runs in a process of its own. The parser alone is in `colstats-core/src/state/forgery_tests.rs`."""

import json
import re
import struct
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

import duckdb
import pytest
from packaged_extension import load_statement

GOLDEN = Path(__file__).parent / "golden_states"
DOCUMENTATION = Path(__file__).resolve().parents[3] / "docs" / "state-format.md"
NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="measures memory as Linux shows it")
READ = "SELECT column_stats_read(column_stats_merge(s)) FROM (SELECT ?::BLOB AS s)"


def sealed(body):
    """A state with this body: the checksum is right."""
    return b"CSTS\x01" + struct.pack("<I", zlib.crc32(body)) + body


def assert_refused(connection, state, message):
    for query in ("SELECT column_stats_read(?::BLOB)", READ):
        with pytest.raises(duckdb.InvalidInputException, match=message):
            connection.execute(query, [state])
    assert connection.execute("SELECT 42").fetchone() == (42,)


def in_a_process(extension_path, program, *arguments):
    """Runs a program with `connection`; returns what it prints. A crash or a hang is a failure."""
    setup = f"""
        import sys
        import duckdb

        def most_kilobytes():
            # Of this process alone; what getrusage says begins with that of the parent.
            with open("/proc/self/status") as lines:
                return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

        connection = duckdb.connect(config={{"allow_unsigned_extensions": "true"}})
        connection.execute({load_statement(extension_path)!r})
    """
    text = textwrap.dedent(setup) + textwrap.dedent(program)
    command = [sys.executable, "-c", text, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_documented_example(connection):
    hexadecimal = re.search(r"```hex\n(.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), re.DOTALL).group(1)
    state = bytes.fromhex("".join(line.split("|")[0] for line in hexadecimal.splitlines()))
    assert state == sealed(state[9:])
    query = "SELECT column_stats_state(x::BIGINT) FROM (VALUES (42), (NULL), (-1)) AS t(x)"
    assert connection.execute(query).fetchone() == (state,)


GOOD = bytes.fromhex("4353545301d094523001060201ffffffffffffffff2a00000000000000010f484c4ce0020282ec80c501ff8ac667")


@pytest.mark.parametrize(
    "state, message",
    [
        (b"", "not a state"),
        (b"garbage", "not a state"),
        (b"HLL\xe0\x02\x02", "not a state"),
        (bytes(100_000), "not a state"),
        (GOOD[:3], "not a state"),
        (GOOD[:9], "damaged: its checksum"),
        (GOOD[:-1], "damaged: its checksum"),
        (GOOD + b"\x00", "damaged: its checksum"),
        (GOOD[:4] + b"\x02" + GOOD[5:], "format version 2; this colstats reads version 1"),
        (GOOD[:4] + b"\x00" + GOOD[5:], "format version 0"),
        (sealed(b""), "ends too early"),
        (sealed(b"\x02"), "damaged"),
        (sealed(b"\x01\xc8"), "unknown type"),
        (sealed(GOOD[9:] + b"\x00"), "left over"),
        (sealed(b"\x01" + b"\x44" * 10_000), "100 levels deep"),
        (sealed(b"\x01\x41" + b"\xff" * 9 + b"\x01"), "ends too early"),
        (sealed(b"\x01\x06\x01\x00" + struct.pack("<qq", 2, 1) + b"\x00"), "no column of type BIGINT has such statistics"),
    ],
)
def test_what_is_no_state_is_refused(connection, state, message):
    assert_refused(connection, state, message)


def test_every_flipped_bit_and_every_truncation_is_refused(connection):
    wrong = [GOOD[:size] for size in range(len(GOOD))]
    for bit in range(8 * len(GOOD)):
        flipped = bytearray(GOOD)
        flipped[bit // 8] ^= 1 << bit % 8
        wrong.append(bytes(flipped))
    for state in wrong:
        with pytest.raises(duckdb.InvalidInputException):
            connection.execute("SELECT column_stats_read(?::BLOB)", [state])
    assert connection.execute("SELECT column_stats_read(?::BLOB)[1].value_count", [GOOD]).fetchone() == (2,)


def test_a_bad_state_among_good_ones(connection):
    """The error comes from the middle of a parallel aggregation; what was allocated is given back, the session goes on."""
    connection.execute("CREATE TABLE s AS SELECT i, column_stats_state(i::VARCHAR) AS s FROM range(20000) r(i) GROUP BY i")
    connection.execute("UPDATE s SET s = s[1:20] WHERE i = 15000")
    for query in ("SELECT column_stats_merge(s) FROM s", "SELECT i % 1000, column_stats_merge(s) FROM s GROUP BY 1"):
        with pytest.raises(duckdb.InvalidInputException, match="damaged"):
            connection.execute(query).fetchall()
    merged = "SELECT column_stats_read(column_stats_merge(s))[1].value_count FROM s WHERE i <> 15000"
    assert connection.execute(merged).fetchone() == (19999,)


MUTATE = """
    import json, random, struct, zlib
    from pathlib import Path
    folder, seed = Path(sys.argv[1]), int(sys.argv[2])
    bodies = [path.read_bytes()[9:] for path in sorted(folder.glob("*.state")) if path.stat().st_size < 400]
    rng = random.Random(seed)
    read = refused = 0
    for _ in range(2000):
        body = bytearray(rng.choice(bodies))
        for _ in range(rng.randint(1, 3)):
            start, end = sorted(rng.choices(range(len(body) + 1), k=2))
            match rng.randrange(4):
                case 0: body[start:start + 1] = bytes([rng.choice([0, 1, 2, 127, 128, 255, rng.randrange(256)])])
                case 1: del body[start:start + rng.randint(1, 9)]
                case 2: body[start:start] = rng.randbytes(rng.randint(1, 9))
                case 3: other = rng.choice(bodies); body[start:] = other[min(start, len(other)):]
        state = b"CSTS\\x01" + struct.pack("<I", zlib.crc32(body)) + bytes(body)
        try:
            leaves = connection.execute(
                "SELECT column_stats_read(column_stats_merge(s)) FROM (SELECT unnest([?, ?]::BLOB[]) AS s)", [state, state]
            ).fetchone()[0]
            read += 1
        except duckdb.InvalidInputException:
            refused += 1
            continue
        for leaf in leaves:
            low, high = leaf["min_value"], leaf["max_value"]
            assert leaf["value_count"] >= 0 <= leaf["null_count"], leaf
            if low is not None and high is not None and leaf["type"] in ("BIGINT", "INTEGER", "UINTEGER", "HUGEINT"):
                assert int(low) <= int(high), leaf
            assert "nan" not in (low, high) or leaf["type"] in ("VARCHAR", "JSON"), leaf
    assert connection.execute("SELECT 42").fetchone() == (42,)
    print(json.dumps([read, refused, most_kilobytes()]))
"""


@NEEDS_PROC
@pytest.mark.parametrize("seed", range(2))
def test_forgeries_of_golden_states(extension_path, seed):
    read, refused, most_kilobytes = json.loads(in_a_process(extension_path, MUTATE, GOLDEN, seed))
    assert read > 50, "mutations that are still states reach what lies behind the parser"
    assert refused > 500
    assert most_kilobytes < 500_000


# TIME, TIME_NS and the timestamps.
TAGS_OF_TIMES = (22, 23, 25, 26, 27, 28, 29, 30)

READ_ARGUMENTS = """
    for state in map(bytes.fromhex, sys.argv[1:]):
        leaf = connection.execute("SELECT column_stats_read(?::BLOB)", [state]).fetchone()[0][0]
        print(leaf["value_count"], leaf["min_value"])
"""


def test_numbers_that_no_text_writes(extension_path):
    """Casting them to text throws inside DuckDB; across the C API that would end the process."""
    ends = [struct.pack("<qq", low, 2**63 - 2) for low in (-(2**63), -(2**63) + 2, 2**62)]
    states = [sealed(bytes([1, tag, 1, 0]) + pair + b"\x00") for tag in TAGS_OF_TIMES for pair in ends]
    narrow = bytes([1, 64, 5, 5, 1, 0]) + struct.pack("<qq", -(2**31), 2**31 - 1) + b"\x00"
    wide = bytes([1, 64, 38, 38, 1, 0]) + bytes(15) + b"\x80" + b"\xff" * 15 + b"\x7f\x00"
    bits = [
        sealed(bytes([1, tag, 1, 0]) + b"\xff\xff\xff\xff\x0f\x01" + 2 * (b"\x00" + bytes([len(value)]) + value) + b"\x00")
        for tag in (13, 19)
        for value in (b"", b"\xff", b"\x08\x00", b"\xc8\x01", b"\x80\x00\x01", b"\x7f\xff\xfe")
    ]
    states += [sealed(narrow), sealed(wide), *bits]
    lines = in_a_process(extension_path, READ_ARGUMENTS, *(state.hex() for state in states)).splitlines()
    assert len(lines) == len(states)
    assert all(line.startswith("1 ") for line in lines)


ARROW_COLUMNS = """
    import pyarrow
    lowest, highest = -2**63, 2**63 - 2
    columns = {
        "s": pyarrow.array([0, lowest], pyarrow.timestamp("s")),
        "ms": pyarrow.array([0, highest], pyarrow.timestamp("ms")),
        "us": pyarrow.array([0, lowest + 1000], pyarrow.timestamp("us")),
        "ns": pyarrow.array([0, lowest + 1], pyarrow.timestamp("ns")),
        "utc": pyarrow.array([0, lowest + 1], pyarrow.timestamp("us", "UTC")),
        "t": pyarrow.array([0, -7], pyarrow.int64()).view(pyarrow.time64("us")),
        "d": pyarrow.array([0, -2**31], pyarrow.int32()).view(pyarrow.date32()),
    }
    arrow = pyarrow.table(columns)
    for name in columns:
        leaf = connection.execute(f"SELECT column_stats({name}) FROM arrow").fetchone()[0][0]
        kept = connection.execute(f"SELECT column_stats_read(column_stats_state({name})) FROM arrow").fetchone()[0][0]
        assert kept == leaf, (kept, leaf)
        print(name, leaf["value_count"])
"""


def test_arrow_values_that_no_text_writes(extension_path):
    """pandas' smallest timestamp is one of them."""
    lines = in_a_process(extension_path, ARROW_COLUMNS).splitlines()
    assert lines == [f"{name} 2" for name in ("s", "ms", "us", "ns", "utc", "t", "d")]


BOMBS = """
    before = most_kilobytes()
    for path in sys.argv[1:]:
        state = open(path, "rb").read()
        try:
            connection.execute("SELECT length(column_stats_read(?::BLOB))", [state])
            raise SystemExit("it was read")
        except duckdb.InvalidInputException as error:
            print(str(error)[:120])
    assert most_kilobytes() - before < 100_000, "more than 100 MB"
"""


@NEEDS_PROC
def test_small_states_take_little_memory(extension_path, tmp_path):
    """A long name above many fields; counts of things that are not there; registers that are not there."""

    def size(value):
        return bytes([value & 0x7F | 0x80, value >> 7 & 0x7F | 0x80, value >> 14])

    fields = 2000
    name = b"\x01" + size(100_000) + b"a" * 100_000
    paths = b"\x01\x43" + name + b"\x43" + size(fields) + b"\x00\x01" * fields + b"\x00\x00\x00" * fields
    claimed = b"\xff\xff\xff\xff\x3f"
    enumeration = b"\x01\x41" + claimed + b"\x00" * 1000
    fields_claimed = b"\x01\x43" + claimed + b"\x00\x01" * 500
    sketch = GOOD[9:27] + b"\x06" + b"HLL\xe7" + b"\x00" * 2
    entries = GOOD[9:27] + b"\x0a" + b"HLL\xe0\x00" + claimed
    files = []
    for index, body in enumerate((paths, enumeration, fields_claimed, sketch, entries)):
        files.append(tmp_path / f"{index}.state")
        files[-1].write_bytes(sealed(body))
    lines = in_a_process(extension_path, BOMBS, *files).splitlines()
    assert len(lines) == len(files)
    assert "long names" in lines[0]
