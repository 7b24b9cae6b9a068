"""Transcripts with some bytes wrong: the server refuses what is malformed and nobody else notices."""

from __future__ import annotations

import random
import re
import time
from typing import Final

import pytest

from tests.conftest import Launch
from tests.support.rawwire import Message, RawWire, kinds
from tests.support.resources import Resources
from tests.support.server import REPOSITORY, Address
from tests.support.transcript import MAIN, Case, read_cases
from tests.support.transcript_messages import encode
from tests.support.wire_client import eventually

#: Those that begin with a session and hold no statement that runs for long.
FILES: Final = sorted((REPOSITORY / "tests/pgtest").glob("*.pt"))
LEFT_OUT: Final = ("cancel", "startup", "pipelining")
#: Who has finished may be gone: statements that still run then are ended.
PAUSE_S: Final = 0.02
SEEDS: Final = 120
SEEDS_SLOW: Final = 6000
SQLSTATE: Final = re.compile(r"[0-9A-Z]{5}")


def sent_by(case: Case, address: Address) -> bytes:
    """What the client sends on its first connection in all of a test."""
    steps = [s for s in case.steps if s.verb == "send" and s.connection == MAIN]
    messages = [m for step in steps for m in step.messages_for("tidegate")]
    return b"".join(encode(message, address, {MAIN: bytes(8)}) for message in messages)


def conversations(address: Address) -> list[bytes]:
    cases = [case for path in FILES if path.stem not in LEFT_OUT for case in read_cases(path)]
    return [sent_by(case, address) for case in cases if case.side in (None, "tidegate")]


def mutated(chance: random.Random, data: bytes) -> bytes:
    """Return the bytes with a few of them changed, lost, repeated or cut off."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(6):
            case 0 if at < len(changed):
                changed[at] ^= 1 << chance.randrange(8)
            case 1 if at < len(changed):
                changed[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
            case 2:
                del changed[at : at + chance.randint(1, 9)]
            case 3:
                changed[at:at] = chance.randbytes(chance.randint(1, 9))
            case 4:
                changed[at:at] = changed[at : at + chance.randint(1, 40)]
            case _:
                if chance.random() < 0.3:
                    del changed[at:]
    return bytes(changed)


def talk(address: Address, data: bytes) -> list[Message]:
    """Say all of it, then no more; return the answers."""
    with RawWire(address) as wire:
        try:
            wire.send_raw(data)
            time.sleep(PAUSE_S)
            wire.finish()
        except OSError:
            pass  # It has hung up already.
        return wire.until_closed()


def play_mutations(launch: Launch, seeds: range) -> None:
    server = launch(None)
    address = server.address
    texts = [text for text in conversations(address) if text]
    with RawWire(address) as witness:
        # The thread that keeps time is started by who first needs it.
        for sql in ("SET statement_timeout = '1min'", "SELECT count(*) FROM pg_class"):
            witness.query(sql)
            witness.until_ready()
        before = Resources.of(server.process.pid)
        for seed in seeds:
            chance = random.Random(seed)
            data = mutated(chance, chance.choice(texts))
            for message in talk(address, data):
                if message.kind in "EN":
                    assert SQLSTATE.fullmatch(message.fields["C"]), (seed, message)
                    assert message.fields["C"] != "XX000", (seed, message, data)
            if seed % 10 == 0:
                witness.query("SELECT 1")
                assert kinds(witness.until_ready()) == "TDCZ", seed
        assert server.is_running
        assert eventually(lambda: Resources.of(server.process.pid).has_no_more_than(before), 10)


def test_a_server_survives_mutated_conversations(launch: Launch) -> None:
    play_mutations(launch, range(SEEDS))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(SEEDS, SEEDS_SLOW, 1000))
def test_a_server_survives_many_mutated_conversations(launch: Launch, start: int) -> None:
    play_mutations(launch, range(start, start + 1000))


def test_a_server_survives_bytes_of_chance(launch: Launch) -> None:
    server = launch(None)
    with RawWire(server.address) as witness:
        before = Resources.of(server.process.pid)
        for seed in range(150):
            chance = random.Random(seed)
            data = chance.randbytes(chance.choice((0, 1, 4, 7, 8, 20, 300)))
            with RawWire(server.address, starts=bool(seed % 2)) as wire:
                try:
                    wire.send_raw(data)
                    wire.finish()
                except OSError:
                    pass  # It has hung up already.
                for message in wire.until_closed():
                    if message.kind == "E":
                        assert SQLSTATE.fullmatch(message.fields["C"]), (seed, message)
        witness.query("SELECT 1")
        assert kinds(witness.until_ready()) == "TDCZ"
        assert eventually(lambda: Resources.of(server.process.pid).has_no_more_than(before), 10)
