"""Calling a function by its OID, without SQL: the message FunctionCall.

What may be called so, and what is said of the rest, is PostgreSQL's ``tcop/fastpath.c``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from catalog.errors import FeatureNotSupported, UndefinedFunction
from catalog.oid import Oid
from server.session_state import SessionState
from server.sql.quoting import quoted_identifier

_PSEUDO: Final = "p"


def call_of(state: SessionState, oid: Oid) -> tuple[str, Sequence[Oid]]:
    """Return the query that calls a function, and the types of its parameters.

    Raises:
        UndefinedFunction: There is no function of that number.
        FeatureNotSupported: It gives several rows, is an aggregate or a window function, or takes
            values of any type, so that their images cannot be read.
    """
    objects = state.objects
    view = objects.view
    function = view.by("pg_proc").get(oid)
    if function is None:
        raise UndefinedFunction(f"function with OID {oid} does not exist")
    name = str(function["proname"])
    if function["prokind"] != "f" or function["proretset"]:
        raise FeatureNotSupported(f'cannot call function "{name}" via fastpath interface')
    types = function["proargtypes"]
    assert isinstance(types, list | tuple)
    oids = [Oid(int(str(number))) for number in types]
    for number in oids:
        if view.by("pg_type")[number]["typtype"] == _PSEUDO:
            shown = objects.names.text("regtype", number)
            raise FeatureNotSupported(f"cannot accept a value of type {shown}")
    schema = str(view.by("pg_namespace")[function["pronamespace"]]["nspname"])
    parameters = ", ".join(f"${number}" for number in range(1, len(types) + 1))
    called = f"{quoted_identifier(schema)}.{quoted_identifier(name)}"
    return f"SELECT {called}({parameters})", oids
