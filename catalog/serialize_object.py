"""What is in schemas beside relations, as JSON text, the form in which a database keeps it."""

from __future__ import annotations

import json
from typing import Any

from catalog import acl, types
from catalog.function import Function, Parameter
from catalog.oid import Oid


def encode_object(held: Function) -> str:
    """Return what ``decode_object`` needs to make the object again."""
    return json.dumps(
        {
            "kind": "function",
            "oid": held.oid,
            "schema": held.schema,
            "name": held.name,
            "owner": held.owner,
            "comment": held.comment,
            "acl": acl.encode(held.acl),
            **_encode_function(held),
        }
    )


def decode_object(text: str) -> Function:
    """Return the object that ``encode_object`` described."""
    described: dict[str, Any] = json.loads(text)
    kind = described.pop("kind")
    assert kind == "function", kind
    described["oid"] = Oid(described["oid"])
    described["acl"] = acl.decode(described["acl"])
    return _decode_function(described)


def _encode_function(function: Function) -> dict[str, Any]:
    return {
        "parameters": [
            [parameter.name, types.encode(parameter.type), parameter.default]
            for parameter in function.parameters
        ],
        "result": types.encode(function.result),
        "columns": [[name, types.encode(pg_type)] for name, pg_type in function.columns],
        "body": function.body,
        "is_expression": function.is_expression,
        "volatility": function.volatility,
        "is_strict": function.is_strict,
        "definition": function.definition,
    }


def _decode_function(described: dict[str, Any]) -> Function:
    parameters = tuple(
        Parameter(name, types.decode(pg_type), default)
        for name, pg_type, default in described.pop("parameters")
    )
    columns = tuple((name, types.decode(t)) for name, t in described.pop("columns"))
    result = types.decode(described.pop("result"))
    return Function(parameters=parameters, columns=columns, result=result, **described)
