"""Operators: which symbol a node stands for, chains of them, AND, OR and NOT, rows."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, SqlSyntaxError
from catalog.types import BOOL
from server.sql.bind.null_test import negated_null_test, row_fields
from server.sql.bind.quantified import bind_quantified, is_quantified
from server.sql.bind.walker import ROW_COMPARISON, Walker, again, handles, joined, operand
from server.sql.functions.registry import resolve_function
from server.sql.operators import OPERATOR_ERRORS, binary, like, unary
from server.sql.typed import Typed

#: PostgreSQL's operator for each of sqlglot's nodes.
SYMBOLS: Final[dict[type[exp.Expr], str]] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.Pow: "^",
    exp.BitwiseXor: "#",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
    exp.DPipe: "||",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.JSONExtract: "->",
    exp.JSONExtractScalar: "->>",
    exp.JSONBExtract: "#>",
    exp.JSONBExtractScalar: "#>>",
    exp.ArrayContainsAll: "@>",
    exp.ArrayContainedBy: "<@",
    exp.ArrayOverlaps: "&&",
    exp.RegexpLike: "~",
    exp.RegexpILike: "~*",
    exp.Like: "~~",
    exp.ILike: "~~*",
    exp.JSONBContainsTopKey: "?",
    exp.JSONBContainsAnyTopKeys: "?|",
    exp.JSONBContainsAllTopKeys: "?&",
    exp.JSONBDeleteAtPath: "#-",
    exp.JSONBPathExists: "@?",
    exp.StartsWith: "^@",
}

_UNARY: Final[dict[type[exp.Expr], str]] = {
    exp.Neg: "-",
    exp.BitwiseNot: "~",
    exp.Sqrt: "|/",
    exp.Cbrt: "||/",
    exp.Abs: "@",
}

_COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=")


@handles(*SYMBOLS)
def _bind_binary(walker: Walker, node: exp.Expr) -> Typed:
    """Walk down the left side of a chain, then build upwards."""
    chain: list[exp.Expr] = []
    while type(node) in SYMBOLS:
        chain.append(node)
        node = node.this
    left: Typed | None = None if row_fields(node) is not None else walker.bind(node)
    for link in reversed(chain):
        left = _bind_link(walker, link, left)
    assert left is not None
    return left


def _bind_link(walker: Walker, link: exp.Expr, left: Typed | None) -> Typed:
    symbol = SYMBOLS[type(link)]
    right_node = link.expression
    if left is None and is_quantified(right_node) and not right_node.find(exp.Query):
        left = walker.bind(link.this)  # A row, compared with others as one value.
    if left is None or row_fields(right_node) is not None:
        return _compare_rows(walker, symbol, link)
    if link.args.get("negate"):
        symbol = f"!{symbol}"
    if is_quantified(right_node):
        position = walker.sign_position(link.this)
        return bind_quantified(walker, symbol, left, right_node, position)
    return _operated(walker, symbol, left, walker.bind(right_node), link.this)


@handles(exp.MatchAgainst)
def _bind_match(walker: Walker, node: exp.Expr) -> Typed:
    """Bind ``left @@ right``, of which the parser has the sides exchanged."""
    (left,) = node.expressions
    return _operated(walker, "@@", walker.bind(left), walker.bind(node.this), left)


def _operated(walker: Walker, symbol: str, left: Typed, right: Typed, node: exp.Expr) -> Typed:
    """Return ``left symbol right``; ``node`` is the left operand, which the operator follows."""
    try:
        return binary(symbol, left, right)
    except OPERATOR_ERRORS as error:
        error.position = walker.sign_position(node)
        raise


def _negated(link: exp.Expr, value: Typed) -> Typed:
    if link.args.get("negate"):
        return Typed(exp.Not(this=operand(value.tree)), BOOL)
    return value


def _compare_rows(walker: Walker, symbol: str, link: exp.Expr) -> Typed:
    position = walker.sign_position(link.this)
    left, right = row_fields(link.this), row_fields(link.expression)
    if left is None or right is None or symbol not in _COMPARISONS:
        # A row that is compared with a value is one value itself.
        sides = [walker.bind(side) for side in (link.this, link.expression)]
        return _operated(walker, symbol, sides[0], sides[1], link.this)
    before = walker.sets
    compared = compare_rows(
        symbol,
        [walker.bind(field) for field in left],
        [walker.bind(field) for field in right],
        position,
    )
    walker.refuse_sets(before, ROW_COMPARISON, link)
    return compared


def compare_rows(symbol: str, left: list[Typed], right: list[Typed], position: int | None) -> Typed:
    """Return the comparison of two rows, field by field as the standard says.

    Raises:
        SqlSyntaxError: They are of different lengths.
    """
    if len(left) != len(right):
        raise SqlSyntaxError("unequal number of entries in row expressions", position=position)
    if not left:
        raise FeatureNotSupported("cannot compare rows of zero length", position=position)
    pairs = list(zip(left, right, strict=True))
    if symbol in ("=", "<>"):
        parts = [binary(symbol, a, b, position=position).tree for a, b in pairs]
        return Typed(joined(exp.And if symbol == "=" else exp.Or, parts), BOOL)
    strict = symbol[0]
    last = binary(symbol, *pairs[-1], position=position).tree
    for a, b in reversed(pairs[:-1]):
        first = binary(strict, again(a), again(b), position=position).tree
        equal = binary("=", a, b, position=position).tree
        last = joined(exp.Or, [first, joined(exp.And, [equal, last])])
    return Typed(last, BOOL)


@handles(exp.And, exp.Or)
def _bind_connector(walker: Walker, node: exp.Expr) -> Typed:
    kind = exp.And if isinstance(node, exp.And) else exp.Or
    parts: list[exp.Expr] = []
    pending: list[exp.Expr] = [node]
    while pending:
        part = pending.pop()
        if type(part) is kind:
            pending += (part.expression, part.this)
        else:
            parts.append(walker.condition(part, "AND" if kind is exp.And else "OR"))
    return Typed(joined(kind, parts), BOOL)


@handles(exp.Not)
def _bind_not(walker: Walker, node: exp.Expr) -> Typed:
    negations = 0
    above = node
    while isinstance(node, (exp.Not, exp.Paren)):
        negations += isinstance(node, exp.Not)
        above, node = node, node.this
    is_null = isinstance(node, exp.Is) and isinstance(node.expression, exp.Null)
    if isinstance(above, exp.Not) and is_null:
        negations -= 1
        tree = negated_null_test(walker, node.this).tree
    else:
        tree = walker.condition(node, "NOT")
    for _ in range(negations):
        tree = exp.Not(this=operand(tree))
    return Typed(tree, BOOL)


@handles(*_UNARY)
def _bind_unary(walker: Walker, node: exp.Expr) -> Typed:
    value = walker.bind(node.this)
    try:
        return unary(_UNARY[type(node)], value)
    except OPERATOR_ERRORS as error:
        error.position = walker.position(node)
        raise


@handles(exp.Operator)
def _bind_qualified_operator(walker: Walker, node: exp.Expr) -> Typed:
    """Bind ``a OPERATOR(pg_catalog.~) b``."""
    symbol = str(node.args["operator"]).rpartition(".")[2].strip()
    left, right = walker.bind(node.this), node.expression
    if is_quantified(right):
        position = walker.sign_position(node.this)
        return bind_quantified(walker, symbol, left, right, position)
    return _operated(walker, symbol, left, walker.bind(right), node.this)


@handles(exp.Escape)
def _bind_escape(walker: Walker, node: exp.Expr) -> Typed:
    """Bind LIKE with an ESCAPE of the user's own."""
    inner = node.this
    left, right = walker.bind(inner.this), walker.bind(inner.expression)
    escape = walker.bind(node.expression)
    position = walker.position(node)
    if isinstance(inner, exp.SimilarTo):
        value = resolve_function("similar_to", [left, right, escape], position=position)
    else:
        value = like(SYMBOLS[type(inner)], left, right, escape, position=position)
    return _negated(inner, value)


@handles(exp.NullSafeEQ, exp.NullSafeNEQ)
def _bind_distinct_from(walker: Walker, node: exp.Expr) -> Typed:
    symbol = "IS NOT DISTINCT FROM" if isinstance(node, exp.NullSafeEQ) else "IS DISTINCT FROM"
    left, right = walker.bind(node.this), walker.bind(node.expression)
    return _operated(walker, symbol, left, right, node.this)


@handles(exp.SimilarTo)
def _bind_similar(walker: Walker, node: exp.Expr) -> Typed:
    left, right = walker.bind(node.this), walker.bind(node.expression)
    value = resolve_function("similar_to", [left, right], position=walker.position(node))
    return _negated(node, value)
