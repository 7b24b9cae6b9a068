"""Operators of json and jsonb (PostgreSQL 15, chapter 9.16).

DuckDB reads members fast and gives them without spaces; a jsonb that is an object or an array is
therefore made canonical again, once, at the outermost step of a path.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from sqlglot import exp

from catalog.types import BOOL, JSON, JSONB, TEXT, PgType
from server.sql.fragment import call, fragment, string
from server.sql.overload import Overload, rule, table
from server.sql.typed import Typed

_CANONICAL: Final = "tg_jsonb_of"

#: What makes a text of a value, without the quotes of a string.
TEXT_FORMS: Final = {"json": "tg_json_kept_text", "jsonb": "tg_jsonb_text"}


def canonical_json(tree: exp.Expr, pg_type: PgType) -> Typed:
    """Return a JSON value that DuckDB made as a value of json or jsonb."""
    if pg_type.oid == JSONB.oid:
        return Typed(call(_CANONICAL, tree), JSONB)
    return Typed(tree, pg_type)


def raw_json(value: Typed) -> exp.Expr:
    """Return a JSON value before it was made canonical, where another step follows anyway."""
    tree = value.tree
    if isinstance(tree, exp.Anonymous) and tree.name == _CANONICAL:
        inner = tree.expressions[0]
        assert isinstance(inner, exp.Expr)
        return inner
    return tree


def _member(arguments: Sequence[Typed]) -> Typed:
    return canonical_json(_member_tree(*arguments), arguments[0].type)


def _member_text(arguments: Sequence[Typed]) -> Typed:
    return json_as_text(_member_tree(*arguments), arguments[0].type)


def _member_tree(holder: Typed, key: Typed) -> exp.Expr:
    kept = "kept_" if holder.type.oid == JSON.oid else ""
    name = f"tg_json_{kept}{'get' if key.type.oid == TEXT.oid else 'at'}"
    return call(name, raw_json(holder), key.tree)


def json_as_text(tree: exp.Expr, pg_type: PgType) -> Typed:
    """Return what ``->>`` gives for a member: a string without quotes, NULL for null."""
    return Typed(call(TEXT_FORMS[pg_type.name], tree), TEXT)


def _path(arguments: Sequence[Typed]) -> Typed:
    return canonical_json(path_tree(arguments[0], arguments[1]), arguments[0].type)


def _path_text(arguments: Sequence[Typed]) -> Typed:
    return json_as_text(path_tree(arguments[0], arguments[1]), arguments[0].type)


def path_tree(holder: Typed, path: Typed) -> exp.Expr:
    """Return the JSON value at a path of type text[]."""
    if holder.type.oid == JSON.oid:
        return fragment(
            "CAST(tg_json_at_path(CAST(_0 AS TEXT), _1) AS JSON)", holder.tree, path.tree
        )
    steps = _constant_steps(path.tree)
    if steps is not None:
        pointer = "".join("/" + s.replace("~", "~0").replace("/", "~1") for s in steps)
        return call("tg_json_pointer", raw_json(holder), string(pointer))
    return fragment("CAST(tg_json_path_get(CAST(_0 AS TEXT), _1) AS JSON)", holder.tree, path.tree)


def _constant_steps(tree: exp.Expr) -> list[str] | None:
    while isinstance(tree, (exp.Cast, exp.Paren)):
        tree = tree.this
    if not isinstance(tree, exp.Array):
        return None
    steps: list[str] = []
    for item in tree.expressions:
        if not (isinstance(item, exp.Literal) and item.is_string) or str(item.this).startswith("-"):
            return None
        steps.append(str(item.this))
    return steps or None


def _contains(arguments: Sequence[Typed], *, is_swapped: bool) -> Typed:
    holder, part = (arguments[1], arguments[0]) if is_swapped else arguments
    tree = fragment("tg_jsonb_contains(CAST(_0 AS TEXT), CAST(_1 AS TEXT))", holder.tree, part.tree)
    return Typed(tree, BOOL)


JSON_OPERATORS: Final[tuple[Overload, ...]] = (
    *(rule(f"->({t}, {k})", _member) for t in ("json", "jsonb") for k in ("text", "int4")),
    *(rule(f"->>({t}, {k})", _member_text) for t in ("json", "jsonb") for k in ("text", "int4")),
    *(rule(f"#>({t}, text[])", _path) for t in ("json", "jsonb")),
    *(rule(f"#>>({t}, text[])", _path_text) for t in ("json", "jsonb")),
    rule("@>(jsonb, jsonb)", partial(_contains, is_swapped=False)),
    rule("<@(jsonb, jsonb)", partial(_contains, is_swapped=True)),
    *table(
        """
        @?(jsonb, jsonpath) bool = tg_jsonb_path_exists(CAST(_0 AS TEXT), _1, '{}', TRUE, '')
        @@(jsonb, jsonpath) bool = tg_jsonb_path_match(CAST(_0 AS TEXT), _1, '{}', TRUE, '')
        ?(jsonb, text) bool = tg_jsonb_has_key(CAST(_0 AS TEXT), _1)
        ?|(jsonb, text[]) bool = tg_jsonb_has_any(CAST(_0 AS TEXT), _1)
        ?&(jsonb, text[]) bool = tg_jsonb_has_all(CAST(_0 AS TEXT), _1)
        -(jsonb, text) jsonb = tg_jsonb_delete_key(CAST(_0 AS TEXT), _1)
        -(jsonb, int4) jsonb = tg_jsonb_delete_index(CAST(_0 AS TEXT), CAST(_1 AS BIGINT))
        -(jsonb, text[]) jsonb = tg_jsonb_delete_keys(CAST(_0 AS TEXT), _1)
        #-(jsonb, text[]) jsonb = tg_jsonb_delete(CAST(_0 AS TEXT), _1)
        """
    ),
)

#: The two types, for families that offer a function for each.
JSON_TYPES: Final = (JSON, JSONB)
