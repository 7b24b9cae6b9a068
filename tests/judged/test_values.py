"""What functions and operators give, beside a real PostgreSQL."""

from __future__ import annotations

import pytest

from tests.support.judged import assert_equal
from tests.support.server import Address

QUANTIFIED = """
SELECT 1 <> SOME('{}'), 1 <> ALL('{}'), 1 < SOME(ARRAY[1] || ARRAY[2]), 1 < ALL(ARRAY[1, 2]);
SELECT 'a' NOT LIKE ANY(ARRAY['a', NULL]), 'a' NOT LIKE SOME(ARRAY['b', NULL]);
SELECT 'a' NOT LIKE ALL(ARRAY['a', NULL]), 'a' NOT ILIKE ALL(ARRAY['B', 'c']);
SELECT 1 IS UNKNOWN;
SELECT (NULL > 1) IS UNKNOWN, true IS NOT UNKNOWN, (1 = 2) IS UNKNOWN;
"""

TEXTS = """
SELECT trim(BOTH FROM 'abcxyzabc', 'cba'), trim(FROM ' x '), trim(LEADING FROM 'xxy', 'x');
SELECT trim(TRAILING FROM 'yxx', 'x'), trim(BOTH 'x' FROM 'xyx'), trim(FROM 'abcxyzabc', 'cba');
SELECT like('abc', '%bc'), pg_catalog.like('abc', 'b%'), notlike('abc', '%bc'), NOT like('abc', 'a%'), like('abc'::text, NULL);
SELECT x FROM (VALUES ('abc')) v(x) WHERE x LIKE ('%b%') AND like(x, 'a%') OR NOT like (x, 'z');
SELECT 'abc' LIKE ('a%'), 'abc' NOT LIKE ('a%'), CASE WHEN like('a', 'a') THEN 1 END, 'a' ILIKE ('A');
SELECT ilike('a', 'b');
VALUES ();
SELECT * FROM (VALUES (1), ());
SELECT trim(BOTH FROM '\\x1234567890'::bytea, '\\x9012'::bytea);
"""

JSON = """
SELECT '{"a":3}'::jsonb @? '$x', '{"a":3}'::jsonb @@ '$x == 1', '{"a":3}'::jsonb @? '$ ? (@.a == $x)', '{"a":[1,2]}'::jsonb @? '$.a[$x]';
SELECT jsonb_path_query('{"a":3}', '$x', '{}', true);
SELECT jsonb_path_query('[1,"2",3]', '+$', silent => true);
SELECT jsonb_path_query('[1,"x",2]', '-$[*].double()', silent => true);
SELECT jsonb_path_query_array('[{"a": 1}, {"b": 2}, {"a":3}]', 'strict $[*].a', silent => true);
SELECT jsonb_path_query_first('[2,"1",0,3]', '-$[*]', silent => true);
SELECT jsonb_path_query('[1,"x",2]', 'strict $[0,1,2,3]', silent => true);
SELECT '["1",2,0,3]'::jsonb @? '-$[*]', '["1"]'::jsonb @? '-$[*]', '["1",2]'::jsonb @? '$ ? (exists (-@[*]))';
SELECT '["1",2,0,3]'::jsonb @@ '-$[*]', '["1",2]'::jsonb @? 'strict -$[*]';
SELECT ('{"1":1}'::jsonb)[1], ('[1,[2]]'::jsonb)[1]['0'], ('[1,[2]]'::jsonb)[1]['a'], ('[1,[2]]'::jsonb)[NULL], ('[1,[2]]'::jsonb)[-1], ('3'::jsonb)[0];
SELECT ('{"a":1}'::json)['a'];
SELECT ('{"a":1}'::jsonb)[1:2];
SELECT ('{"a":1}'::jsonb)[1.5];
SELECT ('{"a":1}'::jsonb)[1::bigint];
SELECT jsonb_object_keys('null');
SELECT jsonb_object_keys('[]');
SELECT json_object_keys('1');
SELECT * FROM jsonb_each('null');
SELECT * FROM jsonb_each_text('[]');
SELECT * FROM json_each('[]');
SELECT * FROM json_each('1');
SELECT * FROM json_each_text('[1]');
SELECT jsonb_build_object('a', 1, NULL, 2);
SELECT json_build_object(NULL, 2);
SELECT jsonb_build_object(ARRAY[]::int[], 1);
SELECT jsonb_build_object('a', 1, jsonb '{}', 1);
SELECT json_object_agg(x, y) FROM (VALUES ('a', 1), (NULL, 2)) t(x, y);
SELECT json_object_agg(ARRAY[1], y) FROM (VALUES (1), (2)) t(y);
SELECT json_object_agg(x, y) FILTER (WHERE x IS NOT NULL)
  FROM (VALUES ('a', 1), (NULL, 2)) t(x, y);
SELECT sum(1 / x) FILTER (WHERE x <> 0), count(*) FILTER (WHERE x <> 0)
  FROM (VALUES (0), (1), (2)) t(x);
"""

CLOCKS = """
CREATE TABLE told (a int, t timestamptz DEFAULT clock_timestamp());
BEGIN;
SELECT now() = transaction_timestamp(), statement_timestamp() >= now(), clock_timestamp() >= now();
INSERT INTO told VALUES (1);
SELECT pg_sleep(0.05);
SELECT now() < statement_timestamp(), statement_timestamp() <= clock_timestamp(), statement_timestamp() = statement_timestamp();
SELECT count(DISTINCT clock_timestamp()) > 10 FROM generate_series(1, 20000);
COMMIT;
SELECT now() = statement_timestamp(), clock_timestamp() - now() < interval '1 minute';
SELECT t < now(), t > now() - interval '1 minute' FROM told;
SELECT current_query(), timeofday() ~ '^[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9:.]{15} [0-9]{4} ', pg_typeof(timeofday());
PREPARE asked AS SELECT current_query();
EXECUTE asked;
CREATE INDEX ON told ((clock_timestamp()));
"""

