"""PostgreSQL's query text as a sqlglot tree that has lost nothing.

sqlglot's parser understands functions: ``to_char(d, 'YYYY')`` becomes a ``TimeToStr`` with the
format ``%Y``, ``a[1]`` an access at 0. What the user wrote cannot be told from that again, so the
tokens are prepared before they are parsed: a function's name gets a mark that no known function
has, and what stands in brackets or after ``->`` is put into a call that means its argument.
``restored`` takes both away from the tree, which then holds every call as ``exp.Anonymous``.
Unquoted words are folded to lower case on the way, as PostgreSQL does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.changelog import CHANGELOG, with_changelogs
from server.sql.parser.join_alias import with_join_aliases
from server.sql.parser.keyword_call import COLLATION, SUBSTRING, with_keyword_calls
from server.sql.parser.normalization import NORMALIZATION, called, with_normalizations
from server.sql.parser.prefix_operator import PREFIX_CALLS, PREFIX_KINDS, begins_operand, with_calls
from server.sql.parser.search_cycle import take_clauses, with_clauses_apart
from server.sql.parser.session_frame import GAP, with_session_frames
from server.sql.parser.tokens import after_closing, opening_of, parenthesis, retold, word
from server.sql.parser.trim_call import TRIM, with_trim_calls
from server.sql.parser.typed_constant import INTERVAL_CALL, boundless_bits, with_casts
from server.sql.parser.with_values import with_selected_values

#: In the meta of a tree's root: the text that offsets count in.
TEXT: Final = "text"

#: Stands before the name of a function.
_MARK: Final = "pg:"

#: The name of the call that stands on the right of IS UNKNOWN; to sqlglot it is IS NULL.
UNKNOWN_CALL: Final = "is unknown"

#: Before the name of a function over arrays that is called as an aggregate, as RisingWave has it:
#: its argument is the array of what is aggregated.
AGGREGATE: Final = "aggregate"
AGGREGATE_PREFIX: Final = f"{AGGREGATE}:"

#: The number of a statement in WITH that writes, in the ``meta`` of the query in its place.
WRITE: Final = "write"

#: The name of the call that means its only argument.
_OPERAND: Final = _MARK + "operand"

_DIALECT: Final = Dialect.get_or_raise("risingwave")

#: Tokens whose text is not folded.
_VERBATIM: Final = frozenset(
    {
        *(TokenType.STRING, TokenType.IDENTIFIER, TokenType.BIT_STRING, TokenType.BYTE_STRING),
        *(TokenType.HEX_STRING, TokenType.HEREDOC_STRING, TokenType.RAW_STRING),
        *(TokenType.NATIONAL_STRING, TokenType.UNICODE_STRING, TokenType.NUMBER),
    }
)

#: Words that sqlglot knows as functions and that are grammar, or have a syntax of their own.
_NOT_MARKED: Final = frozenset(
    """
    all and any array case cast cross cube current_date current_time current_timestamp exists
    extract filter glob ilike in interval is lateral like limit localtime localtimestamp not or
    over overlay position range rollup row similar some struct substring table trim try_cast
    unnest values xor
    """.split()  # noqa: SIM905
)

#: Words of calls whose arguments words may set apart.
_SPLIT_CALLS: Final = frozenset((SUBSTRING, COLLATION))

#: Words that are operators, and functions where an operand begins: ``like('abc', 'a%')``.
_OPERATORS: Final = frozenset({"glob", "ilike", "like"})

#: Names whose calls would be rebuilt.
_MARKED: Final = (
    frozenset(
        name.lower()
        for name in (*_DIALECT.parser_class.FUNCTIONS, *_DIALECT.parser_class.FUNCTION_PARSERS)
    )
    - _NOT_MARKED
)

#: What may stand right before the name of a relation or column with a list, so that the
#: parenthesis opens no call: ``AS t(a)``, ``INSERT INTO t (a)``, ``WITH r(n) AS``.
_NAMES_FOLLOW: Final = frozenset(
    {
        *(TokenType.ALIAS, TokenType.INTO, TokenType.WITH, TokenType.RECURSIVE, TokenType.DCOLON),
        *(TokenType.R_PAREN, TokenType.VAR, TokenType.IDENTIFIER, TokenType.UPDATE),
    }
)

#: After these a bracket opens a subscript.
_SUBSCRIPTED: Final = frozenset(
    {TokenType.VAR, TokenType.IDENTIFIER, TokenType.R_PAREN, TokenType.R_BRACKET}
)

_OPENING: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET})
_CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET})


def restored(tree: exp.Expr) -> exp.Expr:
    """Take the marks off a tree that was parsed from prepared tokens, in place."""
    pending: list[exp.Expr] = [tree]
    while pending:
        node = pending.pop()
        if type(node) is exp.Anonymous and isinstance(node.this, str):
            meant = _meant(node)
            if meant is not None:
                if node is tree:
                    meant.pop()
                    tree = meant
                else:
                    node.replace(meant)
                pending.append(meant)
                continue
            if node.this.startswith(_MARK):
                node.args["this"] = node.this[len(_MARK) :]
        elif type(node) is exp.CTE:
            take_clauses(node)
        elif type(node) is exp.Is and (call := called(node)) is not None:
            if node is tree:
                tree = call
            else:
                node.replace(call)
            pending.append(call)
            continue
        pending.extend(node.iter_expressions())
    return tree


def _meant(node: exp.Expr) -> exp.Expr | None:
    """Return what a call that was made of something else stands for, or None."""
    if node.this == _OPERAND:
        operand: exp.Expr = node.expressions[0]
        return operand
    if node.this == INTERVAL_CALL:
        text, fields = node.expressions
        return exp.Interval(this=text, unit=exp.Var(this=fields.name) if fields.name else None)
    prefix = PREFIX_CALLS.get(node.this)
    if prefix is None:
        return None
    made = prefix(this=node.expressions[0])
    made.meta.update(node.meta)  # Where it stands.
    return made


def function_name(node: exp.Anonymous) -> str:
    """Return a function's name as the user wrote it, folded unless quoted."""
    return node.this if isinstance(node.this, str) else str(node.this.name)


