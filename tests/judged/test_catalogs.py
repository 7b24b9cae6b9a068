"""The system catalogs beside PostgreSQL's own: the same columns, numbers and answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.support.judged import assert_equal, statements_of
from tests.support.server import Address, Connection

#: A domain is told as the type that it is made of, rows of a relation as records.
_COLUMNS = """
SELECT n.nspname, c.relname, a.attnum, a.attname,
    CASE WHEN t.typtype = 'd' THEN t.typbasetype WHEN t.typname = '_pg_statistic' THEN 2287
        ELSE t.oid END, a.attnotnull
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')
    AND a.attnum > 0 AND c.oid < 16384
"""

#: Numbers of what PostgreSQL has not: clients know the types by those that RisingWave gives them.
_OWN = "oid BETWEEN 9800 AND 9999"
_OWN_TYPES = "oid BETWEEN 1301 AND 1307"

#: What is listed here is listed there in the same way, but for what is our own.
_FACTS = {
    "pg_proc": f"""
        SELECT oid, proname, prokind, proisstrict, proretset, provolatile, pronargs,
        prorettype, proargtypes::text FROM pg_proc WHERE NOT ({_OWN})
    """,
    "pg_operator": """
        SELECT oid, oprname, oprkind, oprleft, oprright, oprresult, oprcom, oprnegate,
        oprcode::oid FROM pg_operator
    """,
    "pg_cast": f"""
        SELECT oid, castsource, casttarget, castfunc, castcontext, castmethod FROM pg_cast
        WHERE NOT ({_OWN})
    """,
    "pg_opclass": """
        SELECT oid, opcmethod, opcname, opcfamily, opcintype, opcdefault FROM pg_opclass
    """,
    "pg_opfamily": """
        SELECT oid, opfmethod, opfname FROM pg_opfamily
    """,
    "pg_type": f"""
        SELECT oid, typname, typlen, typbyval, typtype, typcategory, typispreferred,
        typelem, typarray, typinput::oid, typreceive::oid, typmodin::oid, typalign,
        typstorage, typcollation FROM pg_type WHERE NOT ({_OWN_TYPES})
    """,
    "pg_am": """
        SELECT oid, amname, amhandler::oid, amtype FROM pg_am
    """,
    "keywords": """
        SELECT word, catcode, barelabel, catdesc, baredesc FROM pg_get_keywords()
    """,
}

_OBJECTS = statements_of("""
CREATE TABLE cat_t (id int PRIMARY KEY, "Name" varchar(10) NOT NULL DEFAULT 'x', price numeric(10,
    2), tags text[], at timestamp(3), CONSTRAINT cheap CHECK (price < 100));
CREATE TABLE cat_two (b text, a bigint, PRIMARY KEY (a, b));
CREATE TABLE cat_p (a int, CONSTRAINT positive CHECK (a > 0));
CREATE VIEW cat_v AS SELECT id, price FROM cat_t;
""")

_QUESTIONS = statements_of("""
SELECT oid, typname[0] FROM pg_type WHERE typname[0] = '_' AND oid BETWEEN 1000 AND 1003 ORDER BY 1;
SELECT pg_get_indexdef('cat_two_pkey'::regclass), pg_get_indexdef('cat_two_pkey'::regclass, 2,
    true);
SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid IN
    ('cat_t'::regclass, 'cat_two'::regclass) AND contype IN ('p', 'u') ORDER BY 1;
SELECT conname, pg_get_constraintdef(oid, true) FROM pg_constraint WHERE conrelid = 'cat_p'::regclass;
SELECT indkey, indclass, indisunique FROM pg_index WHERE indrelid = 'cat_two'::regclass;
SELECT attname, (x).n FROM (SELECT indrelid, information_schema._pg_expandarray(indkey) AS x FROM
    pg_index WHERE indrelid = 'cat_two'::regclass) AS i JOIN pg_attribute ON attnum = (x).x AND
    attrelid = indrelid ORDER BY 2;
SELECT table_name, column_name, ordinal_position, is_nullable, data_type,
    character_maximum_length, numeric_precision, numeric_scale, datetime_precision, udt_name FROM
    information_schema.columns WHERE table_name IN ('cat_t', 'cat_two', 'cat_v') ORDER BY 1, 3;
SELECT constraint_name, column_name, ordinal_position FROM information_schema.key_column_usage
    WHERE table_name = 'cat_two' ORDER BY 3;
SELECT 'cat_t'::regclass::text, 'abs(int4)'::regprocedure::text, 'now'::regproc::text,
    '+(int4,int4)'::regoperator::text, 'pg_catalog'::regnamespace::text, 25::regtype::text,
    1259::regclass::text, 0::regproc::text;
SELECT to_regclass('cat_t')::text, to_regclass('nope'), to_regtype('int[]')::text,
    to_regproc('abs');
SELECT format_type(t, m) FROM (VALUES (1043, 14), (1042, -1), (1042, NULL), (1700, 655366), (1184,
    3), (1186, 327679), (1015, 14), (0, NULL), (99999, NULL)) AS v(t, m);
SELECT pg_size_pretty(n::bigint) FROM (VALUES (0), (10239), (10240), (20480), (-99999),
    (1073741824)) AS v(n);
SELECT c.tableoid::regclass::text, pg_table_is_visible(c.oid), pg_describe_object(1259, c.oid, 1)
    FROM pg_class c WHERE relname = 'cat_t';