FORMS = """
SELECT 1e8+1, 1E2-1, 1e8-1e5, 1.5e3-2e-3+4, .5e1+.5, 2.e1-1, 1e-3-1, 1e+3+4, 1e2+-1, 'x1e5+1', "e".e5+1 FROM (VALUES (3)) "e"(e5);
SELECT 1e2-$$1$$::int, a1e5+1, a1e5-1e1+a1e5 FROM (VALUES (7)) v(a1e5) WHERE 1e0+1 > 1;
SELECT 1e2+1 AS x FROM nowhere;
SELECT substring('foobar' SIMILAR '%#"o_b#"%' ESCAPE '#'), substring('abc' SIMILAR 'x' ESCAPE '#') IS NULL;
SELECT substring(substring('foobar' SIMILAR '%#"o_b#"%' ESCAPE '#') FROM 2), length(substring('abc' SIMILAR '#"%#"' ESCAPE '#'));
SELECT format('%d', 1);
SELECT format('50%', 1);
SELECT 1e400::float8;
SELECT 1e-400::float8;
SELECT 12345.678::numeric(3,3);
SELECT 123456789012::numeric(10,2);
SELECT (x * 100)::numeric(4,1) FROM (VALUES (9.5), (10)) AS t(x);
SELECT count(*) FROM generate_series(1, length(to_char(interval '3 days', 'DD')));
SELECT count(*) FROM generate_series(timestamptz '2024-01-01', timestamptz '2024-01-03' + interval '1 day', '1 hour');
SELECT corr(x, x), corr(x, -x), corr(x, 1), corr(1, x) FROM generate_series(1, 9) AS t(x);
SELECT x % 2, corr(x, x * x) FROM generate_series(1, 10) AS t(x) GROUP BY 1 ORDER BY 1;
SELECT array_positions(ARRAY(SELECT i % 3 FROM generate_series(1, 6) AS g(i)), 2);
SELECT array_position(ARRAY(SELECT 3), (SELECT 3)), array_remove(ARRAY(SELECT 3), (SELECT 3)), array_replace(ARRAY[1, 2], (SELECT 2), (SELECT 9));
SELECT array_remove(ARRAY[1, NULL, 2], NULL), array_position(NULL::int[], 1), array_remove(NULL::int[], 1);
SELECT array_remove('{{1,2,2},{1,4,3}}', 2);
SELECT array_position('{{1,2},{2,3}}', 2);
SELECT array_fill(1, ARRAY[[1, 2], [3, 4]]);
SELECT array_fill(1, ARRAY[2], ARRAY[[1, 2], [3, 4]]);
CREATE TABLE spans AS SELECT interval '3' day AS a, interval '1' year to month AS b, interval(3) '1.23456 s' AS c;
SELECT attname, atttypmod FROM pg_attribute WHERE attrelid = 'spans'::regclass AND attnum > 0 ORDER BY attnum;
CREATE TABLE named AS SELECT (1, 2)::text;
SELECT row FROM named;
SELECT "row" FROM named;
"""

REFUSED_AGGREGATES = """
SELECT count() OVER () FROM (VALUES (1, 'p')) it (a, c);
SELECT count() FROM (VALUES (1, 'p')) it (a, c);
SELECT sum() FROM (VALUES (1, 'p')) it (a, c);
SELECT string_agg(DISTINCT c::text, ',' ORDER BY c::varchar) FROM (VALUES (1, 'p')) it (a, c);
CREATE TABLE vt (v varchar(4));
SELECT string_agg(DISTINCT v, ',' ORDER BY v) FROM vt;
SELECT string_agg(DISTINCT v::text, ',' ORDER BY v) FROM vt;
SELECT string_agg(DISTINCT v, ',' ORDER BY v::text) FROM vt;
SELECT array_agg('{}'::int[]) FROM generate_series(1,2);
SELECT array_agg(NULL::int[]) FROM generate_series(1,2);
SELECT array_agg(ar) FROM (VALUES ('{1,2}'::int[]), ('{3}'::int[])) v(ar);
SELECT array_agg(ar) FROM (VALUES ('{1,2}'::int[]), ('{3,4}'::int[])) v(ar);
SELECT array_agg(ar) FROM (VALUES ('{1,2}'::int[]), (NULL::int[])) v(ar);
SELECT rank(x) WITHIN GROUP (ORDER BY x) FROM generate_series(1,5) x;
SELECT percentile_cont(x) WITHIN GROUP (ORDER BY x) FROM generate_series(1,5) x;
SELECT p, percentile_cont(p ORDER BY p) WITHIN GROUP (ORDER BY x) FROM generate_series(1,5) x, (VALUES (0::float8),(0.1)) v(p) GROUP BY p ORDER BY p;
SELECT 1 UNION SELECT 2 FOR UPDATE;
"""

