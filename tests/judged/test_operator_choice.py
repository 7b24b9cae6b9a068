"""Which operator two types of numbers mean, and what it gives, is what PostgreSQL takes it for."""

from __future__ import annotations

from itertools import product

import pytest
from psycopg import pq

from tests.support.server import Address, Connection

_TYPES = ("int2", "int4", "int8", "numeric", "float4", "float8", "oid", "text", "date", "interval")
_OPERATORS = (*"+-*/%^", "=", "<>", "<", "<=", ">", ">=", "&", "<<", "||")
#: What has no type yet, and constants.
_OTHERS = ("'1'", "NULL", "1", "1.5", "3000000000")


def answers(connection: Connection) -> dict[str, str]:
    """Return of each expression its type's OID, or the SQLSTATE of its error."""
    operands = [f"v_{t}" for t in _TYPES]
    pairs = [*product(operands, operands), *product(operands, _OTHERS), *product(_OTHERS, operands)]
    found: dict[str, str] = {}
    for (left, right), symbol in product(pairs, _OPERATORS):
        expression = f"{left} {symbol} {right}"
        prepared = connection.pgconn.prepare(b"", f"SELECT {expression} FROM v".encode())
        if prepared.status == pq.ExecStatus.COMMAND_OK:
            found[expression] = str(connection.pgconn.describe_prepared(b"").ftype(0))
        else:
            state = prepared.error_field(pq.DiagnosticField.SQLSTATE)
            found[expression] = (state or b"").decode()
    return found


@pytest.fixture(scope="module")
def judged(postgresql: Address, server: Address) -> tuple[dict[str, str], dict[str, str]]:
    found = []
    for address in (postgresql, server):
        with address.connect() as connection:
            connection.execute("CREATE SCHEMA judged_choice")
            connection.execute("SET search_path = judged_choice")
            columns = ", ".join(f"c_{t} {t}" for t in _TYPES)
            connection.execute(f"CREATE TABLE t ({columns})")
            names = ", ".join(f"c_{t} AS v_{t}" for t in _TYPES)
            connection.execute(f"CREATE VIEW v AS SELECT {names} FROM t")
            found.append(answers(connection))
            connection.execute("DROP SCHEMA judged_choice CASCADE")
    theirs, ours = found
    return theirs, ours


def test_each_pair_of_types_means_postgresqls_operator(
    judged: tuple[dict[str, str], dict[str, str]],
) -> None:
    theirs, ours = judged
    assert sum(len(answer) != 5 for answer in theirs.values()) > 1000  # Not SQLSTATEs, but types.
    assert {key: ours[key] for key in theirs if ours[key] != theirs[key]} == {}
