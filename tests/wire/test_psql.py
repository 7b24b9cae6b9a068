"""psql as a person uses it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.server import REPOSITORY, Address

EXAMPLES = sorted((REPOSITORY / "examples").glob("*.sql"))


def psql(
    address: Address, *arguments: str, script: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["psql", "-X", "-v", "ON_ERROR_STOP=1", *arguments, address.url],
        input=script, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_a_first_session(database: Address) -> None:
    done = psql(
        database,
        "-At",
        script="""
        CREATE TABLE sale (id int PRIMARY KEY, city text, euros int);
        CREATE MATERIALIZED VIEW takings AS SELECT city, sum(euros) AS euros FROM sale GROUP BY city;
        INSERT INTO sale VALUES (1, 'Aarhus', 5), (2, 'Brest', 7), (3, 'Aarhus', 6);
        SELECT * FROM takings ORDER BY city;
        """,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "CREATE TABLE",
        "CREATE MATERIALIZED VIEW",
        "INSERT 0 3",
        "Aarhus|11",
        "Brest|7",
    ]


def test_an_error_points_into_the_statement(database: Address) -> None:
    done = psql(database, "-c", "SELECT 1 +\n nowhere")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        'ERROR:  column "nowhere" does not exist',
        "LINE 2:  nowhere",
        "         ^",
    ]


def test_rows_are_fetched_in_pieces(database: Address) -> None:
    done = psql(
        database,
        "-At",
        "-v",
        "FETCH_COUNT=100",
        "-c",
        "SELECT g FROM generate_series(1, 1000) AS g",
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "1000"


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(script: Path, database: Address) -> None:
    done = psql(database, "-f", str(script))
    assert done.returncode == 0, done.stderr


def test_the_flights_run_from_end_to_end(database: Address) -> None:
    """All scripts in order; the one about the pause goes on after its own refusals."""
    for script in sorted((REPOSITORY / "examples" / "flights").glob("*.sql")):
        done = psql(database, "-At", "-f", str(script))
        assert done.returncode == 0, (script.name, done.stderr)
        assert done.stderr.count("when paused") == (script.stem == "05_pause")
        assert done.stderr.count("while database barrier is paused") == (script.stem == "05_pause")
        if script.stem == "06_check":
            assert all(line.endswith("|0") for line in done.stdout.splitlines()), done.stdout