AGGREGATES = """
SELECT avg(x::float8), var_pop(x::float8) FROM (VALUES (100000003), (100000004), (100000006), (100000007)) v(x);
SELECT avg(x::float8), var_pop(x::float8) FROM (VALUES (7000000000005), (7000000000007)) v(x);
SELECT var_samp(x::float8), stddev(x::float8), stddev_pop(x::float8), stddev_samp(x::float8), variance(x::float8) FROM generate_series(100000001, 100000100, 7) v(x);
SELECT var_samp(x), var_pop(x), stddev(x), stddev_pop(x) FROM (VALUES (3::float8)) v(x);
SELECT var_samp(x), var_pop(x), stddev(x), stddev_pop(x) FROM (VALUES (3::float8), (NULL)) v(x);
SELECT var_samp(x), var_pop(x), stddev(x), stddev_pop(x) FROM (VALUES (3::float8), (3)) v(x);
SELECT var_samp(x), var_pop(x), stddev(x), stddev_pop(x) FROM (VALUES (NULL::float8)) v(x);
SELECT var_samp(x), var_pop(x), stddev(x), stddev_pop(x) FROM (VALUES (0.5::float8), (2)) v(x);
SELECT var_samp(x) FILTER (WHERE x > 2), var_pop(DISTINCT x) FROM (VALUES (1::float8), (-1), (3), (4), (4)) v(x);
SELECT x, var_pop(x) OVER (ORDER BY x), stddev(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM (VALUES (100000003::float8), (100000004), (100000006), (100000007)) v(x) ORDER BY x;
SELECT x % 2, var_pop(x::float8) FROM generate_series(100000001, 100000100, 7) v(x) GROUP BY 1 ORDER BY 1;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x), percentile_cont(0.25) WITHIN GROUP (ORDER BY x DESC)
  FROM (VALUES (interval '1 day'), ('3 days'), ('4 days'), ('1 hour')) t(x);
SELECT percentile_cont(ARRAY[0, 0.3, NULL]) WITHIN GROUP (ORDER BY x)
  FROM (VALUES (interval '1 mon'), ('3 days'), (NULL)) t(x);
SELECT percentile_disc(0.2 + 0.3) WITHIN GROUP (ORDER BY x), percentile_cont(0.3 + NULL) WITHIN GROUP (ORDER BY x)
  FROM (VALUES (1::float8), (3), (5), (7)) t(x);
SELECT g, percentile_cont(g) WITHIN GROUP (ORDER BY x), percentile_disc(g) WITHIN GROUP (ORDER BY x DESC)
  FROM (VALUES (0.5, 1), (0.5, 2), (0.25, 3), (0.25, 9)) t(g, x) GROUP BY g ORDER BY 1;
SELECT percentile_cont(g) WITHIN GROUP (ORDER BY x) FILTER (WHERE x > 5)
  FROM (VALUES (0.5, 1), (0.5, 2)) t(g, x) GROUP BY g;
SELECT percentile_cont(1.5 + 0) WITHIN GROUP (ORDER BY x) FROM (VALUES (1)) t(x);
SELECT percentile_cont(ARRAY[0.3 + 0.2, NULL]) WITHIN GROUP (ORDER BY x) FROM (VALUES (1), (2)) t(x);
SELECT string_agg(a, b ORDER BY a), string_agg(a, b ORDER BY a DESC), string_agg(DISTINCT a, b)
  FROM (VALUES ('b', ','), ('a', ';'), ('c', NULL), (NULL, '!')) t(a, b);
SELECT corr(x, y), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x) FROM (VALUES (1.0, 2.0), (1.0, 3.0)) v(x, y);
SELECT corr(x, y), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x) FROM (VALUES (1.0, 2.0), (2.0, 2.0)) v(x, y);
SELECT corr(1, 1), corr(x, y)::text, corr(x, x)::text FROM (VALUES ('NaN'::float8, 1.0), (1, 2)) v(x, y);
SELECT string_agg(a, b) FILTER (WHERE a > 'a') FROM (VALUES ('a', ','), ('c', ';')) t(a, b);
SELECT first_value(x) FROM (VALUES (1)) t(x);
"""

MOMENTS = """
SELECT make_date(0, 7, 15);
SELECT make_date(2013, 2, 30);
SELECT make_date(-44, 3, 15)::text, make_date(NULL, 3, 15);
SELECT make_time(10, 55, 100.1);
SELECT make_time(24, 0, 0)::text, make_time(23, 59, 60)::text, make_time(8, 5, 9.5);
SELECT make_time(24, 0, 1);
SELECT make_timestamptz(1973, 07, 15, 08, 15, -55.33);
SELECT make_timestamp(1973, 07, 15, 08, 15, 55.33), make_timestamp(1973, 07, 15, 08, 15, 60);
SELECT make_timestamp(-4, 02, 29, 08, 15, 55.33);
SELECT make_timestamptz(1910, 12, 24, 0, 0, 0, 'Nehwon/Lankhmar');
SELECT f, date_trunc(f, timestamp '2202-02-16 20:38:40.123456'), date_part(f, timestamp '2202-02-16 20:38:40.12'),
  date_trunc(f, interval '1 year 3 days 20:38:40.123456'), date_trunc(f, timestamptz '2202-02-16 20:38:40.123456', 'Asia/Tokyo')
  FROM (VALUES ('DAY'), ('hour'), (NULL), ('century'), ('usec')) t(f);
SELECT date_trunc(f, timestamp '2202-02-16') FROM (VALUES ('fortnight')) t(f);
SELECT date_part(f, date '2202-02-16') FROM (VALUES ('timezone')) t(f);
SELECT to_char('-20459year -256 days -120hours 866seconds'::interval, 'YYYY IYYY IYY IY I YYY YY Y MM DD PM HH HH12 HH24 MI SS');
SELECT to_char('0year -256 days -120hours'::interval, 'YYYY IYYY IYY IY I YYY YY Y MM DD PM HH HH12 HH24 MI SS');
SELECT to_char('-1year -1month -1day -1hours -1minute'::interval, 'YYYY IYYY YY IY MM DD PM HH12 HH24 MI SS MS US');
SELECT to_char('400 days'::interval, 'IW WW W Q CC J DDD IDDD'), to_char('14 months'::interval, 'IW WW W Q CC J DDD IDDD');
SELECT to_char(timestamp '0044-03-15 BC', 'YYYY IYYY IYY IY I YYY YY Y IW WW DDD IDDD CC J');
"""

