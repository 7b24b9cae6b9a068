"""What a function of SQL is made of, as a tree: its query, or the expression after RETURN."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported
from catalog.function_errors import InvalidFunctionDefinition
from server.sql.parse import parse
from server.sql.parser.cursor import Cursor
from server.sql.parser.query import expression_tree
from server.sql.query_tree import TEXT
from server.sql.source import Source, split
from server.sql.statement import Query

#: Stands before the number of a parameter that is known by its place, as the name of a column.
PLACE: Final = "$"


@lru_cache(maxsize=1024)
def body_tree(body: str, *, is_expression: bool) -> exp.Expr:
    """Return the query of a body; ``$1`` is a column of that name. It is not to be changed.

    Raises:
        PgError: It is none.
    """
    if is_expression:
        expression = parsed_expression(body)
        tree: exp.Expr = exp.Select(expressions=[expression])
    else:
        sources = split(body)
        if not sources:
            raise InvalidFunctionDefinition(
                "return type mismatch in function",
                detail="Function's final statement must be SELECT or INSERT/UPDATE/DELETE"
                " RETURNING.",
            )
        if len(sources) > 1:
            raise FeatureNotSupported("functions of several statements are not supported")
        statement = parse(sources[0])
        if not isinstance(statement, Query):
            raise FeatureNotSupported(
                "functions of other statements than a query are not supported"
            )
        tree = statement.tree
    for node in list(tree.find_all(exp.Parameter)):
        name = exp.Identifier(this=f"{PLACE}{node.name}", quoted=True)
        node.replace(exp.Column(this=name))
    return tree


def parsed_expression(text: str) -> exp.Expr:
    """Return the tree of an expression.

    Raises:
        SqlSyntaxError: It is none.
    """
    cursor = Cursor(Source(text))
    tree = expression_tree(cursor, cursor.rest())
    tree.meta[TEXT] = text
    return tree
