"""The walk over expressions: one walker a query level, one handler a kind of node.

Handlers register themselves with ``handles``; the modules that hold them are imported by
``query``. A handler turns a node of the parsed tree into a typed tree of its own; it never edits
the parsed tree. What must not grow Python's stack (chains of operators) its handler iterates over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from sqlglot import exp

from catalog.errors import (
    DatatypeMismatch,
    FeatureNotSupported,
    GroupingError,
    InvalidRecursion,
    PgError,
    WindowingError,
)
from catalog.types import BOOL, TEXT, VECTORS, PgType, array_of
from server.sql.bind import written
from server.sql.bind.query import Cte, Query
from server.sql.bind.scope import Scope, column_of
from server.sql.bind.statement import Statement
from server.sql.coercion import Coercion, coerce
from server.sql.operators import boolean
from server.sql.typed import Typed
from server.sql.written_numeric import value_of

#: In the meta of a bound aggregate: the number of the query level that it belongs to.
AGGREGATE_LEVEL: Final = "aggregate_level"


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a query, and what may stand in it.

    Attributes:
        name: As PostgreSQL's messages call it.
        aggregates: The refusal of an aggregate, or None where it may stand.
        windows: The refusal of a window function, or None.
        sets: The refusal of a set-returning function, or None.
    """

    name: str
    aggregates: str | None = None
    windows: str | None = None
    sets: str | None = None


_NO_SETS: Final = "set-returning functions are not allowed in {}"


def _closed(name: str, sets: str = _NO_SETS) -> Place:
    return Place(
        name,
        f"aggregate functions are not allowed in {name}",
        f"window functions are not allowed in {name}",
        sets.format(name),
    )


SELECT_LIST: Final = Place("SELECT")
ORDER_BY: Final = Place("ORDER BY")
HAVING: Final = Place(
    "HAVING", None, "window functions are not allowed in HAVING", _NO_SETS.format("HAVING")
)
WHERE: Final = _closed("WHERE")
JOIN: Final = _closed("JOIN conditions")
GROUP_BY: Final = _closed("GROUP BY")
FROM_FUNCTION: Final = _closed(
    "functions in FROM", "set-returning functions must appear at top level of FROM"
)
LIMIT: Final = _closed("LIMIT")
OFFSET: Final = _closed("OFFSET")
VALUES: Final = _closed("VALUES")
FILTER: Final = _closed("FILTER")
UPDATE: Final = _closed("UPDATE")
RETURNING: Final = _closed("RETURNING")
DEFAULT: Final = _closed("DEFAULT expressions")
MERGE_WHEN: Final = _closed("MERGE WHEN conditions")
INDEX: Final = _closed("index expressions")
INDEX_PREDICATE: Final = _closed("index predicates")
CHECK: Final = _closed("check constraints")
GENERATION: Final = _closed("column generation expressions")
COPY_WHERE: Final = _closed("COPY FROM WHERE conditions")
AGGREGATE: Final = Place(
    "an aggregate",
    "aggregate function calls cannot be nested",
    "aggregate function calls cannot contain window function calls",
    "aggregate function calls cannot contain set-returning function calls",
)
WINDOW: Final = Place(
    "a window function",
    None,
    "window function calls cannot be nested",
    "window function calls cannot contain set-returning function calls",
)
WINDOW_DEFINITION: Final = Place(
    "window definitions",
    None,
    "window functions are not allowed in window definitions",
    _NO_SETS.format("window definitions"),
)


#: What refuses sets as an argument does.
ROW_COMPARISON: Final = "row comparison operator"

#: What can be done about a set-returning function.
OF_SETS: Final = "You might be able to move the set-returning function into a LATERAL FROM item."

BindSubquery: TypeAlias = Callable[[exp.Expr, Scope, Mapping[str, Cte]], Query]


