"""What sqlglot's parser takes and PostgreSQL's does not, found in the tree; and folded names.

sqlglot reads many dialects at once. Everything of the others that changes what a query means is
refused here, so that the binder sees trees of PostgreSQL's grammar only.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, PgError, SqlSyntaxError
from server.sql.parser import precedence
from server.sql.parser.names import RESERVED, fold
from server.sql.query_tree import UNKNOWN_CALL
from server.sql.source import Source, position_of
from server.sql.sqlglot_errors import too_complex

#: Levels of a tree that passes over it may recurse into.
TREE_DEPTH_MAX: Final = 800

#: Below so many nodes no tree is too deep.
_NODES_UNSUSPICIOUS: Final = TREE_DEPTH_MAX


class _Place:
    """What an error needs to know: where the tree's offsets count."""

    __slots__ = ("source", "text")

    def __init__(self, text: str, source: Source) -> None:
        self.text = text
        self.source = source

    def near(self, node: exp.Expr) -> PgError:
        """Return a syntax error at the first token of a node."""
        position = position_of(node, self.source)
        if position is None:
            return SqlSyntaxError("syntax error")
        return SqlSyntaxError.near(self._token(position), position=position)

    def near_word(self, word: str, *, after: bool = False) -> PgError:
        """Return a syntax error at the first place where the word stands, or behind it."""
        found = re.search(rf"\b{word}\b\s*", self.text, re.IGNORECASE)
        if found is None:
            return SqlSyntaxError("syntax error")
        position = self.source.start + (found.end() if after else found.start()) + 1
        return SqlSyntaxError.near(self._token(position) or None, position=position)

    def near_pattern(self, pattern: re.Pattern[str]) -> PgError:
        """Return a syntax error at the first group of a pattern."""
        found = pattern.search(self.text)
        if found is None:
            return SqlSyntaxError("syntax error")
        group = found.lastindex or 0
        position = self.source.start + found.start(group) + 1
        return SqlSyntaxError.near(found[group], position=position)

    def near_operator(self, node: exp.Expr, operand: exp.Expr) -> PgError:
        """Return a syntax error at the operator that stands between a node and its operand.

        Words such as TRUE have no offset; then the operator is looked for behind the left side.
        """
        is_comparison = isinstance(node, precedence.COMPARISONS)
        position = position_of(operand, self.source)
        if position is not None:
            offset = position - self.source.start - 1
            found = precedence.operator_before(self.text, offset, is_comparison=is_comparison)
        else:
            left: exp.Expr = node.this
            last = position_of(_right_operand(left), self.source)
            found = precedence.operator_after(
                self.text,
                max(child.meta.get("start", 0) for child in left.walk()),
                is_comparison=is_comparison,
                skipped=int(last is None),
            )
        if found is None:
            return SqlSyntaxError("syntax error")
        return SqlSyntaxError.near(found[0], position=self.source.start + found.start() + 1)

    def _token(self, position: int) -> str:
        at = position - self.source.start - 1
        end = at
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] in "_$"):
            end += 1
        if end == at and self.text[at : at + 1] in {"'", '"'}:
            end = self.text.find(self.text[at], at + 1)
        return self.text[at : max(end + (self.text[at] in "'\""), at + 1)]


def checked(tree: exp.Expr, text: str, source: Source) -> exp.Expr:
    """Fold the names of a tree in place and return it.

    Args:
        tree: What sqlglot made of a query.
        text: What the offsets of its nodes count in.
        source: Where the statement stands.

    Raises:
        SqlSyntaxError: The query is not PostgreSQL's.
        FeatureNotSupported: A clause is understood and not available.
        StatementTooComplex: The tree is too deep for what comes after.
    """
    place = _Place(text, source)
    nodes = 0
    pending: list[exp.Expr] = [tree]
    while pending:
        node = pending.pop()
        nodes += 1
        rule = _RULES.get(type(node))
        if rule is not None:
            rule(node, place)
        for value in node.args.values():
            if isinstance(value, exp.Expr):
                pending.append(value)
            elif isinstance(value, list):
                pending += [child for child in value if isinstance(child, exp.Expr)]
    if nodes > _NODES_UNSUSPICIOUS:
        _flatten(tree)
        _check_depth(tree)
    return tree


