"""Whatever view, whatever history: after every epoch a view equals its query.

``make test`` replays a few histories, ``make test-all`` many. A seed that fails prints its story;
what was wrong becomes a test of its own in test_named_cases.
"""

from __future__ import annotations

import pytest

from tests.support.server import Address
from tests.views.history import History
from tests.views.replay import Replay

_FEW, _MANY = 6, 200


def _seeds(first: int, last: int) -> list[object]:
    return [
        pytest.param(seed, marks=[pytest.mark.slow] if seed - first >= _FEW else [])
        for seed in range(first, last)
    ]


@pytest.mark.parametrize("seed", _seeds(1000, 1000 + _MANY))
def test_views_equal_their_queries(database: Address, seed: int) -> None:
    with database.connect(prepare_threshold=None) as ours:
        Replay(History(seed, views_max=8, steps=8), ours).run()


@pytest.mark.parametrize("seed", _seeds(0, _MANY))
def test_views_equal_postgresqls(database: Address, postgresql: Address, seed: int) -> None:
    with (
        database.connect(prepare_threshold=None) as ours,
        postgresql.connect(prepare_threshold=None) as judge,
    ):
        Replay(History(seed), ours, judge).run()
