"""Window functions (PostgreSQL 15, chapter 9.22); the OVER clause is put on by the caller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from catalog.types import FLOAT8, INT4, INT8, PgType
from server.sql.fragment import cast, fragment
from server.sql.functions.over import windowed
from server.sql.overload import Build, Overload, rule
from server.sql.typed import Typed


def _ranking(sql: str, result: PgType) -> Build:
    def build(arguments: Sequence[Typed]) -> Typed:
        return Typed(windowed(fragment(sql, *(a.tree for a in arguments))), result)

    return build


def _of_value(sql: str) -> Build:
    """Return the build of a function that gives its first argument from another row."""

    def build(arguments: Sequence[Typed]) -> Typed:
        pg_type = arguments[0].type
        trees: list[exp.Expr] = [cast(arguments[0].tree, pg_type.duckdb)]
        trees += [a.tree for a in arguments[1:]]
        return Typed(windowed(fragment(sql, *trees)), pg_type)

    return build


def _ntile(arguments: Sequence[Typed]) -> Typed:
    return Typed(cast(windowed(fragment("NTILE(_0)", arguments[0].tree)), "INTEGER"), INT4)


WINDOW_FUNCTIONS: Final[tuple[Overload, ...]] = (
    rule("row_number()", _ranking("ROW_NUMBER()", INT8)),
    rule("rank()", _ranking("RANK()", INT8)),
    rule("dense_rank()", _ranking("DENSE_RANK()", INT8)),
    rule("percent_rank()", _ranking("PERCENT_RANK()", FLOAT8)),
    rule("cume_dist()", _ranking("CUME_DIST()", FLOAT8)),
    rule("ntile(int4)", _ntile),
    *(
        overload
        for name in ("lag", "lead")
        for overload in (
            rule(f"{name}(any)", _of_value(f"{name.upper()}(_0)")),
            rule(f"{name}(any, int4)", _of_value(f"{name.upper()}(_0, _1)")),
            rule(f"{name}(anyelement, int4, anyelement)", _of_value(f"{name.upper()}(_0, _1, _2)")),
        )
    ),
    rule("first_value(any)", _of_value("FIRST_VALUE(_0)")),
    rule("last_value(any)", _of_value("LAST_VALUE(_0)")),
    rule("nth_value(any, int4)", _of_value("NTH_VALUE(_0, _1)")),
)