def _flatten(tree: exp.Expr) -> None:
    """Make long chains of AND or OR, which sqlglot nests to the left, as flat as they can be."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, exp.And | exp.Or):
            operands = _operands(node)
            pending += operands
            if len(operands) > 8:
                half = len(operands) // 2
                node.set("this", _balanced(type(node), operands[:half]))
                node.set("expression", _balanced(type(node), operands[half:]))
        else:
            pending += node.iter_expressions()


def _operands(chain: exp.Expr) -> list[exp.Expr]:
    """Return the operands of a chain of one operator, from left to right."""
    operands = []
    node = chain
    while type(node) is type(chain):
        operands.append(node.args["expression"])
        node = node.args["this"]
    operands.append(node)
    operands.reverse()
    return operands


def _balanced(connector: type[exp.Expr], operands: list[exp.Expr]) -> exp.Expr:
    if len(operands) == 1:
        return operands[0]
    half = len(operands) // 2
    return connector(
        this=_balanced(connector, operands[:half]), expression=_balanced(connector, operands[half:])
    )


def _check_depth(tree: exp.Expr) -> None:
    level = [tree]
    for _ in range(TREE_DEPTH_MAX):
        level = [child for node in level for child in node.iter_expressions()]
        if not level:
            return
    raise too_complex()


def _fold_identifier(node: exp.Expr, place: _Place) -> None:
    name = node.args["this"]
    if not isinstance(name, str):
        return
    if node.args.get("quoted"):
        start = node.meta.get("start")
        if isinstance(start, int) and place.text[start : start + 1] in {"'", "$"}:
            raise place.near(node)
        node.args["this"] = fold(name, is_quoted=True)
        return
    folded = fold(name, is_quoted=False)
    if folded in RESERVED and not _may_be_reserved(node):
        raise place.near(node)
    node.args["this"] = folded


_NO_VALUES: Final = re.compile(r"\bvalues\b.*?\(\s*(\))", re.IGNORECASE | re.DOTALL)


def _refuse_no_values(node: exp.Expr, place: _Place) -> None:
    if any(isinstance(row, exp.Tuple) and not row.expressions for row in node.expressions):
        raise place.near_pattern(_NO_VALUES)


def _may_be_reserved(node: exp.Expr) -> bool:
    """Tell whether any word may stand here: after AS or a dot, or a function without brackets."""
    parent = node.parent
    if isinstance(parent, exp.Alias):
        return node.arg_key == "alias"
    if isinstance(parent, exp.Column):
        if parent.args.get("table") is None:
            return node.args["this"].lower() in _VALUE_FUNCTIONS
        return node.arg_key != "table" or parent.args.get("db") is not None
    if isinstance(parent, exp.Table):
        return node.arg_key == "this" and parent.args.get("db") is not None
    return isinstance(parent, exp.Dot | exp.DataType | exp.Collate) or node.arg_key == "expression"


_VALUE_FUNCTIONS: Final = frozenset({"user", "current_role", "current_catalog", "session_user"})


def _check_select(node: exp.Expr, place: _Place) -> None:
    args = node.args
    if args.get("qualify"):
        raise place.near_word("QUALIFY", after=True)
    if args.get("into"):
        raise SqlSyntaxError(
            "SELECT ... INTO is not allowed here",
            position=position_of(args["into"].this, place.source),
        )
    for clause in _FOREIGN_CLAUSES:
        value = args.get(clause)
        if value:
            raise (
                place.near(value) if isinstance(value, exp.Expr) else SqlSyntaxError("syntax error")
            )


_FOREIGN_CLAUSES: Final = (
    *("kind", "hint", "operation_modifiers", "match", "cluster", "distribute", "sort"),
    *("prewhere", "settings", "format", "options", "connect", "exclude", "sample"),
)


def _check_set_operation(node: exp.Expr, place: _Place) -> None:
    is_corresponding = node.args.get("by_name") and node.args.get("kind") == "INNER"
    if node.args.get("by_name") and not is_corresponding:
        raise place.near_word("BY NAME")
    if node.args.get("side") or (node.args.get("kind") and not is_corresponding):
        raise place.near_word("UNION")
    if is_corresponding and not _CORRESPONDING.search(place.text):
        raise place.near_word("INNER")


#: What the standard and the peer call it; of BY NAME sqlglot makes the same.
_CORRESPONDING: Final = re.compile(r"\bCORRESPONDING\b", re.IGNORECASE)


def _check_star(node: exp.Expr, place: _Place) -> None:
    if node.args.get("replace"):
        raise place.near_word("REPLACE")
    if node.args.get("rename"):
        raise place.near_word("RENAME")
    if node.args.get("except_") and "EXCLUDE" in place.text.upper():
        raise place.near_word("EXCLUDE")


def _check_join(node: exp.Expr, place: _Place) -> None:
    """Refuse a qualified name in USING, of which the parser keeps the column's alone."""
    for name in node.args.get("using") or ():
        start = name.meta.get("start")
        before = place.text[:start].rstrip() if isinstance(start, int) else ""
        if before.endswith("."):
            raise SqlSyntaxError.near(".", position=place.source.start + len(before))


