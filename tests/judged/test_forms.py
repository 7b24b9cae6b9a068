"""Normalization, templates of .datetime(), filled arrays, patterns and reals, beside PostgreSQL."""

from __future__ import annotations

import pytest

from tests.support.judged import assert_equal
from tests.support.server import Address

NORMALIZED = """
CREATE TABLE n (nfc text, normalized int, normalize int);
INSERT INTO n VALUES ('a' || chr(778), 1, 2), (chr(229), 3, 4), (NULL, 5, 6);
SELECT nfc, normalized, normalize FROM n WHERE nfc IS NORMALIZED;
SELECT nfc IS NORMALIZED AS normalized, nfc IS NFD NORMALIZED, nfc IS NOT nfc NORMALIZED FROM n;
SELECT length(normalize(nfc)), length(normalize(nfc, NFD)), normalize(lower(nfc), nfkc) FROM n;
SELECT chr(64257) IS NFKC NORMALIZED, chr(64257) IS NOT NFKD NORMALIZED, NULL IS NORMALIZED;
SELECT normalize(nfc, nfc), nfc IS NULL IS NOT NULL, nfc IS NFD NORMALIZED IS TRUE FROM n;
SELECT 'a' || 'b' IS NOT NORMALIZED OR false, pg_catalog.normalize('abc', 'NFC');
SELECT "normalize"('abc', 'nfd'), is_normalized('abc', 'NFC'), is_normalized('abc');
SELECT 5 IS NORMALIZED;
SELECT 'a' = 'b' IS NORMALIZED;
SELECT normalize(5);
SELECT is_normalized('abc', 'x');
SELECT 'a' IS nfx NORMALIZED;
CREATE VIEW v AS SELECT nfc IS NFKC NORMALIZED AS x, normalize(nfc, NFC) FROM n;
SELECT * FROM v;
"""

DATETIMES = r"""
SELECT jsonb_path_query('"10-03-2017"', '$.datetime("dd-mm-yyyy")'), jsonb_path_query('"12:34"', '$.datetime("HH24:MI")');
SELECT jsonb_path_query('"10-03-2017 12:34 +05:20"', '$.datetime("dd-mm-yyyy HH24:MI TZH:TZM")'), jsonb_path_query('"12:34 -05"', '$.datetime("HH24:MI TZH")');
SELECT jsonb_path_query('"10-03-2017"', '$.datetime("dd-mm-yyyy").type()'), jsonb_path_query('"12:34:56.78 pm"', '$.datetime("HH12:MI:SS.FF2 AM").type()');
SELECT jsonb_path_query('"March 3, 2020"', '$.datetime("Month DD, YYYY")');
SELECT jsonb_path_query('"10-03-2017T12:34"', '$.datetime("dd-mm-yyyy\"T\"HH24:MI")');
SELECT jsonb_path_query('"10-03-2017t12:34"', '$.datetime("dd-mm-yyyy\"T\"HH24:MI")');
SELECT jsonb_path_query('"12:34:56.789012"', '$.datetime("HH24:MI:SS.US")'), jsonb_path_query('"12:34:56.789"', '$.datetime("HH24:MI:SS.FF3")');
SELECT jsonb_path_query('"12:34:56.789012"', '$.datetime("HH24:MI:SS.FF2")');
SELECT jsonb_path_query('["10.03.2017","11.03.2017"]', '$[*].datetime("dd.mm.yyyy") ? (@ >= "11.03.2017".datetime("dd.mm.yyyy"))');
SELECT jsonb_path_query('"2020-01-02 10:00 +02"', '$.datetime("YYYY-MM-DD HH24:MI TZH") == "2020-01-02 08:00 +00".datetime("YYYY-MM-DD HH24:MI TZH")');
SELECT jsonb_path_query('["2020-01-02","x"]', 'strict $[*].datetime("YYYY-MM-DD")', silent => true);
SELECT jsonb_path_query('"12:34 "', '$.datetime("HH24:MI")'), jsonb_path_query('" 12:34"', '$.datetime("HH24:MI")');
SELECT jsonb_path_query('"10-03-2017"', '$.datetime("dd-mm")');
SELECT jsonb_path_query('"10-03"', '$.datetime("dd-mm-yyyy")');
SELECT jsonb_path_query('"bogus"', '$.datetime("dd-mm-yyyy")');
SELECT jsonb_path_query('"12-34"', '$.datetime("HH24:MI")');
SELECT jsonb_path_query('"2017-01-01"', '$.datetime("YYYY-MM-DDx")');
SELECT jsonb_path_query('"2017-01-01 +05"', '$.datetime("YYYY-MM-DD TZH")');
SELECT jsonb_path_query('"+05"', '$.datetime("TZH")');
SELECT jsonb_path_query('""', '$.datetime("")');
SELECT jsonb_path_query('"2017-13-01"', '$.datetime("YYYY-MM-DD")');
SELECT jsonb_path_query('1', '$.datetime("dd-mm-yyyy")');
"""