SELECT pg_opclass_is_visible(1978), pg_opfamily_is_visible(1976), pg_opclass_is_visible(1),
    pg_conversion_is_visible(0), pg_ts_parser_is_visible(0);
SELECT pg_get_userbyid(999999), pg_get_indexdef(0), pg_get_constraintdef(0), pg_get_expr(NULL, 0),
    pg_encoding_to_char(6), pg_char_to_encoding('UTF8');
SELECT '1 2'::int2vector, ('1 2'::int2vector)[0], '1 2 3'::oidvector, '(1,2)'::tid, '5'::xid,
    '{int,text}'::regtype[];
SELECT unnest(indkey), generate_subscripts(indkey, 1), array_position(indkey, 1::int2), indkey[0]
    FROM pg_index WHERE indrelid = 'cat_two'::regclass ORDER BY 2;
""")

_ERRORS = (
    "SELECT 'nope'::regclass",
    "SELECT 'nosuch.t'::regclass",
    "SELECT 'abs'::regproc",
    "SELECT 'nope'::regproc",
    "SELECT 'nope'::regrole",
    "SELECT 'nope'::regnamespace",
    "SELECT 'nope(int4)'::regprocedure",
    "SELECT 'x'::tid",
)


Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def both(postgresql: Address, server: Address) -> Iterator[tuple[Connection, Connection]]:
    """PostgreSQL and ours, each with the same objects in a schema of the tests' own."""
    with postgresql.connect() as theirs, server.connect() as ours:
        for connection in (theirs, ours):
            connection.execute("CREATE SCHEMA judged_catalogs")
            connection.execute("SET search_path = judged_catalogs")
            for statement in _OBJECTS:
                connection.execute(statement)
        yield theirs, ours
        theirs.execute("DROP SCHEMA judged_catalogs CASCADE")
        ours.execute("DROP SCHEMA judged_catalogs CASCADE")


Both = tuple[Connection, Connection]


def test_relations_have_postgresqls_columns(both: Both) -> None:
    theirs, ours = (
        {row[:3]: row[3:] for row in side.execute(_COLUMNS).fetchall()} for side in both
    )
    own = {key: value for key, value in ours.items() if key not in theirs}
    assert own == {}
    assert {key: ours.get(key) for key in theirs} == theirs


@pytest.mark.parametrize("name", _FACTS)
def test_what_is_listed_is_listed_under_postgresqls_numbers(both: Both, name: str) -> None:
    theirs, ours = ({row[0]: row for row in side.execute(_FACTS[name]).fetchall()} for side in both)
    assert len(ours) > 1
    assert {key: theirs.get(key) for key in ours} == ours


@pytest.mark.parametrize(
    ("name", "own"), [("pg_proc", _OWN), ("pg_cast", _OWN), ("pg_type", _OWN_TYPES)]
)
def test_our_own_objects_have_numbers_that_postgresql_does_not_use(
    both: Both, name: str, own: str
) -> None:
    theirs, ours = (
        side.execute(f"SELECT count(*) FROM {name} WHERE {own}").fetchall() for side in both
    )
    assert theirs == [(0,)] != ours


@pytest.mark.parametrize("question", _QUESTIONS)
def test_questions_about_objects_have_postgresqls_answers(both: Both, question: str) -> None:
    answers: list[tuple[list[tuple[str, int]], Rows]] = []
    for side in both:
        cursor = side.execute(question)
        assert cursor.description is not None
        columns = [(column.name, column.type_code) for column in cursor.description]
        answers.append((columns, cursor.fetchall()))
    assert answers[1] == answers[0]


@pytest.mark.parametrize("question", _ERRORS)
def test_objects_that_do_not_exist_are_told_as_postgresql_tells_them(
    both: Both, question: str
) -> None:
    told = []
    for side in both:
        with pytest.raises(psycopg.Error) as caught:
            side.execute(question)
        told.append((caught.value.sqlstate, caught.value.diag.message_primary))
    assert told[1] == told[0]


READ_BY_VIEWS = """
CREATE TABLE read_g (a int, b int, c int, d int);
CREATE VIEW read_1 AS SELECT x.a, (SELECT max(c) FROM read_g z WHERE z.b = x.b) AS m, y.b AS bb
    FROM read_g x LEFT JOIN read_g y USING (a) WHERE x.c > 1 AND 't1.c4' <> 'x';
CREATE VIEW read_2 AS SELECT a FROM read_1;
CREATE VIEW read_3 AS WITH w AS (SELECT a, b FROM read_g) SELECT w.a, count(*) OVER (PARTITION BY b)
    FROM w UNION ALL SELECT d, 1 FROM read_g;
CREATE VIEW read_4 AS SELECT count(*) FROM read_g;
CREATE VIEW read_5 AS SELECT * FROM read_g NATURAL JOIN read_1;
SELECT view_name, table_name, column_name FROM information_schema.view_column_usage
    WHERE view_name LIKE 'read%' ORDER BY 1, 2, 3;
SELECT view_name, table_name FROM information_schema.view_table_usage
    WHERE view_name LIKE 'read%' ORDER BY 1, 2;
"""


def test_columns_that_views_read_are_listed_as_in_postgresql(
    judge: Address, database: Address
) -> None:
    assert_equal(judge, database, READ_BY_VIEWS)