#: Clocks of these zones were set between the moments, by an hour and by half of one.
ZONES = """
SET timezone = 'US/Pacific';
SELECT v, date_trunc('hour', v), date_trunc('day', v), date_trunc('minute', v), v + interval '1 day',
  v - interval '1 day', v + interval '1 mon 1 day 2 hours', v - interval '1 mon -1 day 30 hours'
  FROM (VALUES ('2023-11-05 01:40-07'::timestamptz), ('2023-11-05 01:40-08'), ('2023-11-04 01:40-07'), ('2023-11-06 01:40-08'),
    ('2023-03-11 02:40-08'), ('2023-03-13 02:40-07')) t(v);
SELECT v - w FROM (VALUES ('2023-11-06 01:40-08'::timestamptz, '2023-11-05 01:40-07'::timestamptz), ('2023-03-13 00:00-07', '2023-03-12 00:00-08')) t(v, w);
SELECT * FROM generate_series('2023-11-04 01:40'::timestamptz, '2023-11-06 01:40'::timestamptz, '1 day');
SELECT * FROM generate_series('2023-03-11 02:40'::timestamptz, '2023-03-13 02:40'::timestamptz, '1 day');
SELECT generate_series('2023-11-06 01:40'::timestamptz, '2023-11-04 01:40'::timestamptz, '-12 hours');
SELECT date_trunc('hour', '2023-04-01 15:58Z'::timestamptz, 'Australia/South'), date_trunc('hour', '2023-04-01 15:15Z'::timestamptz, 'Australia/Lord_Howe'),
  date_trunc('hour', '2023-04-01 14:45Z'::timestamptz, 'Australia/Lord_Howe');
SET timezone = 'Australia/Lord_Howe';
SELECT v, v + interval '1 day', v - interval '1 day' FROM (VALUES ('2023-04-01 14:45Z'::timestamptz), ('2023-04-01 15:15Z'), ('2023-03-31 15:15Z'), ('2023-04-02 15:15Z')) t(v);
"""

SERIES = """
SELECT * FROM pg_catalog.unnest(ARRAY[1, 2]);
SELECT (SELECT count(*) FROM pg_catalog.unnest(ARRAY[1, 2]) s(a)), array_to_string(ARRAY(SELECT u FROM pg_catalog.unnest(ARRAY[1, 2]) AS u), ',');
SELECT * FROM pg_catalog.unnest(ARRAY['a', 'b']) WITH ORDINALITY;
SELECT * FROM (VALUES (ARRAY[3, 4])) v(a), pg_catalog.unnest(v.a) u(b);
SELECT pg_catalog.unnest(ARRAY[1, 2]);
SELECT * FROM pg_catalog.generate_series(1, 2) g, pg_catalog.regexp_split_to_table('a b', ' ') r ORDER BY 1, 2;
SELECT * FROM generate_series(timestamp '2021-01-31', timestamp '2021-06-30', '1 month');
SELECT * FROM generate_series(timestamp '2021-06-30', timestamp '2021-01-31', '-1 month');
SELECT * FROM generate_series(timestamp '2021-01-01 03:04:05', timestamp '2020-01-01 01:02:03', interval '1' month - interval '60' day);
SELECT * FROM generate_series(timestamp '2020-01-01', timestamp '2020-02-01', interval '1 mon -20 days');
SELECT generate_series(timestamp '2020-01-01', timestamp '2020-02-01', i) FROM (VALUES (interval '10 days'), ('1 mon -20 days'), ('-1 day')) t(i);
SELECT * FROM generate_series(timestamp '2020-01-01', '2020-01-02', interval '0');
SELECT * FROM generate_series('infinity'::timestamp, '2020-01-01', '1 day');
"""


