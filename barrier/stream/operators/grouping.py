"""The rules for GROUP BY, aggregates and DISTINCT, which all make an ``Aggregate``.

A grouped query is taken apart: what is asked of each input row (the group expressions and the
arguments of aggregates), what is stored per group (accumulators), and what is shown (the
projections and HAVING, over groups and accumulators).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from barrier.stream import accumulator, exact, functions, trees
from barrier.stream.accumulator import Accumulator, Anew, Count, Extreme, Sum
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators import select, union_all
from barrier.stream.operators.aggregate import ROWS, Aggregate
from barrier.stream.operators.recompute import Recompute
from catalog.written_numeric import CODE_COUNTS, CODE_COUNTS_PARTS, COUNTED_CODE, LEAST_CODE

_CLAUSES: Final = frozenset(
    {"expressions", "from_", "joins", "where", "group", "having", "order", "with_"}
)


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:
    """Take a SELECT with aggregates, GROUP BY or HAVING."""
    if not isinstance(query, exp.Select) or query.args.get("distinct"):
        return None
    group, having = query.args.get("group"), query.args.get("having")
    if not group and not having and not any(map(functions.has_aggregate, query.expressions)):
        return None
    clauses = {name for name, value in query.args.items() if value}
    unknown = sorted(name.rstrip("_").upper() for name in clauses - _CLAUSES)
    if group:
        unknown += sorted(
            name.upper().replace("_", " ")
            for name, value in group.args.items()
            if value and name != "expressions"
        )
    if unknown:
        raise NotIncrementalError(", ".join(unknown))
    parts = _Parts([] if group is None else group.expressions)
    columns = tuple(projection.alias for projection in query.expressions)
    projections = [parts.rewritten(e.unalias()) for e in query.expressions]
    condition = None if having is None else parts.rewritten(having.this)
    names = tuple(f"c{i}" for i in range(1, len(parts.input_expressions) + 1))
    source = select.over_from(query, builder, names, parts.input_expressions)
    groups = names[: len(parts.groups)]
    known = {ROWS} | {a.name for a in parts.accumulators if a.is_exact(source.exact)}
    known |= {f"g{i}" for i, name in enumerate(groups, start=1) if name in source.exact}
    known_columns = frozenset(
        name
        for name, projection in zip(columns, projections, strict=True)
        if exact.is_exact(projection, lambda column: column.name in known)
    )
    return Aggregate(
        columns=columns,
        key=_key(columns, projections, len(groups)),
        inputs=(source,),
        exact=known_columns,
        can_update=known_columns.issuperset(columns)
        and known.issuperset(a.name for a in parts.accumulators)
        and source.exact.issuperset(groups),
        # Groups that HAVING hides are no rows of the view, so they need a table of their own.
        table=builder.state_table(is_root=is_root and condition is None),
        groups=groups,
        accumulators=tuple(parts.accumulators),
        projections=tuple(projections),
        having=condition,
        origins=tuple(parts.origin(e.unalias()) for e in query.expressions),
    )


def distinct_rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:
    """Take SELECT DISTINCT and UNION."""
    source: Operator
    if isinstance(query, exp.Union) and query.args.get("distinct"):
        clauses = {name for name, value in query.args.items() if value}
        unknown = clauses - {"this", "expression", "order", "with_", "distinct"}
        if unknown:
            raise NotIncrementalError(", ".join(sorted(name.upper() for name in unknown)))
        source = union_all.over_branches(query, builder)
    elif isinstance(query, exp.Select) and query.args.get("distinct"):
        if query.args.get("limit") or query.args.get("offset"):
            raise NotIncrementalError("LIMIT")
        plain = query.copy()
        plain.set("distinct", None)
        source = builder.build(plain)
    else:
        return None
    if isinstance(source, Recompute):
        raise NotIncrementalError(source.reason)
    return Aggregate(
        columns=source.columns,
        key=source.columns,
        inputs=(source,),
        exact=source.exact,
        can_update=source.exact.issuperset(source.columns),
        table=builder.state_table(is_root=is_root),
        groups=source.columns,
        accumulators=(),
        projections=tuple(trees.column(f"g{i + 1}") for i in range(len(source.columns))),
        having=None,
        origins=tuple(trees.columns(source.columns)),
    )


def _key(columns: Sequence[str], projections: Sequence[exp.Expr], groups: int) -> tuple[str, ...]:
    """Name per group the visible column that shows it, or a hidden one."""
    shown: dict[str, str] = {}
    for name, projection in zip(columns, projections, strict=True):
        if isinstance(projection, exp.Column):
            shown.setdefault(projection.name, name)
    key: list[str] = []
    hidden = 0
    for i in range(1, groups + 1):
        visible = shown.get(f"g{i}")
        hidden += visible is None
        key.append(visible or f"k{hidden}")
    return tuple(key)


class _Parts:
    """Takes a grouped query apart: what to ask of the input, what to store, what to show."""

    def __init__(self, groups: Sequence[exp.Expr]) -> None:
        self.groups = [group.copy() for group in groups]
        self.input_expressions: list[exp.Expr] = [group.copy() for group in groups]
        self.accumulators: list[Accumulator] = []

    def rewritten(self, expression: exp.Expr) -> exp.Expr:
        """Return an expression over groups and accumulators.

        Raises:
            NotIncrementalError: It needs anything else.
        """
        reason = functions.refusal(expression)
        if reason is not None:
            raise NotIncrementalError(reason)
        result = expression.copy().transform(self._replaced, copy=False)
        for column in result.find_all(exp.Column):
            if column.table:
                raise NotIncrementalError("a column that is not grouped by")
        return result

    def origin(self, expression: exp.Expr) -> exp.Expr:
        """Return an expression of the query over the input's columns."""

        def replaced(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Filter):
                call = node.this.copy()
                if not isinstance(call.this, exp.Star):
                    call.set("this", replaced(_where(call.this, node.expression.this)))
                return call  # type: ignore[no-any-return]  # sqlglot's copy has no type
            if node in self.input_expressions:
                return trees.column(f"c{self.input_expressions.index(node) + 1}")
            return node

        result: exp.Expr = expression.copy().transform(replaced, copy=False)
        return result

    def _replaced(self, node: exp.Expr) -> exp.Expr:
        for i, group in enumerate(self.groups, start=1):
            if node == group:
                return trees.column(f"g{i}")
        return self._aggregate(node) if functions.is_aggregate(node) else node

    def _aggregate(self, node: exp.Expr) -> exp.Expr:
        """Return an aggregate's value from accumulators, adding those that are missing."""
        call, condition = node, None
        if isinstance(node, exp.Filter):
            call, condition = node.this, node.expression.this
        argument = call.this
        is_plain = isinstance(argument, exp.Expr) and not call.expressions
        if isinstance(call, exp.Count) and is_plain and not isinstance(argument, exp.Distinct):
            counted = exp.true() if isinstance(argument, exp.Star) else argument
            return self._count(_where(counted, condition))
        if not is_plain or isinstance(argument, exp.Distinct | exp.Order):
            return self._anew(node)
        if isinstance(call, exp.Min) and _is_counted(argument):
            return self._least_code(self._input(_where(argument, condition)))
        if isinstance(call, exp.Min | exp.Max):
            value = self._input(_where(argument, condition))
            return self._add(Extreme(self._next(), value, isinstance(call, exp.Max)))
        if isinstance(call, exp.Sum | exp.Avg):
            value = _where(argument, condition)
            total = accumulator.sum_of(self._next(), self._input(value), argument)
            if total is not None:
                return self._mean_or_sum(call, self._add(total), self._count(value))
        return self._anew(node)

    def _least_code(self, code: exp.Expr) -> exp.Expr:
        """Return the scale code of a sum, from how often each code is there."""
        counts = [
            self._add(Sum(self._next(), trees.call(CODE_COUNTS, code, trees.number(part)), None))
            for part in range(CODE_COUNTS_PARTS)
        ]
        return trees.call(LEAST_CODE, *counts)

    def _mean_or_sum(self, call: exp.Expr, total: exp.Expr, count: exp.Expr) -> exp.Expr:
        some = exp.GT(this=count.copy(), expression=exp.Literal.number(0))
        if isinstance(call, exp.Sum):
            return trees.when(some, total)
        mean = exp.Div(this=trees.cast(total, "DOUBLE"), expression=count.copy())
        return trees.when(some, mean)

    def _count(self, value: exp.Expr) -> exp.Expr:
        if value == exp.true():
            return trees.column(ROWS)
        return self._add(Count(self._next(), self._input(value)))

    def _anew(self, node: exp.Expr) -> exp.Expr:
        call = node.copy().transform(
            lambda part: self._input(part) if isinstance(part, exp.Column) else part, copy=False
        )
        return self._add(Anew(self._next(), call))

    def _next(self) -> str:
        return f"a{len(self.accumulators) + 1}"

    def _add(self, new: Accumulator) -> exp.Expr:
        for known in self.accumulators:
            if replace(new, name=known.name) == known:
                return trees.column(known.name)
        self.accumulators.append(new)
        return trees.column(new.name)

    def _input(self, expression: exp.Expr) -> exp.Expr:
        """Return the input's column of an expression, adding it if it is missing."""
        if expression not in self.input_expressions:
            self.input_expressions.append(expression.copy())
        return trees.column(f"c{self.input_expressions.index(expression) + 1}")


def _is_counted(argument: exp.Expr) -> bool:
    return isinstance(argument, exp.Anonymous) and argument.name.lower() == COUNTED_CODE


def _where(value: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """Make NULL, which aggregates skip, of values that FILTER leaves out."""
    return value if condition is None else trees.when(condition, value)
