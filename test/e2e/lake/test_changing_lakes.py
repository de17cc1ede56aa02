"""Random lakes that live on (changing_lakes.py): each repair leaves a lake that answers right, and the next one does too.
The files of every fourth lake are encrypted.

`COLSTATS_LAKES=200` tries 40 seeds instead of 4 (`make test_nightly`); `COLSTATS_LAKE_SEED=7` one.
"""

import os
from contextlib import contextmanager

import duckdb
import pytest
from changing_lakes import ChangingLake
from lake_answers import UNORDERED, wrong_answers
from lakes import encrypted_lake_in, lake_in
from random_lakes import is_nested

ONE_SEED = os.environ.get("COLSTATS_LAKE_SEED")
SEEDS = [int(ONE_SEED)] if ONE_SEED else range(int(os.environ.get("COLSTATS_LAKES", "20")) // 5)
ROUNDS = 2
ORDERS = ("ASC NULLS LAST", "DESC NULLS LAST", "ASC NULLS FIRST")
LIMITS = (1, 20)


def wrong_orders(lake, table, copy):
    """`ORDER BY ... LIMIT` chooses files by their bounds."""
    wrong = []
    for name, column_type in table.columns.items():
        if is_nested(column_type) or column_type in UNORDERED:
            continue
        # 0.0 and -0.0 are equal, so either may come first.
        value = f"({name} + 0)" if column_type in ("FLOAT", "DOUBLE") else name
        for order in ORDERS:
            for limit in LIMITS:
                found, truth = (
                    lake.value(f"SELECT list({value}::VARCHAR) FROM (SELECT {name} FROM {rows} ORDER BY {name} {order} LIMIT {limit})")
                    for rows in (table.name, copy)
                )  # fmt: skip
                if found != truth:
                    wrong.append((table.name, name, order, limit, found, truth))
    return wrong


def answers_without_statistics(lake, queries):
    """What the same catalogue answers without any statistics. What is still wrong then has another cause."""
    stored = [f"{lake.metadata}.ducklake_{kind}_column_stats" for kind in ("file", "table")]
    for number, table in enumerate(stored):
        lake.run([f"CREATE OR REPLACE TEMP TABLE kept_{number} AS FROM {table}", f"DELETE FROM {table}"])
    lake.attach_again()
    answers = [lake.execute(query)[0] for query in queries]
    for number, table in enumerate(stored):
        lake.execute(f"INSERT INTO {table} FROM temp.kept_{number}")
    lake.attach_again()
    return answers


def caused_by_statistics(lake, wrong):
    """Leaves out what is just as wrong, or more so, without statistics: filters on widened columns, on BLOBs."""
    answers = answers_without_statistics(lake, [query for query, _, _ in wrong]) if wrong else []
    return [found for found, without in zip(wrong, answers) if tuple(without) == tuple(found[2])]


@contextmanager
def no_crash_of_ducklake():
    """DuckLake 1.0, attached again, sometimes takes inlined rows of a column that was widened for rows of today's type,
    repaired or not (seed 37 of 40); the database is of no use then."""
    try:
        yield
    except duckdb.InternalException as error:
        if "Vector::Reference used on vector of different type" not in str(error):
            raise
        pytest.xfail("DuckLake cannot read the inlined rows of a widened column")


@pytest.mark.parametrize("seed", SEEDS)
def test_changing_lake(connection, catalogues, tmp_path, seed):
    attach = encrypted_lake_in if seed % 4 == 3 else lake_in
    lake = attach(connection, tmp_path, catalogues("duckdb"))
    changing = ChangingLake(lake, tmp_path, seed).build()
    for number in range(ROUNDS):
        changing.change(changing.random.randint(3, 7))
        if (seed + number) % 3 == 2:
            changing.tamper()
        copies = {table.name: changing.copy(table) for table in changing.tables}
        lake.repair()
        assert lake.findings("wrong", "missing") == set(), "\n".join(changing.log)
        assert lake.repair_statements() == []
        wrong = []
        with no_crash_of_ducklake():
            for table in changing.tables:
                wrong += wrong_orders(lake, table, copies[table.name])
                found = wrong_answers(lake, table.name, copies[table.name], table.columns, table)
                wrong += caused_by_statistics(lake, found)
        assert wrong == [], "\n".join(changing.log)
