#!/usr/bin/env python3
"""Write the benchmark's Parquet files, with plain SQL only: the tpch extension is not part of Python's packages.

The main table has the columns, types and rough value distributions of TPC-H lineitem. Values come from hash(), so
every run and every machine has the same ones. A folder that is complete carries a marker and is not written again.
"""

import argparse
import shutil
from dataclasses import dataclass
from pathlib import Path

import duckdb

COMPLETE = "complete"
SPLIT_COUNT = 50
SMALL_FILE_ROWS = 1_000
SMALL_FILE_COLUMNS = 20
WORDS = (
    "final", "express", "regular", "ironic", "pending", "bold", "quickly", "slyly", "carefully", "furiously",
    "deposits", "accounts", "requests", "packages", "theodolites", "foxes", "instructions", "platelets", "above",
    "the", "among", "after", "sleep", "haggle",
)


@dataclass(frozen=True)
class Dataset:
    """Where the files lie: one big file, the same rows over many files, and very many small files."""

    directory: Path
    row_count: int
    small_file_count: int

    @property
    def single(self):
        return self.directory / "single" / "lineitem.parquet"

    @property
    def split(self):
        return self.directory / "split"

    @property
    def small(self):
        return self.directory / "small"


def pick(names, seed):
    """SQL for one of a few strings, chosen by hash."""
    listing = ", ".join(f"'{name}'" for name in names)
    return f"[{listing}][(hash(i, {seed}) % {len(names)})::BIGINT + 1]"


def lineitem_query(first_row, end_row):
    """Rows first_row to end_row (exclusive) of the main table."""
    word = [pick(WORDS, seed) for seed in range(20, 25)]
    return f"""
        SELECT
            i // 4 AS l_orderkey,
            (hash(i, 1) % 400000)::INTEGER AS l_partkey,
            (hash(i, 2) % 20000)::INTEGER AS l_suppkey,
            (i % 7 + 1)::INTEGER AS l_linenumber,
            (hash(i, 3) % 50 + 1)::DECIMAL(15, 2) AS l_quantity,
            ((hash(i, 4) % 10404950 + 90100)::DECIMAL(15, 2) / 100)::DECIMAL(15, 2) AS l_extendedprice,
            ((hash(i, 5) % 11)::DECIMAL(15, 2) / 100)::DECIMAL(15, 2) AS l_discount,
            ((hash(i, 6) % 9)::DECIMAL(15, 2) / 100)::DECIMAL(15, 2) AS l_tax,
            {pick("RAN", 7)} AS l_returnflag,
            {pick("OF", 8)} AS l_linestatus,
            DATE '1992-01-02' + (hash(i, 9) % 2526)::INTEGER AS l_shipdate,
            DATE '1992-01-31' + (hash(i, 10) % 2466)::INTEGER AS l_commitdate,
            DATE '1992-01-04' + (hash(i, 11) % 2554)::INTEGER AS l_receiptdate,
            {pick(("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"), 12)} AS l_shipinstruct,
            {pick(("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"), 13)} AS l_shipmode,
            concat_ws(' ', {word[0]}, {word[1]}, {word[2]}, {word[3]}, {word[4]}, hash(i, 25) % 100000) AS l_comment
        FROM range({first_row}, {end_row}) numbers(i)
    """


def small_file_query(number):
    """One small file: 20 columns of the usual types."""
    makers = (
        "(hash(i, {n}) % 1000000)::BIGINT",
        "(hash(i, {n}) % 1000)::INTEGER",
        "(hash(i, {n}) % 100000 / 7)::DOUBLE",
        "'value ' || (hash(i, {n}) % 5000)",
        "DATE '2020-01-01' + (hash(i, {n}) % 2000)::INTEGER",
    )
    columns = ", ".join(
        f"{makers[n % len(makers)].format(n=n)} AS column_{n}" for n in range(SMALL_FILE_COLUMNS)
    )
    first_row = number * SMALL_FILE_ROWS
    return f"SELECT {columns} FROM range({first_row}, {first_row + SMALL_FILE_ROWS}) numbers(i)"


def copy(connection, query, path):
    """Write one file; its name is ours, so it needs no quoting beyond this."""
    quoted = str(path).replace("'", "''")
    connection.execute(f"COPY ({query}) TO '{quoted}' (FORMAT parquet, COMPRESSION snappy)").fetchall()


def write_folder(folder, write):
    """Fill a folder unless it is complete; a half-written one starts anew."""
    if (folder / COMPLETE).exists():
        return
    print(f"writing {folder}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write()
    (folder / COMPLETE).touch()


def write_dataset(dataset):
    with duckdb.connect() as connection:

        def write_split():
            step = dataset.row_count // SPLIT_COUNT
            for number in range(SPLIT_COUNT):
                end = dataset.row_count if number == SPLIT_COUNT - 1 else (number + 1) * step
                copy(connection, lineitem_query(number * step, end), dataset.split / f"part-{number:03}.parquet")

        def write_small():
            for number in range(dataset.small_file_count):
                copy(connection, small_file_query(number), dataset.small / f"file-{number:05}.parquet")

        write_folder(dataset.single.parent,
                     lambda: copy(connection, lineitem_query(0, dataset.row_count), dataset.single))
        write_folder(dataset.split, write_split)
        write_folder(dataset.small, write_small)


def dataset_from_options(options):
    return Dataset(options.directory, options.rows, options.small_files)


def add_dataset_options(parser):
    parser.add_argument("--directory", required=True, type=Path)
    parser.add_argument("--rows", required=True, type=int)
    parser.add_argument("--small-files", required=True, type=int)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_dataset_options(parser)
    write_dataset(dataset_from_options(parser.parse_args()))


if __name__ == "__main__":
    main()
