"""The query of a view is what stands between AS and what is said of the view."""

from __future__ import annotations

import pytest

from catalog.system.query_text import query_text


@pytest.mark.parametrize(
    "behind",
    [
        *("", ";", " WITH CHECK OPTION", " with local check option ;"),
        *(" EMIT ON WINDOW CLOSE", "\nemit on  window close;", " EMIT IMMEDIATELY"),
    ],
)
def test_what_is_said_of_the_view_is_not_of_the_query(behind: str) -> None:
    assert query_text(f"CREATE VIEW v (a) AS SELECT emit AS a FROM t{behind}") == (
        "SELECT emit AS a FROM t"
    )