@dataclass(slots=True)
class Walker:
    """Binds the expressions of one query level.

    Attributes:
        level: The level's number.
        place: Where the walk is.
        windows: The level's named windows, as parsed.
        has_aggregates: Whether an aggregate of this level was met.
        sets: How many set-returning functions were met.
        bind_subquery: Binds a query below this level.
    """

    statement: Statement
    scope: Scope
    bind_subquery: BindSubquery
    ctes: Mapping[str, Cte] = field(default_factory=dict)
    level: int = 0
    place: Place = SELECT_LIST
    windows: dict[str, exp.Expr] = field(default_factory=dict)
    has_aggregates: bool = False
    sets: int = 0

    def bind(self, node: exp.Expr) -> Typed:
        """Return what an expression means, as what one calculates with.

        Raises:
            FeatureNotSupported: It is of a kind that is not known here.
        """
        return value_of(self.bind_shown(node))

    def bind_shown(self, node: exp.Expr) -> Typed:
        """Return what an expression means, a column as it is stored.

        Raises:
            FeatureNotSupported: It is of a kind that is not known here.
        """
        while type(node) is exp.Paren:
            node = node.this
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise FeatureNotSupported(
                f"{node.key.replace('_', ' ')} expressions are not supported",
                position=self.position(node),
            )
        try:
            return handler(self, node)
        except PgError as e:
            e.expression = node  # Until the outermost one has been there.
            raise

    def position(self, node: exp.Expr | None) -> int | None:
        """Return where a node stands in the client's string, from 1, or None."""
        return self.statement.position(node)

    def sign_position(self, left: exp.Expr, signs: Collection[str] = written.SIGNS) -> int | None:
        """Return where the operator stands that follows an operand; for errors, as are the next."""
        statement = self.statement
        return statement.at(statement.written().sign(left, signs)) or self.position(left)

    def type_position(self, node: exp.Expr) -> int | None:
        """Return where the type of a cast stands."""
        statement = self.statement
        return statement.at(statement.written().type_name(node)) or self.position(node)

    def cast_position(self, node: exp.Expr) -> int | None:
        """Return where ``::`` or CAST stands."""
        statement = self.statement
        return statement.at(statement.written().cast(node)) or self.position(node)

    def word_position(self, node: exp.Expr, word: str) -> int | None:
        """Return where a word stands before an expression."""
        statement = self.statement
        return statement.at(statement.written().word_before(node, word)) or self.position(node)

    def coerced(self, node: exp.Expr, target: PgType) -> exp.Expr:
        """Bind an expression and make it a type's, implicitly."""
        return coerce(self.bind(node), target, Coercion.IMPLICIT, position=self.position(node)).tree

    def condition(self, node: exp.Expr, what: str) -> exp.Expr:
        """Bind an expression that must be boolean; ``what`` is for the message, such as WHERE.

        Raises:
            DatatypeMismatch: It is of another type.
        """
        before = self.sets
        value = self.bind(node)
        position = None if value.type.oid == BOOL.oid else self.position(node)
        tree = self.as_condition(value, what, position)
        self.refuse_sets(before, what, node)
        return tree

    def refuse_sets(self, before: int, what: str, node: exp.Expr) -> None:
        """Refuse what was bound if there is a set-returning function in it.

        Args:
            before: How many there were before it was bound.
            what: What it is an argument of.
            node: What was bound.

        Raises:
            DatatypeMismatch: There is one.
        """
        if self.sets != before:
            named = what if what == ROW_COMPARISON else f"argument of {what}"
            raise DatatypeMismatch(f"{named} must not return a set", position=self.position(node))

    def as_condition(self, value: Typed, what: str, position: int | None) -> exp.Expr:
        """Return a value that must be boolean.

        Raises:
            DatatypeMismatch: It is of another type.
        """
        return boolean(value, what, position=position).tree

    @contextmanager
    def within(self, place: Place) -> Iterator[None]:
        """Walk in another place for a while."""
        before = self.place
        self.place = place
        try:
            yield
        finally:
            self.place = before

    def allow_set(self, position: int | None) -> None:
        """Note a set-returning function, or raise FeatureNotSupported where none may stand."""
        if self.place.sets is not None:
            is_call = self.place in {AGGREGATE, WINDOW}
            raise FeatureNotSupported(
                self.place.sets, hint=OF_SETS if is_call else None, position=position
            )
        self.sets += 1

    @contextmanager
    def without_sets(self, construct: str) -> Iterator[None]:
        """Bind what may not have a set-returning function in it.

        Raises:
            FeatureNotSupported: It has one.
        """
        before = self.sets
        yield
        if self.sets != before:
            raise FeatureNotSupported(_NO_SETS.format(construct), hint=OF_SETS)

    def allow_aggregate(self, position: int | None) -> None:
        """Raise GroupingError, or InvalidRecursion, where no aggregate may stand."""
        if self.place.aggregates is not None:
            raise GroupingError(self.place.aggregates, position=position)
        if any(item.is_running for item in self.scope.items):
            raise InvalidRecursion(
                "aggregate functions are not allowed in a recursive query's recursive term",
                position=position,
            )
        self.has_aggregates = True

    def allow_window(self, position: int | None) -> None:
        """Raise WindowingError (GroupingError inside aggregates) where no window may stand."""
        if self.place.windows is not None:
            error = GroupingError if self.place is AGGREGATE else WindowingError
            raise error(self.place.windows, position=position)


Handler: TypeAlias = Callable[[Walker, exp.Expr], Typed]

_HANDLERS: Final[dict[type[exp.Expr], Handler]] = {}


def handles(*kinds: type[exp.Expr]) -> Callable[[Handler], Handler]:
    """Make a function the handler of some kinds of nodes."""

    def register(handler: Handler) -> Handler:
        for kind in kinds:
            assert kind not in _HANDLERS, kind
            _HANDLERS[kind] = handler
        return handler

    return register


#: What may stand as an operand without parentheses.
_ATOMS: Final = (
    *(exp.Column, exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.Cast, exp.Anonymous),
    *(exp.Case, exp.Parameter, exp.Subquery, exp.Exists, exp.Window),
)


def operand(tree: exp.Expr) -> exp.Expr:
    """Return a tree that can stand as an operand of any operator."""
    if isinstance(tree, _ATOMS) or (
        isinstance(tree, exp.Func) and not isinstance(tree, (exp.Binary, exp.Connector))
    ):
        return tree
    return exp.Paren(this=tree)


def joined(kind: type[exp.And | exp.Or], parts: Sequence[exp.Expr]) -> exp.Expr:
    """Return the parts joined by AND or OR."""
    tree = operand(parts[0]) if len(parts) > 1 else parts[0]
    for part in parts[1:]:
        tree = kind(this=tree, expression=operand(part))
    return tree


def settled(value: Typed) -> Typed:
    """Return the value with text as its type if nothing gave it one."""
    if value.is_unknown:
        return coerce(value, TEXT, Coercion.IMPLICIT)
    return value


def again(value: Typed) -> Typed:
    """Return the value for another place in the tree."""
    tree = value.tree
    if type(tree) is exp.Column:  # Built anew: copying costs ten times as much.
        return column_of(tree.table, tree.name, value.type)
    return Typed(tree.copy(), value.type, value.scale_code)


def as_array(value: Typed) -> Typed:
    """Return a vector of the system catalogs as the array that it is; others as they are."""
    if value.type.oid in VECTORS:
        return Typed(value.tree, array_of(VECTORS[value.type.oid]))
    return value