JSON_RECORDS = """
CREATE TYPE of_json AS (a int, b text, c numeric(5, 1), d int[], e jsonb, f timestamp);
SELECT a, b, c, d, e::text, f FROM jsonb_populate_record(NULL::of_json, '{"a":1,"b":"x","c":2.56,"d":[1,2],"e":{"k":[1,2]},"f":"2020-01-01"}');
SELECT a, b, d, e FROM json_populate_record(NULL::of_json, '{"a":"7","b":[1,2],"d":"{3,4}","e":null,"x":1}');
SELECT jsonb_populate_record(ROW(1, 'y', 3, ARRAY[1], '5', NULL)::of_json, '{"b":null}')::text;
SELECT jsonb_populate_record(ROW(1, 'y', 3, ARRAY[1], '5', NULL)::of_json, NULL)::text;
SELECT a, b, d FROM jsonb_populate_recordset(NULL::of_json, '[{"a":1,"b":"x"},{"a":2,"d":[null,3]}]');
SELECT (jsonb_populate_recordset(NULL::of_json, '[{"a":1,"b":"x"},{"a":2}]')).a;
SELECT jsonb_populate_recordset(NULL::of_json, '[{"a":1,"b":"x"},{"a":2}]')::text;
SELECT * FROM jsonb_populate_recordset(NULL::of_json, '{"a":1}');
SELECT * FROM jsonb_populate_recordset(NULL::of_json, '[1]');
SELECT * FROM json_populate_recordset(NULL::of_json, '1');
SELECT * FROM json_populate_recordset(NULL::of_json, '{"a":1}');
SELECT * FROM jsonb_populate_record(NULL::of_json, '[1]');
SELECT * FROM json_populate_record(NULL::of_json, '1');
SELECT * FROM jsonb_populate_record(NULL::of_json, '{"a":"x"}');
SELECT * FROM jsonb_populate_record(NULL::of_json, '{"d":1}');
SELECT * FROM json_to_record('{"a":1,"b":"foo","c":[1,2],"d":"x"}') AS x(a int, b text, d text, z int);
SELECT a, b::text, c, d FROM jsonb_to_record('{"a":1,"b":{"q":1},"c":[[1,2],[3,4]],"d":null}') AS x(a int, b json, c int[][], d jsonb);
SELECT * FROM jsonb_to_recordset('[{"a":1,"b":"foo"},{"a":2}]') AS x(a int, b varchar(2));
SELECT * FROM jsonb_to_recordset('[{"a":1,"b":"foo"},{"a":2}]') AS x(a int, b text) WHERE a > 1;
SELECT * FROM json_to_recordset('[{"a":1,"b":"foo"},{"a":2}]') AS (a int, b text);
SELECT * FROM json_to_recordset('[{"a":1,"b":"foo"},{"a":2}]');
SELECT * FROM generate_series(1, 2) AS x(a int);
SELECT jsonb_to_record('{"a":1}');
SELECT t.id, x.* FROM (VALUES (1, '[{"a":1},{"a":2}]'::jsonb), (2, '[]'), (3, NULL)) t(id, j), LATERAL jsonb_to_recordset(t.j) AS x(a int) ORDER BY 1, 2;
SELECT t.id, x.* FROM (VALUES (1, '{"a":1}'::jsonb), (3, NULL)) t(id, j) LEFT JOIN LATERAL jsonb_to_record(t.j) AS x(a int) ON true ORDER BY 1;
SELECT * FROM ROWS FROM (json_to_recordset('[{"a":40,"b":"foo"},{"a":"100","b":"bar"}]') AS (a int, b text), generate_series(1, 3)) AS x(p, q, s) ORDER BY s;
CREATE TYPE of_nested AS (a of_json, b of_json[]);
SELECT (a).a, (b)[2]::text FROM jsonb_populate_record(NULL::of_nested, '{"a":{"a":3},"b":[{"a":1},"(2,,,,,)"]}');
SELECT * FROM jsonb_populate_record(NULL::of_nested, '{"a":1}');
SELECT * FROM jsonb_populate_record(NULL::of_nested, '{"a":[1]}');
"""

ARRAYS = """
SELECT ARRAY[ARRAY[1, true]]::bool[][], ARRAY[ARRAY[ARRAY[1, 0]], ARRAY[ARRAY[2, 2]]]::bool[][][];
SELECT ARRAY[ARRAY[1, 2.4], ARRAY[3, 4.7]]::int[][];
SELECT (v::int[][])[2][1], (v::text[][])[1][1] FROM (VALUES ('{{1}, {2}}')) AS t(v);
SELECT (v::varchar[][][])[1][2][3], (v::int[][][])[1][2][3] FROM (VALUES ('{{{1, 2, 3}, {44, 55, 66}}}')) AS t(v);
SELECT x::int[] FROM (VALUES ('{1,2}'), ('{}'), (NULL)) t(x);
SELECT x::text[][] FROM (VALUES ('{{1,"a b"},{NULL,x}}'), ('{}'), (NULL)) t(x);
SELECT generate_subscripts('{{1,2,3},{3,4,5}}'::int[][], 2), generate_subscripts(ARRAY[ARRAY[1, 2], ARRAY[3, 4]], 1);
SELECT generate_subscripts(ARRAY[ARRAY[1, 2], ARRAY[3, 4], ARRAY[5, 6]], 2, true);
SELECT generate_subscripts(ARRAY[ARRAY[1, 2]], 3);
SELECT array_position(ARRAY[1, NULL, 2, NULL], NULL, NULL::int);
SELECT array_position(ARRAY[1, NULL, 2, NULL], NULL, 3), array_position(NULL::int[], 1, NULL);
SELECT substr('W7Jc3Vyufj', INT '2147483647', INT '2147483647'), substring('abc' FROM 2 FOR 2147483647);
CREATE TYPE of_row AS (a int, b text);
CREATE TABLE rows_of (x of_row);
INSERT INTO rows_of VALUES (ROW(1, 'a')), (ROW(2, 'b'));
SELECT (x).a FROM rows_of WHERE x = ROW(1, 'a'::text);
SELECT (x).a FROM rows_of WHERE ROW(1, 'a'::text) <> x;
SELECT ROW(1, 2) = 3;
"""