FILLED = """
SELECT array_fill(7, ARRAY[2, 3]), array_fill(7, ARRAY[2, 2], ARRAY[1, 1]), array_fill(7, ARRAY[2, 0]);
SELECT array_fill(NULL::text, ARRAY[1, 1, 2]), array_fill(1.50, ARRAY[2, 2]), array_fill('x'::text, '{1,2}'::int[]);
SELECT array_dims(array_fill(0, ARRAY[2, 3, 4])), cardinality(array_fill(0, ARRAY[2, 3, 4]));
CREATE TABLE t (k int, s int[]);
INSERT INTO t VALUES (1, '{2}'), (2, '{3}'), (3, '{0}'), (4, '{}');
SELECT k, array_fill(k, s), array_fill(k, ARRAY[k, 2]) FROM t ORDER BY k;
SELECT array_fill(7, ARRAY[2, 2], ARRAY[1, NULL]);
SELECT array_fill(7, ARRAY[2, -1]);
SELECT array_fill(ARRAY[1, 2], ARRAY[2]);
SELECT array_fill(7, ARRAY[1, 1, 1, 1, 1, 1, 1]);
SELECT array_fill(7, ARRAY[10000, 100000]);
SELECT array_fill(1, ARRAY[1000000, 1000000, 1000000, 1000000]);
"""

PATTERNS = r"""
select 'abc' like 'abc\';
select 'abcd' like 'abc\';
select 'ab' like 'abc\';
select 'xbc' like 'abc\';
select 'abc' not like 'abc\';
select 'abc' ilike 'ABC\';
select 'abcd' ilike 'ABC\';
select 'a' like '%\';
select '' like '\';
select '' like '%\';
select 'a' like '_\';
select 'ab' like '_\';
select null like 'a\';
select 'axxb' like 'a%b\', 'axxb' like 'a%c\';
select 'axxbx' like 'a%b\';
select 'abc' like 'abc#' escape '#', 'abc' like 'abd#' escape '#';
select 'abcd' like 'abc#' escape '#';
create table lt(t text, p text);
insert into lt values ('abc', 'abc\'), ('xyz','a\');
select t like 'abc\' from lt order by t;
select t like 'x\' from lt;
select t from lt where t like 'q%\';
select t from lt where t not like '%z\';
select substring('abcdefg' similar 'a*#"%#"g*' escape '#');
select substring('aaab' similar 'a*#"%#"' escape '#');
select substring('aaab' similar 'a+#"%#"' escape '#');
select substring('aaab' similar 'a{1,2}#"%#"' escape '#');
select substring('aaab' similar 'a?#"%#"' escape '#');
select substring('aaabaa' similar '#"%#"a*' escape '#');
select substring('a*b' similar 'a#*#"%#"' escape '#');
select substring('a**b' similar 'a[*]#"%#"' escape '#');
select substring('xxabyy' similar '(x|y)*#"%#"y+' escape '#');
select substring('aaab' from 'a*#"%#"' for '#');
select substring('aab' similar 'a*?#"%#"' escape '#');
select substring('abcd' similar '%#"b%#"%' escape '#');
"""

REALS = """
SELECT 1e39::float4;
SELECT (-1e39)::float4;
SELECT 1e-50::float4;
SELECT 3.4028236e38::float4;
SELECT 3.4028235e38::float4, 3.4028235e38::float8::float4, 1e-45::float4, 1e-40::float4, 'Infinity'::float8::float4;
CREATE TABLE f (d float8);
INSERT INTO f VALUES (1e39), (-1e-50), (1.5);
SELECT d::float4 FROM f WHERE d > 1;
SELECT d::float4 FROM f WHERE d < 0;
SELECT d::float4 FROM f WHERE d = 1.5;
CREATE TABLE r (x float4);
INSERT INTO r SELECT d FROM f WHERE d > 2;
INSERT INTO r VALUES (1e39);
"""


@pytest.mark.parametrize(
    "script",
    [NORMALIZED, DATETIMES, FILLED, PATTERNS, REALS],
    ids=["normalized", "datetimes", "filled", "patterns", "reals"],
)
def test_forms_are_those_of_postgresql(judge: Address, database: Address, script: str) -> None:
    assert_equal(judge, database, script)
