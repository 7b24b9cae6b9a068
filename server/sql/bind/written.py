"""Where in a statement's text a node of its tree was written.

sqlglot keeps the offsets of names, literals and calls. Those of operators, keywords, constants
such as TRUE and types are found here among the statement's tokens, by what stands around them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.lexing import tokenize
from server.sql.parser.tokens import CLOSING, OPENING
from server.sql.source import Source

#: The word that a node begins with and that has no offset in the tree.
_WORDS: Final[dict[type[exp.Expr], str]] = {
    exp.Case: "case",
    exp.Exists: "exists",
    exp.Array: "array",
    exp.Select: "select",
    exp.Values: "values",
    exp.Neg: "-",
    exp.Extract: "extract",
    exp.Trim: "trim",
    exp.Substring: "substring",
    exp.Overlay: "overlay",
    exp.StrPosition: "position",
}
_CONSTANTS: Final[dict[type[exp.Expr], tuple[str, ...]]] = {
    exp.Boolean: ("true", "false"),
    exp.Null: ("null",),
}
_OTHERS: Final = frozenset({exp.Subquery, exp.Cast, exp.Not, exp.Parameter})

#: What an operator begins with, between its operands.
SIGNS: Final = frozenset(
    """
    + - * / % ^ # & | << >> || = == <> != < <= > >= -> ->> #> #>> @> <@ && ~ ~* ! ~~ ~~* ? ?| ?& #-
    ^@ not like ilike similar is between in operator
    """.split()  # noqa: SIM905
)

#: Nodes that do not begin where the first of their children does.
NOT_AT_FIRST_CHILD: Final = _OTHERS | _WORDS.keys() | _CONSTANTS.keys()


class Written:
    """The tokens of a statement; offsets count in its text, from 0."""

    def __init__(self, text: str) -> None:
        self._tokens = tokenize(Source(text)).tokens
        self._by_offset = {token.start: i for i, token in enumerate(self._tokens)}
        self._constants: dict[int, int] = {}  # By id of node: where that was found.

    def start(self, node: exp.Expr) -> int | None:
        """Return where a node begins, or None."""
        return self._offset(self._first(node))

    def sign(self, left: exp.Expr, signs: Collection[str] = SIGNS) -> int | None:
        """Return where the operator stands that follows an operand, or None."""
        last = self._last(left)
        return None if last is None else self._offset(self._next(last + 1, signs))

    def is_not_null(self, left: exp.Expr) -> bool:
        """Tell whether IS NOT NULL follows an operand; sqlglot takes NOT before it for the same."""
        last = self._last(left)
        at = None if last is None else self._next(last + 1, {"is", "isnull", "notnull"})
        if at is None:
            return False
        words = [token.text.lower() for token in self._tokens[at : at + 2]]
        return words[0] == "notnull" or words == ["is", "not"]

    def type_name(self, node: exp.Expr) -> int | None:
        """Return where the type of a cast stands, or None."""
        return self._offset(self._type(node))

    def cast(self, node: exp.Expr) -> int | None:
        """Return where ``::`` of a cast stands, or CAST."""
        at = self._type(node)
        if at is not None and self._follows(TokenType.DCOLON, at):
            return self._offset(at - 1)
        return self.start(node)

    def word_before(self, node: exp.Expr, word: str) -> int | None:
        """Return where a word stands before a node, or None."""
        return self._offset(self._before(self._first(node), word))

    def _offset(self, at: int | None) -> int | None:
        return None if at is None else self._tokens[at].start

    def _first(self, node: exp.Expr) -> int | None:
        """Return the index of a node's first token, or None."""
        while isinstance(node, exp.Binary) and _own(node, "start") is None:
            node = node.this  # Of a long chain, without recursion.
        own = _own(node, "start")
        if own is not None:
            return self._by_offset.get(own)
        before = qualifier(node)
        if before is not None:
            return self._first(before)
        kind = type(node)
        if kind in _CONSTANTS:
            return self._constant(node, _CONSTANTS[kind])
        inner = next(
            (at for child in node.iter_expressions() if (at := self._first(child)) is not None),
            None,
        )
        if inner is None and kind is exp.Array:
            return self._constant(node, ("array",))  # It has no elements.
        if inner is None or kind not in NOT_AT_FIRST_CHILD:
            return inner
        if kind in _WORDS:
            found = self._before(inner, _WORDS[kind])
            return inner if found is None else found
        return self._first_of_other(node, inner)

    def _first_of_other(self, node: exp.Expr, inner: int) -> int:
        before = self._tokens[inner - 1] if inner else None
        if before is None:
            return inner
        if isinstance(node, exp.Not):
            found = self._before(inner, "not", through="(")
            return inner if found is None else found
        if isinstance(node, exp.Cast):
            if _is_idle(node) or not self._follows(TokenType.ALIAS, self._type(node)):
                return inner
            found = self._before(inner, "cast")
            return inner if found is None else found
        is_open = before.token_type is TokenType.L_PAREN
        return inner - 1 if is_open or isinstance(node, exp.Parameter) else inner

    def _follows(self, kind: TokenType, at: int | None) -> bool:
        """Whether a token of a kind stands before an index."""
        return at is not None and at > 0 and self._tokens[at - 1].token_type is kind

    def _before(self, at: int | None, word: str, *, through: str | None = None) -> int | None:
        """Return the last index before another at which a word stands, or None.

        Args:
            at: Where to begin.
            word: In lower case; one within closed brackets does not count.
            through: What alone may stand between.
        """
        if at is None:
            return None
        depth = 0
        for i in range(at - 1, -1, -1):
            token = self._tokens[i]
            if depth <= 0 and token.text.lower() == word and _is_bare(token):
                return i
            if through is not None and token.text != through:
                return None
            depth += (token.token_type in CLOSING) - (token.token_type in OPENING)
        return None

    def _next(self, at: int, signs: Collection[str]) -> int | None:
        """Return the next index at which one of some signs stands outside brackets, or None."""
        depth = 0
        for i in range(at, len(self._tokens)):
            token = self._tokens[i]
            if depth == 0 and token.text.lower() in signs and _is_bare(token):
                return i
            depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
            depth = max(depth, 0)  # What closes the operand was opened before it.
        return None

    def _last(self, node: exp.Expr) -> int | None:
        """Return the index of the last token of a node that is known, or None."""
        last: int | None = None
        for part in node.walk():
            at = self._first(part) if type(part) in _CONSTANTS else None
            own = _own(part, "start")
            if own is not None:
                at = self._by_offset.get(own)
            elif isinstance(part, exp.Cast):
                at = self._type(part)
            if at is not None and (last is None or at > last):
                last = at
        return last

    def _type(self, node: exp.Expr) -> int | None:
        last = self._last(node.this)
        if last is None:
            return None
        if last and isinstance(node.this, exp.Literal) and node.this.is_string:
            after = self._tokens[last + 1] if last + 1 < len(self._tokens) else None
            is_behind = after is not None and (
                after.token_type is TokenType.DCOLON
                or (after.token_type is TokenType.ALIAS and self._follows(TokenType.L_PAREN, last))
            )
            if not is_behind:
                return last - 1  # The type stands before the constant.
        found = self._next(last + 1, ("::", "as"))
        return None if found is None else found + 1

    def _constant(self, node: exp.Expr, words: Collection[str]) -> int | None:
        """Return where a constant without an offset stands, counted from what is before it."""
        known = self._constants.get(id(node))
        if known is not None:
            return known
        found = self._next_anywhere(self._end_before(node), words)
        if found is not None:
            self._constants[id(node)] = found
        return found

    def _next_anywhere(self, at: int, words: Collection[str]) -> int | None:
        for i in range(at, len(self._tokens)):
            if self._tokens[i].text.lower() in words and _is_bare(self._tokens[i]):
                return i
        return None

    def _end_before(self, node: exp.Expr) -> int:
        """Return the index after the last known token that precedes a node."""
        at: exp.Expr | None = node
        while at is not None and at.parent is not None:
            before = _sibling_before(at)
            last = None if before is None else self._last(before)
            if last is not None:
                return last + 1
            at = at.parent
            own = _own(at, "start")
            if own is not None:
                return self._by_offset.get(own, -1) + 1
        return 0


