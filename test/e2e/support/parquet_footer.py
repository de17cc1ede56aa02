"""Rewrites the footer of a Parquet file and leaves its data as they are: how a file with wrong statistics is made.

Parquet's footer is a Thrift struct in the compact protocol. Here a struct is a dict of field number to
`(type, value)`, a list is `(element type, [values])`. The numbers of fields are those of `parquet.thrift`.
"""

import struct
from pathlib import Path

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)

# Field numbers: FileMetaData, RowGroup, ColumnChunk, ColumnMetaData, Statistics, GeospatialStatistics, BoundingBox.
FILE_SCHEMA, FILE_NUM_ROWS, FILE_ROW_GROUPS, FILE_CREATED_BY, FILE_COLUMN_ORDERS = 2, 3, 4, 6, 7
ROW_GROUP_COLUMNS, ROW_GROUP_NUM_ROWS = 1, 3
CHUNK_META_DATA = 3
META_NUM_VALUES, META_STATISTICS, META_GEOSPATIAL = 5, 12, 17
STATISTICS = {
    "max": (1, BINARY),
    "min": (2, BINARY),
    "null_count": (3, I64),
    "distinct_count": (4, I64),
    "max_value": (5, BINARY),
    "min_value": (6, BINARY),
    "is_max_value_exact": (7, TRUE),
    "is_min_value_exact": (8, TRUE),
    "nan_count": (9, I64),
}
BOX = {name: number for number, name in enumerate(("xmin", "xmax", "ymin", "ymax", "zmin", "zmax", "mmin", "mmax"), 1)}


class Reader:
    def __init__(self, data):
        self.data, self.position = data, 0

    def take(self, count):
        self.position += count
        return self.data[self.position - count : self.position]

    def unsigned(self):
        number = shift = 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def signed(self):
        number = self.unsigned()
        return (number >> 1) ^ -(number & 1)

    def value(self, kind):
        if kind in (TRUE, FALSE):
            return self.take(1)[0] == TRUE
        if kind == BYTE:
            return self.take(1)
        if kind in (I16, I32, I64):
            return self.signed()
        if kind == DOUBLE:
            return struct.unpack("<d", self.take(8))[0]
        if kind == BINARY:
            return bytes(self.take(self.unsigned()))
        if kind in (LIST, SET):
            head = self.take(1)[0]
            count = head >> 4 if head >> 4 < 15 else self.unsigned()
            return (head & 15, [self.value(head & 15) for _ in range(count)])
        if kind == STRUCT:
            return self.fields()
        raise ValueError(f"Parquet footers have no Thrift type {kind}")

    def fields(self):
        fields, number = {}, 0
        while head := self.take(1)[0]:
            number = number + (head >> 4) if head >> 4 else self.signed()
            kind = head & 15
            fields[number] = (TRUE, kind == TRUE) if kind in (TRUE, FALSE) else (kind, self.value(kind))
        return fields


class Writer:
    def __init__(self):
        self.data = bytearray()

    def unsigned(self, number):
        while number >= 0x80:
            self.data.append(number & 0x7F | 0x80)
            number >>= 7
        self.data.append(number)

    def signed(self, number):
        self.unsigned(number * 2 if number >= 0 else -number * 2 - 1)

    def value(self, kind, value):
        if kind == TRUE:
            self.data.append(TRUE if value else FALSE)
        elif kind == BYTE:
            self.data += value
        elif kind in (I16, I32, I64):
            self.signed(value)
        elif kind == DOUBLE:
            self.data += struct.pack("<d", value)
        elif kind == BINARY:
            self.unsigned(len(value))
            self.data += value
        elif kind in (LIST, SET):
            element, values = value
            if len(values) < 15:
                self.data.append(len(values) << 4 | element)
            else:
                self.data.append(0xF0 | element)
                self.unsigned(len(values))
            for item in values:
                self.value(element, item)
        elif kind == STRUCT:
            self.fields(value)
        else:
            raise ValueError(f"Parquet footers have no Thrift type {kind}")

    def fields(self, fields):
        last = 0
        for number, (kind, value) in sorted(fields.items()):
            is_truth = kind == TRUE
            written = (TRUE if value else FALSE) if is_truth else kind
            if 0 < number - last < 16:
                self.data.append((number - last) << 4 | written)
            else:
                self.data.append(written)
                self.signed(number)
            last = number
            if not is_truth:
                self.value(kind, value)
        self.data.append(0)


class Footer:
    """The footer of a file, to be changed in place."""

    def __init__(self, path):
        content = Path(path).read_bytes()
        assert content[-4:] == b"PAR1"
        (length,) = struct.unpack("<I", content[-8:-4])
        self.body = content[: -8 - length]
        self.fields = Reader(content[-8 - length : -8]).fields()

    def write(self, path):
        writer = Writer()
        writer.fields(self.fields)
        footer = bytes(writer.data)
        Path(path).write_bytes(self.body + footer + struct.pack("<I", len(footer)) + b"PAR1")

    def row_group(self, row_group):
        return self.fields[FILE_ROW_GROUPS][1][1][row_group]

    def column(self, row_group, chunk):
        """ColumnMetaData."""
        return self.row_group(row_group)[ROW_GROUP_COLUMNS][1][1][chunk][CHUNK_META_DATA][1]

    def set(self, row_group, chunk, **statistics):
        """Set statistics of a column chunk; None takes one away."""
        fields = self.column(row_group, chunk).setdefault(META_STATISTICS, (STRUCT, {}))[1]
        for name, value in statistics.items():
            number, kind = STATISTICS[name]
            fields.pop(number, None)
            if value is not None:
                fields[number] = (kind, value)

    def set_box(self, row_group, chunk, types=None, **ordinates):
        """Set ordinates of a bounding box, and the WKB codes of the types."""
        fields = self.column(row_group, chunk).setdefault(META_GEOSPATIAL, (STRUCT, {}))[1]
        box = fields.setdefault(1, (STRUCT, {}))[1]
        for name, value in ordinates.items():
            box[BOX[name]] = (DOUBLE, value)
        if types is not None:
            fields[2] = (LIST, (I32, types))


def edit(path, row_group, chunk, **statistics):
    """Change the statistics of one column chunk of a file."""
    footer = Footer(path)
    footer.set(row_group, chunk, **statistics)
    footer.write(path)
