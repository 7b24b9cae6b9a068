"""Writes into transcripts what a PostgreSQL answers: python -m tests.pgtest.record FILE..."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from tests.support.postgresql import programs, running_postgresql
from tests.support.server import Address
from tests.support.transcript import Message, Step, read_cases
from tests.support.transcript_player import play

SOME_PARAMETERS: Final = Message("ParameterStatus", ("...",))


def record(path: Path, address: Address) -> None:
    """Replace the expectations that do not hold; all else in the file stays."""
    cases = read_cases(path)
    before = {id(step): list(step.messages) for case in cases for step in case.steps}
    for case in cases:
        if case.side in (None, "postgresql"):
            play(case, "postgresql", address, record=True)
    lines = path.read_text().splitlines()
    changed = [s for c in cases for s in c.steps if s.messages != before[id(s)]]
    for step in sorted(changed, key=lambda step: step.line, reverse=True):
        end = step.line
        while end < len(lines) and lines[end].strip() and lines[end][0].isspace():
            end += 1
        lines[step.line : end] = [f"  {message}" for message in _shortened(step)]
    path.write_text("\n".join(lines) + "\n")


def _shortened(step: Step) -> list[Message]:
    """What is written: the parameters of a greeting differ, what repeats stands there once."""
    short: list[Message] = []
    for message in step.messages[: len(step.messages) // step.times]:
        before = short[-1].kind if short else ""
        if message.kind == "ParameterStatus" and before == "AuthenticationOk":
            short.append(SOME_PARAMETERS)
        elif message.kind != "ParameterStatus" or short[-1:] != [SOME_PARAMETERS]:
            short.append(message)
    return short


def fresh_database(address: Address, name: str) -> Address:
    """Make an empty database of that name."""
    with address.connect() as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        connection.execute(f"CREATE DATABASE {name}".encode())
    return address.of_database(name)


def main(arguments: list[str]) -> None:
    if arguments[0].startswith("postgresql://"):
        address = Address.of(arguments[0])
        for name in arguments[1:]:
            record(Path(name), fresh_database(address, "pgtest_record"))
        return
    found = programs()
    assert found is not None, "no PostgreSQL"
    with running_postgresql(found) as address:
        for name in arguments:
            record(Path(name), fresh_database(address, "pgtest_record"))


if __name__ == "__main__":
    main(sys.argv[1:])