#: Read under templates: numbers of a width, separators, names, eras, halves, weeks and zones.
READ_MOMENTS = """
SELECT to_date('0000-12-25', 'YYYY-MM-DD')::text, to_date('-0001-12-25', 'YYYY-MM-DD')::text, to_date('12', 'MM')::text, to_date('', 'YYYY')::text;
SELECT to_date('20240229', 'YYYYMMDD'), to_date('2024 - 2 - 9', 'YYYY-MM-DD'), to_date('2024/2/9', 'YYYY-MM-DD'), to_date('9.2.2024', 'DD-MM-YYYY');
SELECT to_date('2023-02-29', 'YYYY-MM-DD');
SELECT to_date('02-30', 'MM-DD')::text;
SELECT to_date('20241301', 'YYYYMMDD');
SELECT to_date('2024 -1', 'YYYY MM');
SELECT to_date('202412', 'YYYYMMDD');
SELECT to_date('2024123', 'YYYYMMDD');
SELECT to_date('24 5 6', 'YY MM DD'), to_date('95-08-01', 'YYY-MM-DD'), to_date('9-08-01', 'Y-MM-DD'), to_date('69 1 1', 'YY MM DD'), to_date('70 1 1', 'YY MM DD');
SELECT to_date('2,024 07', 'Y,YYY MM'), to_date('3rd June 2024', 'DDth Month YYYY'), to_date('JUN-3-2024', 'Mon-DD-YYYY'), to_date('XII 2024', 'RM YYYY');
SELECT to_date('Fooary', 'Month');
SELECT to_date('44-03-15 BC', 'YYYY-MM-DD BC')::text, to_date('44-03-15 b.c.', 'YYYY-MM-DD B.C.')::text, to_date('21 24 5', 'CC YY MM'), to_date('20', 'CC');
SELECT to_date('2024-W05-3', 'IYYY-"W"IW-ID'), to_date('2024-035', 'IYYY-IDDD'), to_date('2024-060', 'YYYY-DDD'), to_date('2024 10', 'YYYY WW'), to_date('2024 05 2', 'YYYY MM W');
SELECT to_date('2024 10 3', 'YYYY IW DD');
SELECT to_date('060', 'DDD');
SELECT to_date('2458872', 'J'), to_timestamp('2458872', 'J');
SELECT to_date('x', 'YYYY');
SELECT to_date('99999999999', 'YYYY');
SELECT to_date('2024-01-02-03', 'YYYY-MM-DD-MM');
SELECT to_date('2024 1', 'FXYYYY MM'), to_date('2024  1', 'YYYYMM');
SELECT to_date('2024', 'TZ');
SELECT to_timestamp('2024-05-06 07:08:09.5', 'YYYY-MM-DD HH24:MI:SS.MS'), to_timestamp('2024-05-06 07:08:09.05', 'YYYY-MM-DD HH24:MI:SS.US');
SELECT to_timestamp('2024-05-06 07:08:09.123456', 'YYYY-MM-DD HH24:MI:SS.FF3'), to_timestamp('2024-05-06 07:08:09.9996', 'YYYY-MM-DD HH24:MI:SS.FF3');
SELECT to_timestamp('2024-05-06 12:30 AM', 'YYYY-MM-DD HH12:MI AM'), to_timestamp('2024-05-06 12:30 p.m.', 'YYYY-MM-DD HH:MI A.M.');
SELECT to_timestamp('2024-05-06 00:30', 'YYYY-MM-DD HH12:MI');
SELECT to_timestamp('2024-05-06 24:30', 'YYYY-MM-DD HH24:MI');
SELECT to_timestamp('2024-05-06 50000', 'YYYY-MM-DD SSSS'), to_timestamp('2024-05-06 50000 59', 'YYYY-MM-DD SSSSS SS');
SELECT to_timestamp('2024/12/30 14:52:49 +03:30', 'YYYY/MM/DD HH24:MI:SS TZH:TZM'), to_timestamp('2024/12/30 14:52 -0330', 'YYYY/MM/DD HH24:MI TZHTZM');
SELECT to_timestamp('2024/12/30 14:52 +330', 'YYYY/MM/DD HH24:MI TZHTZM');
SELECT to_timestamp('2024/12/30 14:52 -18', 'YYYY/MM/DD HH24:MI TZH');
SELECT to_timestamp('2024-12-30 14-52', 'YYYY-MM-DD HH24-MI'), to_timestamp('2024x12x30', 'YYYYxMMxDD'), to_timestamp('year 2024', '"year "YYYY');
SELECT to_timestamp('2024 + + JUN', 'YYYY/MON');
SELECT interval '1 day 2:', interval '1:';
"""


#: json keeps its text, whichever part of it is asked for.
KEPT_JSON = """
SELECT ('[{"b": "c"}, {"b":  "cc"}]'::json -> 1)::text, '[{"b": "c"}, {"b":  "cc"}]'::json ->> 1, ('{"a": {"b":{"c": "foo"}}}'::json #> '{}')::text;
SELECT ('{"a": {"b":{"c": "foo"}}}'::json #> ARRAY['a', 'b'])::text, '{"a": {"b":{"c": "foo"}}}'::json #>> '{a}';
SELECT ('{"a":1,"a":2}'::json -> 'a')::text, '{"a":{ },"a": [ 1 , 2]}'::json ->> 'a', ('{"a\\u0062":[1, 2]}'::json -> 'ab')::text;
SELECT (x -> 'a' -> 'b')::text, (x -> 'l' -> -1)::text, (x -> 'l' -> 0)::text, (x -> 'n')::text, x ->> 'n', x -> 'zz', (x #> '{l,1,k}')::text, x #>> '{l,-1}'
  FROM (VALUES ('{"a": {"b" :  [1, 2]}, "l": [ {"x":1} , {"k": "]}\\""} ], "n": null}'::json)) t(x);
SELECT value::text FROM json_array_elements('[1,true,[1,[2, 3]],null,{"f1":1, "f2":[7,8,9]},false]');
SELECT * FROM json_array_elements_text('[1,true,[1,[2, 3]],null,{"f1":1, "f2":[7,8,9]},"s"]');
SELECT key, value::text FROM json_each('{"a":[1, 2],"b":{ "c":1},"a":3}');
SELECT * FROM json_each_text('{"a":[1, 2],"b":null}');
SELECT * FROM json_array_elements('{}');
SELECT * FROM json_array_elements_text('1');
SELECT * FROM jsonb_array_elements('{}');
SELECT json_agg(x)::text, json_agg(y)::text, jsonb_agg(x)::text FROM (VALUES (ROW(1, 2), ARRAY[1]), (NULL, NULL), (ROW(3, 4), ARRAY[2])) t(x, y);
SELECT json_agg(x)::text FROM (VALUES (1), (2)) t(x);
SELECT jsonb_object('{{{a,b},{c,d}},{{b,c},{d,e}}}'::text[][][]);
SELECT jsonb_set('{"a": {"b": [1, 2, 3]}}', '{a, b, NULL}', '"new_value"');
SELECT '{"a":1}'::jsonb #- '{NULL}';
"""