def qualifier(node: exp.Expr) -> exp.Expr | None:
    """Return what stands first before a name: the FROM item of a column, a relation's schema."""
    if isinstance(node, exp.Column):
        args = node.args
        found = args.get("catalog") or args.get("db") or args.get("table")
    elif isinstance(node, exp.Table):
        found = node.args.get("catalog") or node.args.get("db")
    else:
        return None
    return found if isinstance(found, exp.Expr) else None


def _is_idle(node: exp.Cast) -> bool:
    """Whether PostgreSQL drops a cast: of a constant without a type, or to the type it has."""
    inner = node.this
    while isinstance(inner, exp.Paren):
        inner = inner.this
    if isinstance(inner, exp.Cast):
        return bool(inner.args["to"] == node.args["to"])
    return isinstance(inner, exp.Null) or (isinstance(inner, exp.Literal) and inner.is_string)


def _own(node: exp.Expr, key: str) -> int | None:
    found = node.meta.get(key) if node._meta else None  # noqa: SLF001
    return found if isinstance(found, int) else None


def _is_bare(token: Token) -> bool:
    return token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)


def _sibling_before(node: exp.Expr) -> exp.Expr | None:
    parent = node.parent
    assert parent is not None
    if node.index and node.arg_key is not None:
        before: exp.Expr = parent.args[node.arg_key][node.index - 1]
        return before
    last: exp.Expr | None = None
    for child in parent.iter_expressions():
        if child is node:
            return last
        last = child
    return None
