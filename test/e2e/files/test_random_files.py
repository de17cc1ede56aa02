"""Random nested files, made by pyarrow from a seed: rows are right, alone and among others."""

import datetime
import decimal
import random

import numpy
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_rows import file_rows, sql_literal
from leaf_truth import plain_session, problems_of_file

types = pa.types
FLAT_TYPES = (
    pa.bool_(), pa.int8(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(),
    pa.string(), pa.binary(), pa.binary(3), pa.date32(), pa.time32("ms"), pa.time64("us"), pa.time64("ns"),
    pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us", "UTC"), pa.timestamp("ns"), pa.decimal128(5, 2),
    pa.timestamp("ms", "America/New_York"), pa.decimal128(18, 0), pa.decimal128(38, 9), pa.null(), pa.large_string(),
    pa.dictionary(pa.int32(), pa.string()),
)  # fmt: skip
TEXTS = ("", "a", "é", "日本" * 90, chr(0x10FFFF) * 70, "a\0b", "z" * 300, "zz", "é" * 200, "'\"")


class RandomTable:
    """Types and values from one source of randomness."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def column_type(self, depth):
        dice = self.random.random()
        if depth == 0 or dice < 0.5:
            return self.random.choice(FLAT_TYPES)
        if dice < 0.7:
            return pa.list_(pa.field("element", self.column_type(depth - 1)))
        if dice < 0.9:
            return pa.struct([(f"f{n}", self.column_type(depth - 1)) for n in range(self.random.randint(1, 3))])
        return pa.map_(self.random.choice([pa.string(), pa.int32(), pa.date32()]), self.column_type(depth - 1))

    def value(self, column_type, null_share):
        if types.is_null(column_type) or self.random.random() < null_share:
            return None
        if types.is_list(column_type):
            return [self.value(column_type.value_type, null_share) for _ in range(self.random.choice([0, 0, 1, 2, 5]))]
        if types.is_map(column_type):
            keys = {self.value(column_type.key_type, 0) for _ in range(self.random.randint(0, 3))}
            return [(key, self.value(column_type.item_type, null_share)) for key in keys]
        if types.is_struct(column_type):
            return {field.name: self.value(field.type, null_share) for field in column_type}
        return self.flat_value(column_type)

    def flat_value(self, column_type):
        choose, between = self.random.choice, self.random.randint
        if types.is_boolean(column_type):
            return choose([True, False])
        if types.is_integer(column_type):
            span = 2**column_type.bit_width
            low = 0 if types.is_unsigned_integer(column_type) else -span // 2
            high = low + span - 1
            return choose([low, high, 0, between(low, high)])
        if types.is_floating(column_type):
            value = choose([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, self.random.uniform(-10, 10)])
            return numpy.float16(value) if types.is_float16(column_type) else value * choose([1, 1e-30, 1e30])
        if types.is_fixed_size_binary(column_type) or types.is_binary(column_type):
            length = column_type.byte_width if types.is_fixed_size_binary(column_type) else choose([0, 1, 5, 300])
            return self.random.randbytes(length)
        if types.is_decimal(column_type):
            limit = 10**column_type.precision - 1
            return decimal.Decimal(between(-limit, limit)).scaleb(-column_type.scale, decimal.Context(prec=50))
        if types.is_date(column_type):
            return datetime.date.fromordinal(between(1, 3652059))
        if types.is_time(column_type):
            return datetime.time(between(0, 23), between(0, 59), between(0, 59))
        if types.is_timestamp(column_type):
            return datetime.datetime(between(1700, 2200), between(1, 12), 1, between(0, 23), 0, between(0, 59))
        return choose(TEXTS)

    def write(self, path, schema):
        row_count = self.random.choice([0, 1, 7, 60, 300])
        null_share = self.random.choice([0, 0.1, 0.5, 1])
        columns = [
            pa.array([self.value(field.type, null_share) for _ in range(row_count)], field.type) for field in schema
        ]
        pq.write_table(
            pa.Table.from_arrays(columns, schema=schema),
            path,
            row_group_size=self.random.choice([3, 50, 1000]),
            use_dictionary=self.random.choice([True, False]),
            compression=self.random.choice(["snappy", "zstd", "none"]),
            data_page_version=self.random.choice(["1.0", "2.0"]),
        )
        return str(path)


@pytest.mark.parametrize("seed", range(12))
def test_random_files(connection, tmp_path, seed):
    """Four files, two schemas: each against the truth, its sizes against its footer, and all in one call."""
    plain_session(connection)
    table = RandomTable(seed)
    schemas = [
        pa.schema([(f"c{n}", table.column_type(3)) for n in range(table.random.randint(1, 4))]) for _ in range(2)
    ]
    files = [table.write(tmp_path / f"{number}.parquet", schemas[number % 2]) for number in range(4)]
    alone = []
    for number, file in enumerate(files):
        rows = file_rows(connection, file, first_data_file_id=number)
        assert problems_of_file(connection, f"read_parquet({sql_literal(file)})", rows) == []
        footer = pq.read_metadata(file)
        groups = [footer.row_group(group) for group in range(footer.num_row_groups)]
        chunks = [group.column(chunk) for group in groups for chunk in range(footer.num_columns)]
        assert sum(row["column_size_bytes"] for row in rows) == sum(chunk.total_compressed_size for chunk in chunks)
        alone += rows
    assert file_rows(connection, files) == alone
