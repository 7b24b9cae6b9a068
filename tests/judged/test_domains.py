"""Domains where values come in pieces, and rows made of JSON, beside a real PostgreSQL."""

from __future__ import annotations

from tests.support.judged import assert_equal
from tests.support.server import Address

SCRIPT = """
CREATE DOMAIN pos AS int CHECK (value > 0);
CREATE DOMAIN posn AS int NOT NULL CHECK (value > 0);
CREATE DOMAIN pair AS int[] CHECK (value[1] < value[2]);
CREATE DOMAIN twos AS int[] CHECK (array_length(value, 1) = 2);
CREATE TYPE two AS (r int, i int);
CREATE DOMAIN ordered AS two CHECK ((value).r <= (value).i);
CREATE TYPE ors AS (a pos, b posn, p pair, t two, o ordered, m int[][], n text);
SELECT ARRAY[2,1]::pair;
SELECT ARRAY[1,2]::pair;
SELECT ARRAY[[1,2]]::pair;
SELECT ARRAY['1','2']::pair;
SELECT ARRAY[row(2,1)::two]::two[];
CREATE TABLE op (f1 pair, d ordered);
INSERT INTO op VALUES (ARRAY[1,2], row(1,2));
UPDATE op SET f1[2] = 0;
UPDATE op SET f1[2] = 5;
UPDATE op SET f1[1:2] = ARRAY[7,6];
UPDATE op SET d.r = 5;
UPDATE op SET d.i = 9;
UPDATE op SET d = row(3,1);
SELECT * FROM op;
INSERT INTO op VALUES (ARRAY[2,1], NULL);
SELECT * FROM json_populate_record(NULL::ors, '{"a": 5, "b": 2}');
SELECT * FROM json_populate_record(NULL::ors, '{"a": -5, "b": 2}');
SELECT * FROM json_populate_record(NULL::ors, '{"a": 5}');
SELECT * FROM json_populate_record(NULL::ors, '{"b": null}');
SELECT * FROM json_populate_record(NULL::ors, '{"b": 1, "p": [2,1]}');
SELECT * FROM json_populate_record(NULL::ors, '{"b": 1, "p": [1,2]}');
SELECT * FROM json_populate_record(NULL::ors, '{"b": 1, "p": "{2,1}"}');
SELECT * FROM json_populate_record(NULL::ors, '{"b": 1, "t": {"r": 1}}');
SELECT * FROM json_populate_record(NULL::ors, '{"b": 1, "o": {"r": 2, "i": 1}}');
SELECT * FROM json_populate_record(NULL::ors, '{"b": 1, "o": {"r": 2, "i": 3}}');
SELECT * FROM jsonb_populate_record(NULL::ors, '{"b": 1, "m": [[1,2],[3,4]]}');
SELECT * FROM jsonb_populate_record(NULL::ors, '{"b": 1, "m": [[1,2],[3]]}');
SELECT * FROM jsonb_populate_record(row(1,2,NULL,row(7,8),NULL,NULL,'x')::ors, '{"t": {"i": 3}, "n": "y"}');
SELECT * FROM jsonb_populate_record(row(1,2,NULL,row(7,8),NULL,NULL,'x')::ors, '{"o": {"i": 3}, "n": "y"}');
SELECT * FROM jsonb_populate_record(row(1,2,NULL,row(7,8),NULL,NULL,'x')::ors, '{"b": null}');
SELECT json_populate_record(NULL::record, '{"x": 0, "y": 1}');
SELECT json_populate_recordset(NULL::record, '[{"x": 0, "y": 1}]');
SELECT json_populate_record(row(1,2), '{"f1": 0, "f2": 1}');
SELECT * FROM json_populate_record(NULL::record, '{"x": 776}') AS (x int, y int);
SELECT * FROM json_populate_record(row(5,6), '{"x": 776}') AS (x int, y int);
SELECT * FROM json_populate_recordset(NULL::record, '[{"x": 776}, {"y": 2}]') AS (x int, y int);
SELECT * FROM jsonb_populate_recordset(row(1,2), '[{"x": 776}, {"y": 2}]') AS t(x int, y int);
SELECT * FROM jsonb_to_record('{"a": -1}') AS t(a pos);
SELECT * FROM jsonb_to_record('{"a": null}') AS t(a posn);
SELECT * FROM jsonb_to_recordset('[{"a": 3}, {"a": 1}]') AS t(a posn);
SET datestyle = 'SQL, DMY';
SELECT to_json(timestamp '2014-05-28 12:22:35.614298'), to_jsonb(date '2014-05-28'), to_json(timestamptz '2014-05-28 12:22:35+00'), to_json(interval '1 day 2 hours'), to_json(time '10:00');
SET intervalstyle = 'sql_standard';
SELECT json_build_array(VARIADIC '{{1,4},{2,5},{3,6}}'::int[][]);
SELECT jsonb_build_array(VARIADIC ARRAY[[1,2],[3,4]]), json_build_object(VARIADIC ARRAY[['a','b'],['c','d']]);
SELECT concat(VARIADIC ARRAY[TRUE,FALSE]), concat_ws('-', VARIADIC ARRAY[TRUE,NULL]), concat(VARIADIC NULL::int[]), concat_ws(',', VARIADIC NULL::int[]);
SELECT format('%2$s', VARIADIC ARRAY[ARRAY[1,2],ARRAY[3,4]]);
SELECT json_build_object('a', date '2014-05-28', 'b', ARRAY[date '2014-05-28']), row_to_json(ROW(timestamp '2014-05-28', interval '1 day')), json_agg(d) FROM (VALUES (date '2014-05-28')) v (d);
SELECT format('%s, %s', VARIADIC ARRAY[true, false]), format('Hello', VARIADIC NULL::int[]);
"""


def test_no_piece_evades_a_domain(judge: Address, database: Address) -> None:
    assert_equal(judge, database, SCRIPT)
