"""What can be told wrong from the tokens alone, before any parser that recurses sees them.

Brackets must match, nesting has a limit, commas and string literals must have something between
them, and spellings of other dialects that sqlglot takes without a word are refused. One pass over
the tokens, as fast as it can be: an INSERT may have millions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from catalog.errors import PgError, SqlSyntaxError
from server.sql.parser.lexing import Lexed
from server.sql.query_tree import AGGREGATE
from server.sql.sqlglot_errors import DIALECT, near, too_complex

#: Brackets, CASEs and prefix operators that may be open at once.
NESTING_MAX: Final = 200

#: Types and ARRAY before an open bracket: sqlglot tries both readings of each, so time doubles.
_TYPED_NESTING_MAX: Final = 10

#: Subscripts one after the other; sqlglot looks at all of them again for each.
_SUBSCRIPTS_MAX: Final = 20

_OPENING: Final = {
    TokenType.L_PAREN: TokenType.R_PAREN,
    TokenType.L_BRACKET: TokenType.R_BRACKET,
    TokenType.CASE: TokenType.END,
}
_CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET})
_TYPES: Final = frozenset(DIALECT.parser_class.TYPE_TOKENS) - {TokenType.UNION}

#: Characters before JOIN among which NATURAL is looked for.
_JOIN_WORDS_MAX: Final = 80

#: Words after which no operand has been said yet, so that a comma or another clause cannot follow.
_CLAUSES: Final = frozenset(
    {
        TokenType.FROM,
        TokenType.WHERE,
        TokenType.GROUP_BY,
        TokenType.HAVING,
        TokenType.ORDER_BY,
        TokenType.LIMIT,
        TokenType.UNION,
        TokenType.INTERSECT,
        TokenType.EXCEPT,
    }
)
_NEVER_LAST: Final = _CLAUSES | {
    *(TokenType.COMMA, TokenType.ALIAS, TokenType.DISTINCT, TokenType.TABLE_SAMPLE),
    *(TokenType.AND, TokenType.OR, TokenType.NOT, TokenType.JOIN, TokenType.USING),
}
#: After these any word may be a name.
_BEFORE_LABELS: Final = frozenset({TokenType.ALIAS, TokenType.DOT})

_ENDS_JOINS: Final = _CLAUSES - {TokenType.FROM}
_PREFIXES: Final = frozenset({TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE})
_CALLS_WITH_FROM: Final = frozenset({"EXTRACT", "OVERLAY", "SUBSTRING", "TRIM"})
_QUERY_BEFORE_FROM: Final = frozenset({TokenType.UNION, TokenType.INTERSECT, TokenType.L_PAREN})
_REFUSED: Final = frozenset(
    {
        *(TokenType.L_BRACE, TokenType.R_BRACE, TokenType.BLOCK_START, TokenType.BLOCK_END),
        *(TokenType.BACKSLASH, TokenType.DQMARK, TokenType.PIPE_GT),
        *(TokenType.QDCOLON, TokenType.GLOB, TokenType.NULLSAFE_EQ),
    }
)


class _Shape:
    """The state of the pass: what is open, and which joins still need their condition."""

    def __init__(self, lexed: Lexed) -> None:
        self.lexed = lexed
        self.open: list[TokenType] = []
        self.joins = [0]  #: By depth of brackets, JOINs without ON or USING yet.
        self.limits: list[Token | None] = [None]  #: By depth of brackets, the LIMIT begun.
        self.in_call_with_from = [False]  #: By depth, whether it is a call such as TRIM(...).
        self.prefixes = 0
        self.subscripts = 0
        self.is_after_distinct = False  #: Whether DISTINCT comes before the token before.
        self.has_select = False  #: Whether a SELECT has come.
        self.is_said = False  #: Whether another token says what this one does.
        #: Whether SELECT is a privilege rather than the beginning of a query.
        first = lexed.tokens[0].text.upper() if lexed.tokens else ""
        self.names_privileges = first in {"GRANT", "REVOKE", "ALTER"}
        #: Whether a list may end with a comma: of CREATE TABLE, up to its AS, of CREATE SOURCE, and
        #: of a sink's WITH. The peer has it so.
        first_words = [t.text.upper() for t in lexed.tokens[:2]]
        self.may_end_with_comma = first_words in (["CREATE", "TABLE"], ["CREATE", "SOURCE"])
        self.is_sink = first_words[1:] == ["SINK"]
        self.typed: list[int] = []  #: Depths at which a type or ARRAY opened a bracket.

    def error(self, token: Token | None) -> SqlSyntaxError:
        return near(token, self.lexed.text, self.lexed.source)

    def at(self, token: Token, message: str, hint: str | None = None) -> PgError:
        position = self.lexed.source.start + token.start + 1
        return SqlSyntaxError(message, hint=hint, position=position)

    def written(self, token: Token) -> str:
        return self.lexed.text[token.start : token.end + 1]


def check(lexed: Lexed) -> None:
    """Look at every token once; string literals on several lines are joined on the way.

    Raises:
        SqlSyntaxError: No statement has such tokens.
        StatementTooComplex: They are nested too deeply.
    """
    shape = _Shape(lexed)
    previous: Token | None = None
    continued: set[int] = set()
    for index, token in enumerate(lexed.tokens):
        kind = token.token_type
        before = lexed.tokens[index - 2].token_type if index > 1 else None
        shape.is_after_distinct = before is TokenType.DISTINCT
        if kind in _STRUCTURE and _is_name(shape, token, previous, index):
            token.token_type = kind = TokenType.VAR
        if kind is TokenType.ALIAS and not shape.open:
            shape.may_end_with_comma = False
        if kind is TokenType.WITH and not shape.open and shape.is_sink:
            shape.may_end_with_comma = True
        shape.has_select |= kind is TokenType.SELECT
        rule = _RULES.get(kind)
        if rule is not None:
            rule(shape, token, previous)
            if shape.is_said:
                shape.is_said = False
                continued.add(index)
                continue
            if kind is TokenType.STRING and _continues(shape, token, previous, index):
                continued.add(index)
                assert previous is not None
                previous.text += token.text
                previous.end = token.end
                continue
        if kind in _PREFIXES:
            shape.prefixes += 1
            if shape.prefixes > NESTING_MAX:
                raise too_complex()
        else:
            shape.prefixes = 0
        if previous is not None and previous.token_type is TokenType.COMMA:
            _check_after_comma(shape, token)
        previous = token
    _check_end(shape, previous)
    if continued:
        lexed.tokens[:] = [t for i, t in enumerate(lexed.tokens) if i not in continued]


def _is_name(shape: _Shape, token: Token, previous: Token | None, index: int) -> bool:
    """Tell whether a word is a name: any may be behind a dot, or the label of a column behind AS.

    Before the first SELECT, what stands behind AS may be a query.
    """
    if previous is None or previous.token_type not in _BEFORE_LABELS:
        return False
    if previous.token_type is TokenType.DOT:
        return True
    tokens = shape.lexed.tokens
    following = tokens[index + 1].text.upper() if index + 1 < len(tokens) else ""
    is_not_materialized = token.token_type is TokenType.NOT and following == "MATERIALIZED"
    return shape.has_select and not is_not_materialized


def _check_after_comma(shape: _Shape, token: Token) -> None:
    kind = token.token_type
    if kind is TokenType.R_PAREN and not shape.open and shape.may_end_with_comma:
        return
    if kind in _CLOSING or kind in _CLAUSES or kind is TokenType.COMMA:
        raise shape.error(token)


def _check_end(shape: _Shape, last: Token | None) -> None:
    if shape.open or shape.joins[-1]:
        raise shape.error(None)
    tokens = shape.lexed.tokens
    if last is None or len(tokens) < 2 or tokens[-2].token_type in _BEFORE_LABELS:
        return
    is_fetch = tokens[-2].token_type is TokenType.FETCH and len(tokens) > 2
    if last.token_type in _NEVER_LAST or (is_fetch and last.text.upper() in {"FIRST", "NEXT"}):
        raise shape.error(None)


def _continues(shape: _Shape, token: Token, previous: Token | None, index: int) -> bool:
    """Tell whether a string continues the one before; they must stand on different lines."""
    if index == 0 or previous is None or previous.token_type is not TokenType.STRING:
        return False
    between = shape.lexed.text[previous.end + 1 : token.start]
    if "\n" not in between and "\r" not in between:
        raise shape.error(token)
    return True


def _open(shape: _Shape, token: Token, previous: Token | None) -> None:
    depth = len(shape.open)
    if depth >= NESTING_MAX:
        raise too_complex()
    if previous is not None and previous.token_type in _TYPES:
        shape.typed.append(depth)
        if len(shape.typed) > _TYPED_NESTING_MAX:
            raise too_complex()
    shape.open.append(_OPENING[token.token_type])
    shape.joins.append(0)
    shape.limits.append(None)
    is_call = previous is not None and previous.text.upper() in _CALLS_WITH_FROM
    shape.in_call_with_from.append(is_call)


def _open_subscript(shape: _Shape, token: Token, previous: Token | None) -> None:
    follows = previous is not None and previous.token_type is TokenType.R_BRACKET
    shape.subscripts = shape.subscripts + 1 if follows else 0
    if shape.subscripts > _SUBSCRIPTS_MAX:
        raise too_complex()
    _open(shape, token, previous)


def _open_case(shape: _Shape, token: Token, previous: Token | None) -> None:
    if previous is None or previous.token_type not in _BEFORE_LABELS:
        _open(shape, token, None)


def _close(shape: _Shape, token: Token, previous: Token | None) -> None:
    if not shape.open or shape.open[-1] is not token.token_type or shape.joins[-1]:
        raise shape.error(token)
    may_end_with_comma = shape.may_end_with_comma and len(shape.open) == 1
    if previous is not None and previous.token_type is TokenType.COMMA and not may_end_with_comma:
        raise shape.error(token)
    shape.open.pop()
    shape.joins.pop()
    shape.limits.pop()
    shape.in_call_with_from.pop()
    if shape.typed and shape.typed[-1] == len(shape.open):
        shape.typed.pop()


def _close_case(shape: _Shape, token: Token, previous: Token | None) -> None:
    if shape.open and shape.open[-1] is TokenType.END:
        _close(shape, token, previous)


def _comma(shape: _Shape, token: Token, previous: Token | None) -> None:
    if previous is None or previous.token_type is TokenType.L_PAREN:
        raise shape.error(token)
    if previous.token_type is TokenType.SELECT and not shape.names_privileges:
        raise shape.error(token)
    if shape.joins[-1]:
        raise shape.error(token)
    limit = shape.limits[-1]
    if limit is not None:
        raise shape.at(
            limit, "LIMIT #,# syntax is not supported", "Use separate LIMIT and OFFSET clauses."
        )


def _clause(shape: _Shape, token: Token, previous: Token | None) -> None:
    before = None if previous is None else previous.token_type
    if before in _BEFORE_LABELS:
        return
    if before in _CLAUSES:
        raise shape.error(token)
    if shape.joins[-1] and token.token_type in _ENDS_JOINS:
        raise shape.error(token)
    if token.token_type is TokenType.FROM:
        _check_from(shape, token, previous)
    shape.limits[-1] = token if token.token_type is TokenType.LIMIT else None


def _check_from(shape: _Shape, token: Token, previous: Token | None) -> None:
    """Refuse queries that begin with FROM."""
    if previous is None or previous.token_type not in _QUERY_BEFORE_FROM:
        return
    if not shape.in_call_with_from[-1]:
        raise shape.error(token)


def _offset(shape: _Shape, _token: Token, _previous: Token | None) -> None:
    shape.limits[-1] = None


def _join(shape: _Shape, token: Token, previous: Token | None) -> None:
    if previous is None:
        raise shape.error(token)
    if previous.token_type in {TokenType.SEMI, TokenType.ANTI}:
        raise shape.error(previous)
    before = shape.lexed.text[max(0, token.start - _JOIN_WORDS_MAX) : token.start].upper()
    if previous.token_type is not TokenType.CROSS and "NATURAL" not in before.split()[-3:]:
        shape.joins[-1] += 1


def _join_condition(shape: _Shape, _token: Token, _previous: Token | None) -> None:
    shape.joins[-1] = max(0, shape.joins[-1] - 1)


def _number(shape: _Shape, token: Token, previous: Token | None) -> None:
    if previous is not None and previous.text.upper() == "INTERVAL":
        raise shape.error(token)
    following = shape.lexed.text[token.end + 1 : token.end + 2]
    if following == "_" or following.isalnum() or token.text[-1:] in "eE":
        raise _junk(shape, token)


def _hexadecimal(shape: _Shape, token: Token, _previous: Token | None) -> None:
    if shape.written(token)[0] == "0":
        raise _junk(shape, token)


def _junk(shape: _Shape, token: Token) -> PgError:
    text = shape.lexed.text
    end = token.end + 1
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    literal = text[token.start : end]
    return shape.at(token, f'trailing junk after numeric literal at or near "{literal}"')


def _string(shape: _Shape, token: Token, previous: Token | None) -> None:
    """Refuse a string where a name must stand."""
    if previous is not None and previous.token_type in {
        TokenType.FROM,
        TokenType.JOIN,
        TokenType.INTO,
        TokenType.ALIAS,
    }:
        if previous.token_type is TokenType.FROM and (
            shape.in_call_with_from[-1] or shape.is_after_distinct
        ):
            return
        words = shape.lexed.tokens[0].text.upper()
        if not (words == "COPY" or words.startswith(("CREATE", "ALTER"))):
            raise shape.error(token)


def _national_string(_shape: _Shape, token: Token, _previous: Token | None) -> None:
    token.token_type = TokenType.STRING


def _identifier(shape: _Shape, token: Token, _previous: Token | None) -> None:
    if not token.text:
        raise shape.at(token, 'zero-length delimited identifier at or near """"')