def _rewritten(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens with what sqlglot does not know, or reads otherwise, said as it does."""
    kinds = {token.token_type for token in tokens}
    if TokenType.WITH in kinds and any(token.text.lower() == GAP for token in tokens):
        tokens = with_session_frames(tokens)  # Before ``gap '1 minute'`` is read as a constant.
    if TokenType.BIT in kinds or {TokenType.DCOLON, TokenType.IDENTIFIER} <= kinds:
        tokens = _with_bits(tokens)
    if TokenType.STRING in kinds:
        tokens = with_casts(tokens)
    if not kinds.isdisjoint(PREFIX_KINDS):
        tokens = with_calls(tokens)
    if TokenType.COLON in kinds:
        tokens = _with_wrapped_calls(tokens)
    if TokenType.USING in kinds and TokenType.ALIAS in kinds:
        tokens = with_join_aliases(tokens)
    if TokenType.WITH in kinds:
        if any(token.text.lower() == CHANGELOG for token in tokens):
            tokens = with_changelogs(tokens)
        tokens = with_clauses_apart(tokens)
        if TokenType.VALUES in kinds:
            tokens = with_selected_values(tokens)
    if TokenType.OBJECT_IDENTIFIER in kinds:
        tokens = _with_array_names(tokens)
    if TokenType.FROM in kinds and any(token.text.lower() == TRIM for token in tokens):
        tokens = with_trim_calls(tokens)
    words = {token.text.lower() for token in tokens}
    if not words.isdisjoint(NORMALIZATION):
        tokens = with_normalizations(tokens)
    if not words.isdisjoint(_SPLIT_CALLS):
        tokens = with_keyword_calls(tokens)
    return tokens


def prepare(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens, folded and with marks, such that parsing them loses nothing."""
    tokens = _rewritten(tokens)
    prepared: list[Token] = []
    closers: list[bool] = []  # of each open bracket: whether an operand's call must be closed too
    last = len(tokens) - 1
    for i, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPENING:
            is_operand = kind is TokenType.L_BRACKET and _opens_subscript(tokens, i)
            prepared.append(token)
            if is_operand:
                prepared += (retold(token, _OPERAND), parenthesis(token, TokenType.L_PAREN))
            closers.append(is_operand)
            continue
        if kind in _CLOSING:
            if closers and closers.pop():
                prepared.append(parenthesis(token, TokenType.R_PAREN))
            prepared.append(token)
            continue
        if kind in _VERBATIM:
            if i and tokens[i - 1].token_type in (TokenType.ARROW, TokenType.DARROW):
                prepared += (retold(token, _OPERAND), parenthesis(token, TokenType.L_PAREN), token)
                prepared.append(parenthesis(token, TokenType.R_PAREN))
                continue
            prepared.append(token)
            continue
        if kind is TokenType.UNKNOWN:
            prepared += _unknown(tokens, i)
            continue
        text = token.text.lower()
        if i < last and tokens[i + 1].token_type is TokenType.L_PAREN and _is_call(tokens, i, text):
            prepared.append(retold(token, _MARK + text))
        elif text != token.text:
            prepared.append(retold(token, text, kind))
        else:
            prepared.append(token)
    return prepared


def _with_bits(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with types of bits by names that sqlglot takes for nothing else.

    It does not know ``bit varying``, and has no other meaning for ``"bit"`` than for ``bit``.
    """
    found: list[Token] = []
    for token in tokens:
        before = found[-1].token_type if found else None
        if before is TokenType.BIT and word(token) == "varying":
            found[-1] = retold(found[-1], "varbit")
        elif (
            before is TokenType.DCOLON
            and token.token_type is TokenType.IDENTIFIER
            and token.text == "bit"
        ):
            found += boundless_bits(token)
        else:
            found.append(token)
    return found


def _with_wrapped_calls(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens with one name for ``aggregate:name`` where a call begins."""
    found: list[Token] = []
    i = 0
    while i < len(tokens):
        kinds = [token.token_type for token in tokens[i + 1 : i + 4 : 2]]
        is_wrapped = kinds == [TokenType.COLON, TokenType.L_PAREN]
        if is_wrapped and tokens[i].text.lower() == AGGREGATE:
            name = tokens[i + 2]
            text = name.text if name.token_type in _VERBATIM else name.text.lower()
            found.append(retold(name, AGGREGATE_PREFIX + text))
            i += 3
        else:
            found.append(tokens[i])
            i += 1
    return found


def _unknown(tokens: Sequence[Token], i: int) -> list[Token]:
    """Return what stands for the word: a test after IS, a type after a cast's sign, else a name."""
    token = tokens[i]
    before = [t.token_type for t in tokens[max(i - 2, 0) : i]]
    if before[-1:] == [TokenType.IS] or before == [TokenType.IS, TokenType.NOT]:
        call = retold(token, UNKNOWN_CALL)
        return [
            call,
            parenthesis(token, TokenType.L_PAREN),
            parenthesis(token, TokenType.R_PAREN),
        ]
    if before and before[-1] in (TokenType.DCOLON, TokenType.ALIAS):
        return [token]
    return [retold(token, "unknown")]


def _with_array_names(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens with ``_oid`` for ``oid[]``: sqlglot has no arrays of such types."""
    named: list[Token] = []
    i = 0
    while i < len(tokens):
        following = [token.token_type for token in tokens[i + 1 : i + 3]]
        is_array = following == [TokenType.L_BRACKET, TokenType.R_BRACKET]
        if tokens[i].token_type is TokenType.OBJECT_IDENTIFIER and is_array:
            named.append(retold(tokens[i], "_" + tokens[i].text.lower()))
            i += 3
        else:
            named.append(tokens[i])
            i += 1
    return named


def _ends_distinct_on(tokens: Sequence[Token], i: int) -> bool:
    """Whether a token closes the list of DISTINCT ON, behind which a call may stand."""
    if tokens[i].token_type is not TokenType.R_PAREN:
        return False
    opening = opening_of(tokens, i) or 0
    return opening > 1 and [word(t) for t in tokens[opening - 2 : opening]] == ["distinct", "on"]


def _is_call(tokens: Sequence[Token], i: int, text: str) -> bool:
    if text in _OPERATORS:
        if i and tokens[i - 1].token_type is TokenType.NOT:
            i -= 1
        return bool(i and tokens[i - 1].token_type is TokenType.DOT) or begins_operand(tokens, i)
    if text not in _MARKED:
        return False
    if i and tokens[i - 1].token_type in _NAMES_FOLLOW and not _ends_distinct_on(tokens, i - 1):
        return False
    after = after_closing(tokens, i + 1)
    if after < len(tokens):
        following = tokens[after].token_type
        if following is TokenType.STRING:
            return False  # A type with a modifier: timestamp(3) '2024-01-01'.
        if following is TokenType.ALIAS and after + 1 < len(tokens):
            word = tokens[after + 1]
            is_cte = word.token_type is TokenType.L_PAREN or word.text.lower() in (
                "materialized",
                "not",
            )
            return not is_cte
    return True


def _opens_subscript(tokens: Sequence[Token], i: int) -> bool:
    if not i or tokens[i - 1].token_type not in _SUBSCRIPTED:
        return False
    if i > 1 and tokens[i - 2].token_type is TokenType.DCOLON:
        return False  # A type: x::name[].
    end = after_closing(tokens, i)
    depth = 0
    for token in tokens[i + 1 : end - 1]:
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth == 0 and token.token_type is TokenType.COLON:
            return False  # A slice; its bounds are left as they are.
    return end > i + 2