def _check_table(node: exp.Expr, place: _Place) -> None:
    this = node.args.get("this")
    if isinstance(node, exp.Table) and isinstance(this, exp.Dot):
        dotted = ".".join(part.name for part in node.parts)
        raise SqlSyntaxError(
            f"improper qualified name (too many dotted names): {dotted}",
            position=position_of(node, place.source),
        )
    if isinstance(this, exp.Literal):
        raise place.near(this)
    if node.args.get("when"):
        raise place.near_pattern(_TABLE_WHEN)


_TABLE_WHEN: Final = re.compile(r"\b(?:AT|BEFORE|END)\s*(\()", re.IGNORECASE)


def _check_subquery(node: exp.Expr, place: _Place) -> None:
    """Refuse brackets around one table; they are for queries and joins."""
    this = node.args["this"]
    if type(this) is exp.Table and not this.args.get("joins") and not node.args.get("joins"):
        raise place.near(this)


def _check_lateral(node: exp.Expr, place: _Place) -> None:
    if node.args.get("view"):
        raise place.near_word("LATERAL VIEW")


def _check_group(node: exp.Expr, place: _Place) -> None:
    if not any(node.args.get(k) for k in ("expressions", "grouping_sets", "cube", "rollup")):
        raise place.near_word("ALL")
    if node.args.get("totals"):
        raise place.near_word("TOTALS")
    # Of other dialects: they say what the keys before them are for.
    if any(not part.expressions for key in ("rollup", "cube") for part in node.args.get(key) or ()):
        raise place.near_pattern(_WITH_SETS)


_WITH_SETS: Final = re.compile(r"\b(WITH)\s+(?:ROLLUP|CUBE)\b", re.IGNORECASE)


def _check_ordered(node: exp.Expr, place: _Place) -> None:
    if node.args.get("with_fill"):
        raise place.near_pattern(_WITH_FILL)


_WITH_FILL: Final = re.compile(r"\b(WITH)\s+FILL\b", re.IGNORECASE)


def _check_slice(node: exp.Expr, place: _Place) -> None:
    if (step := node.args.get("step")) is not None:
        raise place.near(step)


def _check_is(node: exp.Expr, place: _Place) -> None:
    right = node.args["expression"]
    if isinstance(right, exp.Anonymous) and right.this == UNKNOWN_CALL:
        return
    if not isinstance(right, exp.Null | exp.Boolean | exp.JSON):
        raise place.near(right)


def _check_in(node: exp.Expr, place: _Place) -> None:
    field = node.args.get("field")
    if isinstance(field, exp.Expr):
        raise place.near(field)
    if not node.args.get("query") and not node.args.get("expressions"):
        if node.args.get("unnest"):
            raise place.near_word("UNNEST")
        raise place.near_pattern(_EMPTY_LIST)


_EMPTY_LIST: Final = re.compile(r"\bIN\s*\(\s*(\))", re.IGNORECASE)


def _check_comparison(node: exp.Expr, place: _Place) -> None:
    second = precedence.second_comparison(node)
    if second is not None:
        raise place.near_operator(second, second.args["expression"])


def _check_range(node: exp.Expr, place: _Place) -> None:
    second = precedence.second_range(node)
    if second is not None:
        raise place.near_operator(second, _right_operand(second))


def _right_operand(node: exp.Expr) -> exp.Expr:
    """Return what stands behind BETWEEN, IN or LIKE."""
    for key in ("low", "query", "expression", "expressions"):
        value = node.args.get(key)
        if value:
            found: exp.Expr = value[0] if isinstance(value, list) else value
            return found
    return node


def _check_in_range(node: exp.Expr, place: _Place) -> None:
    _check_in(node, place)
    _check_range(node, place)


def _associate_left(node: exp.Expr, _place: _Place) -> None:
    precedence.associate_left(node)