MORE_TEXTS = """
SELECT format('%*s', 2147483647, 1);
SELECT format('%*s%-*s', 600000000, 1, 600000000, 1);
SELECT array_fill(0, ARRAY[2000000000]);
SELECT * FROM jsonb_array_elements(NULL::jsonb);
SELECT jsonb_array_elements_text(NULL), array_position('{}'::text[], 'x', NULL);
SELECT array_position('{x}'::text[], 'x', NULL);
SELECT 10::numeric ^ 200000;
SELECT exp(100000::numeric);
SELECT exp(-100000::numeric) = 0, regexp_replace(repeat('a', 30000), '(a*)*b', 'x') = repeat('a', 30000);
SELECT repeat('x', 40) ~ '^(x+x+)+y', regexp_count(repeat('ab', 2000), '(a*b*)*c');
SELECT format('>>%2$*1$L<<', 10, 'Hello'), format('>>%*s<<', 10, 'Hello'), format('>>%-*s<<', 10, 'Hello'), format('>>%2$*1$L<<', -10, NULL);
SELECT format('%1$s %s %s', 'a', 'b', 'c'), format('%-5s|%5s|%%', 'a', 'b');
SELECT format('%I', NULL);
SELECT format('%0$s', 'a');
SELECT format('%s %s', 'a');
SELECT encode(('\\x' || repeat('1234567890abcdef0001', 7))::bytea, 'base64'), encode(repeat('a', 57)::bytea, 'base64'), encode(repeat('a', 114)::bytea, 'base64'), encode('', 'base64');
SELECT concat(VARIADIC ARRAY[1, 2, 3]), concat_ws(',', VARIADIC ARRAY['a', NULL, 'b']), format('%s-%s', VARIADIC ARRAY['x', 'y']);
SELECT concat(VARIADIC NULL::int[]), concat_ws(',', VARIADIC '{}'::int[]), jsonb_extract_path('{"a":{"b":1}}', VARIADIC ARRAY['a', 'b'])::text;
SELECT jsonb_build_array(VARIADIC '{a,b,c}'::text[])::text, json_build_array(VARIADIC ARRAY[1, NULL])::text, json_build_object(VARIADIC '{a,b,c,d}'::text[])::text;
SELECT concat(VARIADIC 1);
"""


HYPOTHETICAL_SETS = """
SELECT rank(3) WITHIN GROUP (ORDER BY x), dense_rank(3) WITHIN GROUP (ORDER BY x), percent_rank(3) WITHIN GROUP (ORDER BY x), cume_dist(3) WITHIN GROUP (ORDER BY x)
  FROM (VALUES (1), (2), (2), (3), (4), (NULL)) t(x);
SELECT rank(3) WITHIN GROUP (ORDER BY x DESC), dense_rank(3) WITHIN GROUP (ORDER BY x DESC), percent_rank(3) WITHIN GROUP (ORDER BY x DESC), cume_dist(3) WITHIN GROUP (ORDER BY x DESC)
  FROM (VALUES (1), (2), (2), (3), (4), (NULL)) t(x);
SELECT rank(NULL) WITHIN GROUP (ORDER BY x), rank(NULL) WITHIN GROUP (ORDER BY x NULLS FIRST), rank(3) WITHIN GROUP (ORDER BY x NULLS FIRST), dense_rank(NULL) WITHIN GROUP (ORDER BY x)
  FROM (VALUES (1), (2), (2), (3), (4), (NULL)) t(x);
SELECT rank(2, 'b') WITHIN GROUP (ORDER BY x, y DESC), dense_rank(2, 'b') WITHIN GROUP (ORDER BY x, y), cume_dist(2, 'b') WITHIN GROUP (ORDER BY x, y)
  FROM (VALUES (1, 'a'), (2, 'a'), (2, 'b'), (2, 'c'), (2, 'b'), (3, 'z')) t(x, y);
SELECT g, rank(g) WITHIN GROUP (ORDER BY x) FILTER (WHERE x <> 4) FROM (VALUES (1, 1), (1, 4), (2, 1), (2, 0)) t(g, x) GROUP BY g ORDER BY g;
SELECT rank(1) WITHIN GROUP (ORDER BY x), percent_rank(1) WITHIN GROUP (ORDER BY x), cume_dist(1) WITHIN GROUP (ORDER BY x) FROM (VALUES (1)) t(x) WHERE false;
SELECT rank(1, 2) WITHIN GROUP (ORDER BY x) FROM (VALUES (1)) t(x);
SELECT rank(1.5) WITHIN GROUP (ORDER BY x), rank('1') WITHIN GROUP (ORDER BY x) FROM (VALUES (1), (2)) t(x);
"""


