"""Every transcript holds for this server and for a PostgreSQL 15."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.server import Address
from tests.support.transcript import SIDES, Case, read_cases
from tests.support.transcript_player import play

CASES: Final = [
    case for path in sorted(Path(__file__).parent.glob("*.pt")) for case in read_cases(path)
]

#: Gives the database in which the tests of a file are played on one side.
Databases = Callable[[str, Path], Address]

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def databases(server: Address, request: pytest.FixtureRequest) -> Iterator[Databases]:
    """A database for each file and side; PostgreSQL is started when it is first wanted."""
    made: dict[tuple[str, Path], Address] = {}

    def database(side: str, path: Path) -> Address:
        if (side, path) not in made:
            base = server if side == "tidegate" else request.getfixturevalue("postgresql")
            name = f"transcripts_{next(_numbers)}"
            with base.connect() as connection:
                connection.execute(f"CREATE DATABASE {name}".encode())
            made[side, path] = base.of_database(name)
        return made[side, path]

    yield database
    with server.connect() as connection:
        for (side, _), address in made.items():
            if side == "tidegate":  # The other is gone by now.
                connection.execute(f"DROP DATABASE {address.database} WITH (FORCE)".encode())


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path.stem}: {case.name}")
def test_a_server_answers_as_the_transcript_says(
    case: Case, side: str, databases: Databases
) -> None:
    if case.side in (None, side):
        play(case, side, databases(side, case.path))


def test_the_transcripts_judge_mostly_both() -> None:
    one_sided = [case for case in CASES if case.side is not None]
    assert len(one_sided) * 10 < len(CASES)
