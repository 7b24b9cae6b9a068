"""Calls in calls answer as PostgreSQL does, whatever is in what."""

from __future__ import annotations

import pytest

from tests.differential.answers import answers
from tests.differential.comparison import outcome
from tests.differential.nested import Grammar
from tests.support.server import Address

_EXPRESSIONS = 100


@pytest.fixture(scope="module")
def grammar(postgresql: Address) -> Grammar:
    with postgresql.connect() as connection:
        return Grammar(connection)


def compare(grammar: Grammar, seed: int, postgresql: Address, server: Address) -> None:
    statements = grammar.statements(seed, _EXPRESSIONS)
    texts = [statement.sql for statement in statements]
    different = []
    answered = zip(texts, answers(postgresql, texts), answers(server, texts), strict=True)
    for sql, theirs, ours in answered:
        # Which of the parts that fail is met first, and whether one is beside a NULL or a condition
        # that decides without it, is nobody's promise.
        is_null = theirs.rows == ((None,),)
        if outcome(theirs, ours) and not theirs.sqlstate and not (is_null and ours.sqlstate):
            different.append(f"{sql}\n    PostgreSQL {theirs}\n    Tidegate   {ours}")
    assert not different, f"seed {seed}: {len(different)} differ:\n" + "\n".join(different[:20])


@pytest.mark.parametrize("seed", range(2))
def test_expressions_of_a_seed(
    grammar: Grammar, seed: int, postgresql: Address, server: Address
) -> None:
    compare(grammar, seed, postgresql, server)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 100))
def test_expressions_of_more_seeds(
    grammar: Grammar, seed: int, postgresql: Address, server: Address
) -> None:
    compare(grammar, seed, postgresql, server)
