"""What must hold after each kill, and at the end."""

from __future__ import annotations

from bench.soak.client import Client, Soak, until
from bench.soak.contents import STANDING
from tests.support.server import Connection


def check(soak: Soak, connection: Connection, clients: list[Client]) -> None:
    """Compare all that there is with what the clients remember."""
    connection.execute("ALTER SYSTEM RESUME")
    connection.execute("ALTER DATABASE dev RESUME")
    # A client that the server was killed under may have left its own view paused.
    paused = "SELECT relation FROM rw_catalog.rw_catch_up WHERE state = 'paused'"
    left = [name for (name,) in connection.execute(paused.encode()).fetchall()]
    for name in {*STANDING, *left}:
        connection.execute(f"ALTER MATERIALIZED VIEW {name} RESUME".encode())
    connection.execute("RECOVER")
    connection.execute("FLUSH")
    until(soak, connection, "SELECT count(*) = 0 FROM rw_catalog.rw_catch_up")
    for name in STANDING:
        differences = connection.execute(f"CHECK MATERIALIZED VIEW {name}".encode()).fetchall()
        if differences:
            soak.problem(f"{name} differs from its query: {differences[:3]}")
    for client in clients:
        client.check(connection)


def check_backup(soak: Soak, connection: Connection, least: int, most: int) -> None:
    """What was restored is of one moment, between those before and after it was taken."""
    connection.execute("ALTER SYSTEM RESUME")
    connection.execute("ALTER DATABASE dev RESUME")
    (found,) = connection.execute("SELECT count(*) FROM queued").fetchone() or (0,)
    # What was queued when it was taken may have been applied since it was restored.
    if found < least:
        soak.problem(f"a backup of at least {least} rows has {found} (at most {most} when taken)")
    check(soak, connection, [])
    soak.note("backups restored")


def check_nothing_is_left(soak: Soak, connection: Connection) -> None:
    """Once nobody creates anything no job waits, and refreshed views follow."""
    for job in connection.execute("SHOW JOBS").fetchall():
        connection.execute(f"CANCEL JOBS {job[0]}".encode())
    query = (
        "SELECT (SELECT sum(n) FROM refreshed) IS NOT DISTINCT FROM "
        "(SELECT nullif(count(*), 0) FROM entry)"
    )
    until(soak, connection, query)
    if jobs := connection.execute("SHOW JOBS").fetchall():
        soak.problem(f"jobs are left: {jobs}")