def _parameter(shape: _Shape, token: Token, _previous: Token | None) -> None:
    """Tell the dollar of a parameter from ``@``, which the tokenizer was given for it."""
    token.text = shape.written(token)
    if token.text == "$" and not shape.lexed.text[token.end + 1 : token.end + 2].isdigit():
        raise shape.error(token)


def _refused(shape: _Shape, token: Token, _previous: Token | None) -> None:
    raise shape.error(token)


def _placeholder(shape: _Shape, token: Token, previous: Token | None) -> None:
    """Take ``?`` between operands only, where it is an operator of jsonb."""
    if previous is None or previous.token_type in _CLAUSES | {
        TokenType.SELECT,
        TokenType.L_PAREN,
        TokenType.COMMA,
        TokenType.EQ,
        TokenType.VALUES,
    }:
        raise shape.error(token)


def _colon(shape: _Shape, token: Token, previous: Token | None) -> None:
    """Take ``:`` in a slice and in ``aggregate:name(...)`` only."""
    is_prefix = previous is not None and previous.text.lower() == AGGREGATE
    if TokenType.R_BRACKET not in shape.open and not is_prefix:
        raise shape.error(token)


def _equals(shape: _Shape, token: Token, _previous: Token | None) -> None:
    if shape.written(token) == "==":
        raise shape.error(token)