JSONB_ORDER = """
SELECT x FROM (VALUES ('10'::jsonb), ('9'), ('"a"'), ('null'), ('true'), ('false'), ('[1]'), ('[]'), ('{}'), ('{"a":1}'), ('-1.5'), ('[1,2]'), ('"b"'), ('"B"'), (NULL), ('1e3'), ('0.001'), ('-0.001'), ('0'), ('""'), ('{"aa":1}'), ('{"b":0}'), ('[[]]'), ('[null]')) v(x) ORDER BY x;
SELECT x FROM (VALUES ('{"n":10}'::jsonb), ('{"n":9}'), ('{"n":-1}'), ('{}')) v(x) ORDER BY x -> 'n' DESC NULLS LAST LIMIT 2;
SELECT string_agg(x::text, ' ' ORDER BY x DESC) FROM (VALUES ('10'::jsonb), ('9'), ('-3')) v(x);
SELECT x, rank() OVER (ORDER BY x), lag(x) OVER (ORDER BY x) FROM (VALUES ('10'::jsonb), ('9'), ('9')) v(x) ORDER BY 2, 1;
SELECT x, count(*) FROM (VALUES ('10'::jsonb), ('9'), ('9')) v(x) GROUP BY x ORDER BY x;
SELECT '10'::jsonb > '9', '"b"'::jsonb < '"B"', '[2]'::jsonb > '[10]', '{"a":10}'::jsonb >= '{"a":9}', '[]'::jsonb < 'null', '{}'::jsonb <= '[1]';
SELECT greatest('10'::jsonb, '9', NULL), least('10'::jsonb, NULL, '9'), greatest(NULL::jsonb, NULL);
"""

NUMBER_TEMPLATES = """
SELECT to_number('123,000', '999G'), to_number('123,000', '999,999'), to_number('1,2,3', '9G9G9'), to_number('12 345', '99G999');
SELECT to_number('12,345.6-', '99G999D9S'), to_number('<12>', '99PR'), to_number('-12', 'S99'), to_number('12-', '99MI'), to_number('+5', 'SG9');
SELECT to_number('$1,234.50', 'L9,999.99'), to_number('1st', '9th'), to_number('x12y', '"x"99'), to_number('1234', '99V99'), to_number('ab12', '9999');
SELECT to_number('0.12', '.99');
SELECT to_number('1234.567', '9999.9'), to_number('12', '9'), to_number('12', '');
SELECT to_number('12', 'RN');
SELECT to_number('12', '9EEEE');
SELECT to_number('abc', '999');
SELECT to_number('12', 'S9S');
"""

INTERVAL_PARTS = """
SELECT interval '1:20:05 5 microseconds';
SELECT interval '+1:20:05 5 ms';
SELECT interval '5 ms 5 us', interval '1 sec 3 ms', interval '1 day 1:20:05.5';
"""

FIXED_ZONES = """
SET timezone = '-04:30';
SELECT timestamptz '2020-01-01 00:00Z', date_trunc('day', timestamptz '2020-01-01 00:00Z'), '2020-01-01'::timestamptz, '10:00'::timetz;
SELECT extract(timezone FROM timestamptz '2020-01-01 00:00Z'), to_char(timestamptz '2020-01-01 00:00Z', 'HH24:MI OF'), '2020-01-01'::date::timestamptz;
SELECT jsonb_path_query_tz('"2020-01-01"', '$.datetime() ? (@ < "2020-01-01 00:00:00+00:01".datetime())');
SELECT * FROM generate_series(timestamptz '2020-01-01', '2020-01-03', interval '1 day');
SELECT date_trunc('hour', timestamptz '2020-01-01 00:10Z'), timestamptz '2020-01-01 00:10Z' AT TIME ZONE '-04:30';
SELECT timestamptz '2021-06-23 11:00Z' AT TIME ZONE 'UTC+12', timestamp '2021-06-23 11:00' AT TIME ZONE 'UTC+12', timestamptz '2021-06-23 11:00Z' AT TIME ZONE 'GMT-3';
SELECT timestamptz '2021-06-23 11:00Z' AT TIME ZONE z FROM (VALUES ('XYZ+3'), ('<+03>-3'), ('utc-3'), ('XYZ3'), ('+03:30'), ('GMT+03:30'), ('GMT0'), ('EST5EDT'), ('Etc/GMT+5')) v(z);
SELECT '10:00+00'::timetz AT TIME ZONE 'UTC+10', date_trunc('day', timestamptz '2021-06-23 11:00Z', 'UTC+12');
SELECT make_timestamptz(2021, 6, 23, 11, 0, 0, 'UTC+12'), make_timestamptz(2021, 6, 23, 11, 0, 0, '+03:30');
SET TIME ZONE '-04:00';
SELECT timestamptz '2020-01-01 00:00Z';
SET TIME ZONE -4.5;
SELECT timestamptz '2020-01-01 00:00Z';
SET TIME ZONE 'XYZ+3';
SELECT timestamptz '2020-01-01 00:00Z';
SET TIME ZONE '<-0330>+3:30';
SELECT timestamptz '2020-01-01 00:00Z';
SET TIME ZONE INTERVAL '-08:00' HOUR TO MINUTE;
SELECT timestamptz '2020-01-01 00:00Z';
SET TIME ZONE INTERVAL '1 day';
SET TIME ZONE 'nowhere';
"""


@pytest.mark.parametrize(
    "script",
    [
        QUANTIFIED,
        TEXTS,
        CLOCKS,
        JSON,
        AGGREGATES,
        REFUSED_AGGREGATES,
        MOMENTS,
        ZONES,
        SERIES,
        JSON_RECORDS,
        ARRAYS,
        READ_MOMENTS,
        KEPT_JSON,
        MORE_TEXTS,
        HYPOTHETICAL_SETS,
        JSONB_ORDER,
        NUMBER_TEMPLATES,
        INTERVAL_PARTS,
        FIXED_ZONES,
        FORMS,
    ],
    ids=[
        "quantified",
        "texts",
        "clocks",
        "json",
        "aggregates",
        "refused aggregates",
        "moments",
        "zones",
        "series",
        "json records",
        "arrays",
        "read moments",
        "kept json",
        "more texts",
        "hypothetical sets",
        "jsonb order",
        "number templates",
        "interval parts",
        "fixed zones",
        "forms",
    ],
)
def test_values_are_those_of_postgresql(judge: Address, database: Address, script: str) -> None:
    assert_equal(judge, database, script)
