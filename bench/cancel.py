"""How long it takes from a cancel to the error, whatever the statement is doing."""

from __future__ import annotations

import statistics
import time

import click
from psycopg import pq

from tests.support.long_statements import LONG_STATEMENTS, make_table, nothing_is_left
from tests.support.server import Connection, running_server
from tests.support.wire_client import eventually


@click.command()
@click.option("--tries", default=5, show_default=True, help="How often each is cancelled.")
def main(tries: int) -> None:
    """Cancel statements that compute, less than half a second after they have begun."""
    with running_server() as server, server.address.connect() as connection:
        make_table(connection)
        for statement in LONG_STATEMENTS:
            taken = [_cancelled(connection, statement) for _ in range(tries)]
            print(f"{statistics.median(taken):6.1f} ms, {max(taken):6.1f} at most: {statement}")


def _cancelled(connection: Connection, statement: str) -> float:
    pgconn = connection.pgconn
    pgconn.send_query(statement.encode())
    time.sleep(0.4)
    began = time.perf_counter()
    pgconn.get_cancel().cancel()
    while (result := pgconn.get_result()) is not None:
        if result.error_field(pq.DiagnosticField.SQLSTATE) != b"57014":
            raise AssertionError(statement)
    taken = (time.perf_counter() - began) * 1000
    assert eventually(lambda: nothing_is_left(connection))
    return taken


if __name__ == "__main__":
    main()