def _not(shape: _Shape, token: Token, _previous: Token | None) -> None:
    """Refuse ``!`` unless it begins an operator such as ``!~``."""
    if shape.written(token) == "!" and shape.lexed.text[token.end + 1 : token.end + 2] != "~":
        raise shape.error(token)


def _less_or_greater(shape: _Shape, token: Token, previous: Token | None) -> None:
    """Take USING < and USING > of ORDER BY as ASC and DESC."""
    if previous is not None and previous.token_type is TokenType.USING:
        is_less = token.token_type is TokenType.LT
        previous.token_type = TokenType.ASC if is_less else TokenType.DESC
        shape.is_said = True


def _matches(shape: _Shape, token: Token, _previous: Token | None) -> None:
    if shape.written(token) != "~":
        raise shape.error(token)


#: Words with a meaning of their own, which they do not have as names.
_STRUCTURE: Final = _ENDS_JOINS | {
    *(TokenType.FROM, TokenType.SELECT, TokenType.CASE, TokenType.END, TokenType.JOIN),
    *(TokenType.ON, TokenType.USING, TokenType.OFFSET, TokenType.FETCH, TokenType.FOR),
    *(TokenType.DISTINCT, TokenType.ALIAS, TokenType.WITH, TokenType.TABLE, TokenType.INTO),
    *(TokenType.AND, TokenType.OR, TokenType.NOT, TokenType.IN, TokenType.IS, TokenType.ALL),
    TokenType.UNKNOWN,
}

