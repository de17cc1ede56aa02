"""Random lakes (random_lakes.py): after the repair every filter finds what the same rows without statistics give. The
files of every fourth lake are encrypted.

`COLSTATS_LAKES=200` tries that many seeds instead of the usual 20 (`make test_nightly`); `COLSTATS_LAKE_SEED=7` one.
"""


import pytest
from lake_answers import SEEDS, column_ids, wrong_answers
from lake_rules import catalogue_differences
from lakes import encrypted_lake_in, lake_in
from random_lakes import RandomLake


def travelled_columns(lake, moment):
    """The columns of a moment whose statistics a repair may touch: those the table still has. Floats are left out
    where a file is no longer current: its row is not repaired, and W1 or W6 may be in it."""
    current = dict(lake.execute(f"SELECT column_name, column_type FROM (DESCRIBE {moment.table.name})"))
    table_id = f"SELECT table_id FROM ({column_ids(lake, moment.table.name, 'k')})"
    ended = lake.value(f"""SELECT count(*) FROM {lake.metadata}.ducklake_data_file
                           WHERE end_snapshot IS NOT NULL AND table_id = ({table_id})""")
    return {name: column_type for name, column_type in moment.columns.items()
            if current.get(name) == column_type and not (ended and column_type in ("FLOAT", "DOUBLE"))}  # fmt: skip


@pytest.fixture
def random_lake(connection, catalogues, tmp_path):
    def build(seed):
        attach = encrypted_lake_in if seed % 4 == 3 else lake_in
        return RandomLake(attach(connection, tmp_path, catalogues("duckdb")), tmp_path, seed).build()

    return build


@pytest.mark.parametrize("seed", SEEDS)
def test_random_lake(random_lake, seed):
    built = random_lake(seed)
    lake = built.lake
    assert catalogue_differences(lake, built) == []
    copies = {table.name: built.copy(table) for table in built.tables}
    # Half of the lakes lose some of their statistics before they are repaired.
    if seed % 2 == 1:
        built.tamper()
    lake.repair()
    assert lake.findings("wrong", "missing") == set()
    assert lake.repair_statements() == []
    wrong = []
    for table in built.tables:
        wrong += wrong_answers(lake, table.name, copies[table.name], table.columns, table)
    for moment in built.moments:
        source = f"{moment.table.name} AT (VERSION => {moment.snapshot})"
        wrong += wrong_answers(lake, source, moment.copy, travelled_columns(lake, moment), moment.table)
    assert wrong == [], "\n".join(built.log)