def _check_sample(node: exp.Expr, place: _Place) -> None:
    if not node.args.get("method"):
        raise place.near_pattern(_SAMPLE)


_SAMPLE: Final = re.compile(r"\b(USING)\s+SAMPLE\b|\bTABLESAMPLE\s+(\S)", re.IGNORECASE)


def _check_cast(node: exp.Expr, place: _Place) -> None:
    if node.args.get("format") or node.args.get("default"):
        raise place.near_word("FORMAT")


def _check_limit(node: exp.Expr, place: _Place) -> None:
    if node.args.get("limit_options") and isinstance(node, exp.Limit):
        raise place.near_word("LIMIT")
    if node.args.get("expressions"):
        raise place.near_pattern(_LIMIT_BY)
    options = node.args.get("limit_options")
    if options is not None and options.args.get("percent"):
        raise place.near_word("PERCENT")


_LIMIT_BY: Final = re.compile(r"\bLIMIT\b.*?\b(BY)\b", re.IGNORECASE | re.DOTALL)


def _undo_brackets(node: exp.Expr, _place: _Place) -> None:
    """Take away the brackets that kept ``a -> 'key'`` from being a lambda."""
    outer = node.args["this"]
    inner = outer.args.get("this")
    if type(outer) is exp.Paren and type(inner) is exp.Paren:
        node.set("this", inner.args["this"])


def _current_user(node: exp.Expr, _place: _Place) -> None:
    """USER without quotes is a function."""
    this = node.args["this"]
    is_bare = type(this) is exp.Identifier and not this.args.get("quoted") and len(node.args) == 1
    if is_bare and this.args["this"].lower() == "user":
        node.replace(exp.CurrentUser())


def _refuse(node: exp.Expr, place: _Place) -> None:
    raise place.near(node)


def _refuse_writing(node: exp.Expr, place: _Place) -> None:
    if not isinstance(node.parent, exp.CTE):
        raise place.near(node)
    raise FeatureNotSupported(
        "WITH clause containing a data-modifying statement must be at the top level",
        position=position_of(node.parent.args["alias"], place.source),
    )


def _classes(modules: frozenset[str]) -> list[type[exp.Expr]]:
    """Return the classes of nodes that sqlglot defines in modules of ``sqlglot.expressions``."""
    return [
        member
        for _, member in inspect.getmembers(exp, inspect.isclass)
        if issubclass(member, exp.Expr)
        and member.__module__.rpartition(".")[2] in modules
        and member is not exp.Expr
    ]


_Rule = Callable[[exp.Expr, _Place], None]
_RULES: Final[dict[type[exp.Expr], _Rule]] = {
    exp.Values: _refuse_no_values,
    **dict.fromkeys(_classes(frozenset({"ddl", "properties"})), _refuse),
    **dict.fromkeys((exp.Insert, exp.Update, exp.Delete, exp.Merge), _refuse_writing),
    **dict.fromkeys((exp.Pivot, exp.Placeholder, exp.Lambda, exp.Connect, exp.Prior), _refuse),
    **dict.fromkeys((exp.MatchRecognize, exp.Cluster, exp.Distribute, exp.Sort), _refuse),
    **dict.fromkeys((exp.Hint, exp.JoinHint, exp.SessionParameter, exp.TryCast), _refuse),
    **dict.fromkeys((exp.Union, exp.Except, exp.Intersect), _check_set_operation),
    **dict.fromkeys((exp.Limit, exp.Fetch), _check_limit),
    **dict.fromkeys((exp.JSONExtract, exp.JSONExtractScalar), _undo_brackets),
    exp.Identifier: _fold_identifier,
    exp.TableSample: _check_sample,
    exp.Select: _check_select,
    exp.Star: _check_star,
    exp.Join: _check_join,
    exp.Table: _check_table,
    exp.Lateral: _check_lateral,
    exp.Subquery: _check_subquery,
    exp.Group: _check_group,
    exp.Ordered: _check_ordered,
    exp.Slice: _check_slice,
    exp.Is: _check_is,
    **dict.fromkeys(precedence.COMPARISONS, _check_comparison),
    **dict.fromkeys(precedence.RANGES, _check_range),
    **dict.fromkeys(precedence.MATCHES, _associate_left),
    exp.In: _check_in_range,
    exp.Cast: _check_cast,
    exp.Column: _current_user,
}
