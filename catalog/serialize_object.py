"""What is in schemas beside relations, as JSON text, the form in which a database keeps it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from catalog import acl
from catalog.function import Function, Parameter
from catalog.oid import Oid
from catalog.secret import Secret
from catalog.sequence import SequenceGenerator
from catalog.type_encoding import decode, encode
from catalog.user_type import (
    CompositeType,
    DomainCheck,
    DomainType,
    EnumLabel,
    EnumType,
    UserType,
)


def encode_object(held: Function | SequenceGenerator | UserType | Secret) -> str:
    """Return what ``decode_object`` needs to make the object again."""
    if isinstance(held, Secret):
        kept = {**asdict(held), "acl": acl.encode(held.acl)}
        del kept["value"]  # It is never written down but sealed.
        return json.dumps({"kind": "secret", **kept})
    if not isinstance(held, (Function, SequenceGenerator)):
        return json.dumps({"kind": "type", **_encode_type(held)})
    return json.dumps(
        {
            "kind": "function" if isinstance(held, Function) else "sequence",
            "oid": held.oid,
            "schema": held.schema,
            "name": held.name,
            "owner": held.owner,
            "comment": held.comment,
            "acl": acl.encode(held.acl),
            **(_encode_function(held) if isinstance(held, Function) else _encode_sequence(held)),
        }
    )


def decode_object(text: str) -> Function | SequenceGenerator | UserType | Secret:
    """Return the object that ``encode_object`` described; of a secret what is sealed of it."""
    described: dict[str, Any] = json.loads(text)
    kind = described.pop("kind")
    described["oid"] = Oid(described["oid"])
    if kind == "type":
        return _decode_type(described)
    described["acl"] = acl.decode(described["acl"])
    if kind == "secret":
        return Secret(**described)
    return _decode_function(described) if kind == "function" else _decode_sequence(described)


def _encode_sequence(sequence: SequenceGenerator) -> dict[str, Any]:
    return {
        "type": encode(sequence.type),
        "start": sequence.start,
        "increment": sequence.increment,
        "minimum": sequence.minimum,
        "maximum": sequence.maximum,
        "cache": sequence.cache,
        "cycles": sequence.cycles,
        "owned_by": sequence.owned_by,
        "is_identity": sequence.is_identity,
    }


def _decode_sequence(described: dict[str, Any]) -> SequenceGenerator:
    owned_by = described.pop("owned_by")
    return SequenceGenerator(
        type=decode(described.pop("type")),
        owned_by=None if owned_by is None else (Oid(owned_by[0]), owned_by[1]),
        **described,
    )


def _encode_function(function: Function) -> dict[str, Any]:
    return {
        "parameters": [
            [parameter.name, encode(parameter.type), parameter.default]
            for parameter in function.parameters
        ],
        "result": encode(function.result),
        "columns": [[name, encode(pg_type)] for name, pg_type in function.columns],
        "body": function.body,
        "is_expression": function.is_expression,
        "volatility": function.volatility,
        "is_strict": function.is_strict,
        "definition": function.definition,
    }


def _decode_function(described: dict[str, Any]) -> Function:
    parameters = tuple(
        Parameter(name, decode(pg_type), default)
        for name, pg_type, default in described.pop("parameters")
    )
    columns = tuple((name, decode(t)) for name, t in described.pop("columns"))
    result = decode(described.pop("result"))
    return Function(parameters=parameters, columns=columns, result=result, **described)


def _encode_type(made: UserType) -> dict[str, Any]:
    described: dict[str, Any] = {
        "oid": made.oid,
        "array_oid": made.array_oid,
        "schema": made.schema,
        "name": made.name,
        "owner": made.owner,
        "comment": made.comment,
        "acl": acl.encode(made.acl),
    }
    match made:
        case EnumType():
            described |= {"labels": [asdict(label) for label in made.labels]}
        case DomainType():
            described |= {
                "base": encode(made.base),
                "is_nullable": made.is_nullable,
                "default": made.default,
                "default_source": made.default_source,
                "checks": [asdict(check) for check in made.checks],
            }
        case CompositeType():
            members = [[name, encode(member)] for name, member in made.members]
            described |= {
                "relation_oid": made.relation_oid,
                "members": members,
                "member_comments": made.member_comments,
            }
    return described


def _decode_type(described: dict[str, Any]) -> UserType:
    described["array_oid"] = Oid(described["array_oid"])
    described["acl"] = acl.decode(described.get("acl"))
    if "labels" in described:
        labels = tuple(EnumLabel(**label) for label in described.pop("labels"))
        return EnumType(**described, labels=labels)
    if "base" in described:
        base = decode(described.pop("base"))
        checks = tuple(DomainCheck(**check) for check in described.pop("checks"))
        return DomainType(**described, base=base, checks=checks)
    members = tuple((name, decode(member)) for name, member in described.pop("members"))
    comments = tuple((place, text) for place, text in described.pop("member_comments", ()))
    return CompositeType(**described, members=members, member_comments=comments)