_Rule = Callable[[_Shape, Token, Token | None], None]
_RULES: Final[dict[TokenType, _Rule]] = {
    TokenType.L_PAREN: _open,
    TokenType.L_BRACKET: _open_subscript,
    **dict.fromkeys(_CLOSING, _close),
    **dict.fromkeys(_CLAUSES, _clause),
    **dict.fromkeys(_REFUSED, _refused),
    **dict.fromkeys((TokenType.OFFSET, TokenType.FETCH, TokenType.FOR), _offset),
    TokenType.CASE: _open_case,
    TokenType.END: _close_case,
    TokenType.COMMA: _comma,
    TokenType.JOIN: _join,
    TokenType.ON: _join_condition,
    TokenType.USING: _join_condition,
    TokenType.NUMBER: _number,
    TokenType.HEX_STRING: _hexadecimal,
    TokenType.STRING: _string,
    TokenType.NATIONAL_STRING: _national_string,
    TokenType.IDENTIFIER: _identifier,
    TokenType.PARAMETER: _parameter,
    TokenType.PLACEHOLDER: _placeholder,
    TokenType.COLON: _colon,
    TokenType.EQ: _equals,
    TokenType.RLIKE: _matches,
    TokenType.LT: _less_or_greater,
    TokenType.GT: _less_or_greater,
    TokenType.NOT: _not,
}
