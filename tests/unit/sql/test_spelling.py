"""What creates a view, as RisingWave shows it, says what was written and is written in one way."""

from __future__ import annotations

import pytest
from sqlglot import exp

from server.sql.parse import parse
from server.sql.source import Source
from server.sql.spelling import peers_spelling
from server.sql.statement import CreateMaterializedView, CreateView

_QUERIES = (
    "select sum(v1)  s, a.c ac, left(y,2) from t3 a left  join w using(a) where not a.b in (1,2)",
    "with recursive w(a) as (select 1 union all select a+1 from w) select * from w limit 1",
    "select sum(x) filter(where x>-1) over(partition by y order by z desc nulls last) from t",
    "select sum(x) over(order by y rows between 1 preceding and current row) from t",
    "select d::int[], -1 - -x - - 3, (array[1,2])[1], a[1:2], a[ :2], m->'k'->>0 from t",
    'select "Q"."select" as "From", t.first, rows, range, t.end from "T" t',
    "select case when a then 'It''s' else $$b  c$$ end, E'\\n', 1e5, .5, x is not distinct from y",
    "select interval '1' day, date '2020-01-01', extract(year from d), cast(x as varchar(3)) -- c",
    "values (1,true,null),(2,false,null)",
    "select * from t, lateral (select 1) as u(v) cross join unnest(array[1]) with ordinality x(y)",
    "select a from t group by grouping sets((a),()) having exists(select 1) order by 1 offset 2",
    "select a from t where a like any(array['x']) and b between 1 and 2 or c ilike 'y' escape '!'",
    "select row(1,2), (1,2)=(3,4), map{1:2,3:4}, f(x => 1), x at time zone 'utc' from t;",
)


@pytest.mark.parametrize("query", _QUERIES)
@pytest.mark.parametrize(
    "head", ["create view if not exists v as", "Create Materialized View v As"]
)
def test_a_statement_in_the_peers_spelling_means_the_same(head: str, query: str) -> None:
    text = f"{head} {query}"
    spelled = peers_spelling(text)
    was, becomes = parse(Source(text.rstrip(";"))), parse(Source(spelled))
    assert isinstance(was, CreateView | CreateMaterializedView)
    assert type(becomes) is type(was)
    assert _shape(becomes.query) == _shape(was.query)
    assert peers_spelling(spelled) == spelled


def _shape(tree: exp.Expr) -> str:
    return tree.sql(dialect="risingwave", comments=False)


def test_a_column_called_as_a_word_of_emit_keeps_its_name() -> None:
    shown = peers_spelling("create materialized view v as select close from t emit on window close")
    assert shown == "CREATE MATERIALIZED VIEW v AS SELECT close FROM t EMIT ON WINDOW CLOSE"


def test_words_of_the_grammar_are_in_capitals_and_names_are_not() -> None:
    shown = peers_spelling(
        "create materialized view if not exists v with(refresh.interval.sec=5) as\n"
        '  select T.first  f, left(x, 1), "b c" from t -- all\nwhere x in(1, 2)'
    )
    assert shown == (
        "CREATE MATERIALIZED VIEW v WITH (refresh.interval.sec = 5) AS "
        'SELECT T.first AS f, left(x, 1), "b c" FROM t WHERE x IN (1, 2)'
    )
