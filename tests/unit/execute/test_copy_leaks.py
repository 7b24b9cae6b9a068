"""COPY FROM leaves nothing behind: no staging table, no thread, no piece of data in a file."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from barrier.manager import BarrierManager
from catalog.errors import PgError, QueryCanceled
from server.wire.session_contract import CopyInResult
from tests.support.session_client import Client
from tests.unit.execute.test_leaks import staged

#: Several chunks, so that some are loaded on threads.
LINES = b"".join(b"%d\tsome text\n" % n for n in range(150_000))


def copy(client: Client, sql: str) -> CopyInResult:
    (source,) = client.session.split(sql)
    result = client.session.execute(client.session.prepare(source), ())
    assert isinstance(result, CopyInResult)
    return result


def gone(result: CopyInResult) -> None:
    """The client has vanished: nobody asks for more."""


def canceled(result: CopyInResult) -> None:
    with pytest.raises(QueryCanceled):
        result.fail("enough")


def wrong(result: CopyInResult) -> None:
    def go_on() -> None:
        result.write(b"x\ty\n")
        result.write(LINES)
        result.finish()

    with pytest.raises(PgError) as caught:
        go_on()
    assert caught.value.context is not None
    assert caught.value.context.endswith('line 150001, column k: "x"')


def finished(result: CopyInResult) -> None:
    result.finish()


@pytest.mark.parametrize("ending", [gone, canceled, wrong, finished])
@pytest.mark.parametrize("where", ["", " WHERE k > 100"], ids=["all", "some"])
@pytest.mark.parametrize("block", [False, True])
def test_a_copy_leaves_nothing(  # noqa: PLR0917
    block: bool,
    where: str,
    ending: Callable[[CopyInResult], None],
    connect: Callable[[], Client],
    client: Client,
    manager: BarrierManager,
) -> None:
    client.run("CREATE TABLE t (k int, v text)")
    ((path,),) = client.run("SHOW search_path")
    other = connect()
    other.run(f"SET search_path TO {path}")
    if block:
        other.run("BEGIN")
    result = copy(other, f"COPY t FROM STDIN{where}")
    result.write(LINES)
    ending(result)
    result.close()
    if block:
        other.run("COMMIT" if ending is finished else "ROLLBACK")
    rows = 150_000 - (101 if where else 0)
    assert client.run("SELECT count(*) FROM t") == [(str(rows if ending is finished else 0),)]
    other.session.close()
    assert staged(manager) == 0
    assert not [thread.name for thread in threading.enumerate() if "copy" in thread.name]
