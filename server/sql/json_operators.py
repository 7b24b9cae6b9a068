"""Operators of json and jsonb (PostgreSQL 15, chapter 9.16).

DuckDB reads members fast, but numbers as doubles, and gives objects and arrays without spaces. So
a jsonb is taken by the engine, step after step, from the value at the root of a path; where that
has a number which a double does not keep, all steps are taken again over its text. An object or an
array is made canonical, once, at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from sqlglot import exp

from catalog.types import BOOL, JSON, JSONB, TEXT, PgType
from server.sql.fragment import call, cast, fragment, string
from server.sql.overload import Overload, rule, table
from server.sql.typed import Typed

_CANONICAL: Final = "tg_jsonb_of"
_TAKEN: Final = "tg_json_taken"

#: What makes a text of a value, without the quotes of a string.
TEXT_FORMS: Final = {"json": "tg_json_kept_text", "jsonb": "tg_jsonb_text"}


def canonical_json(tree: exp.Expr, pg_type: PgType) -> Typed:
    """Return a JSON value that DuckDB made as a value of json or jsonb."""
    if pg_type.oid == JSONB.oid:
        return Typed(call(_CANONICAL, tree), JSONB)
    return Typed(tree, pg_type)


def _member(arguments: Sequence[Typed]) -> Typed:
    return canonical_json(_member_tree(*arguments), arguments[0].type)


def _member_text(arguments: Sequence[Typed]) -> Typed:
    return json_as_text(_member_tree(*arguments), arguments[0].type)


def _member_tree(holder: Typed, key: Typed) -> exp.Expr:
    is_name = key.type.oid == TEXT.oid
    if holder.type.oid == JSON.oid:
        return call(f"tg_json_kept_{'get' if is_name else 'at'}", holder.tree, key.tree)
    way = _way(holder)
    if way is None:
        return call(f"tg_json_{'get' if is_name else 'at'}", _uncanonical(holder.tree), key.tree)
    root, found, steps = way
    find = "tg_json_find" if is_name else "tg_json_find_at"
    if not is_name and _may_be_end(key.tree):
        find = "tg_json_find_end"
    step = fragment("_0 || CAST(_1 AS VARCHAR)", string("." if is_name else "#"), key.tree.copy())
    return _taken(root, call(find, found, key.tree), [*steps, step])


def _taken(root: exp.Expr, found: exp.Expr, steps: list[exp.Expr]) -> exp.Expr:
    return call(_TAKEN, cast(root, "VARCHAR"), found, exp.Array(expressions=steps))


def _way(holder: Typed) -> tuple[exp.Expr, exp.Expr, list[exp.Expr]] | None:
    """Return where the path began that led to a jsonb, what the engine found, and the steps.

    None where it would begin at what is dear to evaluate twice.
    """
    tree = _uncanonical(holder.tree)
    if isinstance(tree, exp.Anonymous) and tree.name == _TAKEN:
        root, found, steps = tree.expressions
        return root.this, found, list(steps.expressions)
    simple = tree
    while isinstance(simple, (exp.Cast, exp.Paren)):
        simple = simple.this
    if isinstance(simple, (exp.Column, exp.Literal)):
        return tree, tree.copy(), []
    return None


def _uncanonical(tree: exp.Expr) -> exp.Expr:
    """Return a JSON value before it was made canonical, where another step follows anyway."""
    if isinstance(tree, exp.Anonymous) and tree.name == _CANONICAL:
        inner = tree.expressions[0]
        assert isinstance(inner, exp.Expr)
        return inner
    return tree


def _may_be_end(place: exp.Expr) -> bool:
    """Return whether a place may be 0 or -1, which a scalar has too."""
    return not (isinstance(place, exp.Literal) and place.is_int and int(place.name) > 0)


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
        way = _way(holder)
        if way is not None:
            root, found, before = way
            items = [*before, *(string(f"/{step}") for step in steps)]
            return _taken(root, call("JSON_EXTRACT", found, string(pointer)), items)
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
        @?(jsonb, jsonpath) bool = tg_jsonb_path_exists(CAST(_0 AS TEXT), _1, '', TRUE, '')
        @@(jsonb, jsonpath) bool = tg_jsonb_path_match(CAST(_0 AS TEXT), _1, '', TRUE, '')
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
