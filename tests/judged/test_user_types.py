"""Enums, domains and composite types beside a real PostgreSQL."""

from __future__ import annotations

import pytest

from tests.support.judged import assert_equal
from tests.support.server import Address

ENUMS = """
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE mood AS ENUM ('x');
CREATE TYPE empty AS ENUM ();
CREATE TABLE t (id int PRIMARY KEY, m mood DEFAULT 'ok', ms mood[]);
INSERT INTO t VALUES (1, 'happy', '{sad,happy}'), (2, 'sad', NULL), (3, DEFAULT, ARRAY['ok','sad']::mood[]);
INSERT INTO t VALUES (4, 'bad', NULL);
INSERT INTO t VALUES (4, 'OK', NULL);
INSERT INTO t VALUES (4, 'ok'::text, NULL);
INSERT INTO t SELECT 4, 'happy'::text::mood, NULL;
INSERT INTO t VALUES (5, NULL, '{}');
SELECT * FROM t ORDER BY m, id;
SELECT * FROM t ORDER BY m DESC, id;
SELECT id, m > 'ok', m = 'sad', m IN ('sad', 'ok'), m BETWEEN 'ok' AND 'happy' FROM t ORDER BY id;
SELECT m, count(*) FROM t GROUP BY m ORDER BY m;
SELECT min(m), max(m), array_agg(m ORDER BY m DESC), string_agg(m::text, ',' ORDER BY m) FROM t;
SELECT DISTINCT m FROM t ORDER BY 1;
SELECT m::text || '!', upper(m::text), length(m::varchar) FROM t WHERE m = 'happy' ORDER BY id;
SELECT 'sad'::mood < 'happy'::mood, 'sad'::mood::text < 'happy'::mood::text, greatest('sad'::mood, 'ok'), coalesce(NULL, 'ok'::mood);
SELECT enum_range(NULL::mood), enum_range('ok'::mood, NULL), enum_range(NULL, 'ok'::mood), enum_first(NULL::mood), enum_last('sad'::mood);
SELECT pg_typeof('sad'::mood), pg_typeof(ARRAY['sad']::mood[]), 'mood'::regtype, 'mood[]'::regtype::text;
SELECT CASE WHEN id > 2 THEN m ELSE 'sad' END FROM t ORDER BY id;
SELECT m FROM t WHERE m = 'nope';
SELECT m FROM t WHERE m = 'sad'::text;
SELECT m + 1 FROM t;
SELECT 'sad'::mood = 1;
SELECT 1::mood;
SELECT 'sad'::mood::int;
SELECT lower(m) FROM t;
SELECT mood 'sad', cast('ok' AS mood), 'sad'::text::mood;
SELECT 'zz'::text::mood;
SELECT ms[1], ms[1] > 'sad', 'ok' = ANY(ms), cardinality(ms) FROM t ORDER BY id;
SELECT unnest(enum_range(NULL::mood)) AS u ORDER BY u DESC;
ALTER TYPE mood ADD VALUE 'meh' BEFORE 'ok';
ALTER TYPE mood ADD VALUE 'meh';
ALTER TYPE mood ADD VALUE IF NOT EXISTS 'meh';
ALTER TYPE mood ADD VALUE 'elated' AFTER 'happy';
ALTER TYPE mood ADD VALUE 'worst' BEFORE 'sad';
ALTER TYPE mood ADD VALUE 'fine' AFTER 'ok';
ALTER TYPE mood ADD VALUE 'last';
ALTER TYPE mood ADD VALUE 'x' BEFORE 'nope';
INSERT INTO t VALUES (7, 'meh', '{meh,last}');
UPDATE t SET m = 'elated' WHERE id = 5;
SELECT id, m FROM t ORDER BY m, id;
SELECT enumlabel, enumsortorder FROM pg_enum WHERE enumtypid = 'mood'::regtype ORDER BY enumsortorder;
SELECT typname, typlen, typbyval, typtype, typcategory, typalign, typstorage, typinput::text, typoutput::text FROM pg_type WHERE typname IN ('mood', '_mood') ORDER BY 1;
ALTER TYPE mood RENAME VALUE 'meh' TO 'so so';
ALTER TYPE mood RENAME VALUE 'nope' TO 'x';
ALTER TYPE mood RENAME VALUE 'sad' TO 'ok';
SELECT id, m, ms FROM t WHERE id = 7;
SELECT m FROM t WHERE m = 'so so';
CREATE VIEW v AS SELECT id, m, m::text AS s FROM t;
SELECT * FROM v WHERE id = 7;
ALTER TYPE mood RENAME VALUE 'so so' TO 'meh';
SELECT * FROM v WHERE id = 7;
DROP TYPE nope;
DROP TYPE IF EXISTS nope;
ALTER TYPE mood RENAME TO feeling;
SELECT pg_typeof(m), pg_typeof(ms) FROM t LIMIT 1;
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 ORDER BY attnum;
SELECT column_name, data_type, udt_schema, udt_name FROM information_schema.columns WHERE table_name = 't' ORDER BY ordinal_position;
SELECT 'x'::mood;
SELECT 'sad'::feeling;
ALTER TABLE t ALTER m TYPE text;
ALTER TABLE t ALTER m DROP DEFAULT;
DROP VIEW v;
DROP TYPE feeling;
ALTER TABLE t ALTER m TYPE text;
SELECT id, m FROM t ORDER BY id;
ALTER TABLE t ALTER m TYPE feeling USING m::feeling;
SELECT id, m FROM t ORDER BY m, id;
DROP TABLE t;
DROP TYPE feeling;
CREATE TYPE "Mixed Case" AS ENUM ('It''s', 'a "b"', '{c,d}');
SELECT 'It''s'::"Mixed Case", ARRAY['a "b"', '{c,d}']::"Mixed Case"[], pg_typeof('It''s'::"Mixed Case");
SELECT row('a "b"'::"Mixed Case", 1);
CREATE SCHEMA own;
CREATE TYPE own.level AS ENUM ('low', 'high');
SELECT 'low'::own.level, pg_typeof('low'::own.level), '{low,high}'::own.level[];
SELECT 'low'::level;
DROP SCHEMA own;
DROP TYPE "Mixed Case";
CREATE TABLE own.t (l own.level);
ALTER TYPE own.level SET SCHEMA public;
SELECT 'low'::level, format_type('level'::regtype, -1);
ALTER TYPE level SET SCHEMA nowhere;
ALTER TYPE level SET SCHEMA own;
SET search_path = '';
SELECT format_type(oid, -1), oid::regtype::text FROM pg_catalog.pg_type WHERE typname = 'level';
RESET search_path;
CREATE ROLE owns_types;
ALTER TYPE own.level OWNER TO owns_types;
SELECT rolname FROM pg_roles JOIN pg_type ON typowner = pg_roles.oid WHERE typname = 'level';
DROP ROLE owns_types;
ALTER ROLE owns_types RENAME TO owned_types;
SELECT rolname FROM pg_roles JOIN pg_type ON typowner = pg_roles.oid WHERE typname = 'level';
DROP TYPE own.level;
DROP TABLE own.t;
DROP OWNED BY owned_types;
DROP ROLE owned_types;
CREATE TYPE own.level AS ENUM ('low', 'high');
CREATE DOMAIN own.d AS int;
DROP SCHEMA own;
DROP SCHEMA own CASCADE;
SELECT typname FROM pg_type WHERE typname IN ('level', 'd');
"""

DOMAINS = """
CREATE DOMAIN pos AS int NOT NULL DEFAULT 7 CHECK (VALUE > 0) CONSTRAINT small CHECK (VALUE < 100);
CREATE DOMAIN pos AS int;
CREATE DOMAIN nope AS nonesuch;
CREATE DOMAIN nope AS int CHECK (VALUE + 1);
CREATE DOMAIN nope AS int CHECK (foo > 1);
CREATE DOMAIN nope AS int NULL NOT NULL;
CREATE DOMAIN nope AS int DEFAULT 'x';
CREATE TABLE d (a int PRIMARY KEY, p pos, q pos);
INSERT INTO d VALUES (1, 1, 1);
INSERT INTO d (a, p) VALUES (2, 5);
INSERT INTO d (a) VALUES (3);
INSERT INTO d VALUES (4, 0, 1);
INSERT INTO d VALUES (4, NULL, 1);
INSERT INTO d VALUES (4, 100, 1);
INSERT INTO d VALUES (4, 'x', 1);
INSERT INTO d VALUES (4, 4.4, '6');
INSERT INTO d SELECT a + 10, p + 90, q FROM d WHERE a = 3;
UPDATE d SET p = 0 WHERE a = 1;
UPDATE d SET p = NULL WHERE a = 1;
UPDATE d SET p = p + 1, q = DEFAULT WHERE a = 1;
SELECT * FROM d ORDER BY a;
SELECT p + q, pg_typeof(p), pg_typeof(p + q), pg_typeof(-p), pg_typeof(abs(p)), pg_typeof(coalesce(p, q)), pg_typeof(coalesce(p, a)), p = 2, p || 'x' FROM d WHERE a = 1;
SELECT sum(p), max(p), count(DISTINCT p), pg_typeof(max(p)) FROM d;
SELECT 5::pos, '6'::pos, 7.2::pos, pg_typeof(5::pos), pg_typeof(5::pos::int);
SELECT 0::pos;
SELECT NULL::pos;
SELECT (p - 5)::pos FROM d ORDER BY a;
SELECT 5::pos::text, 5::pos::numeric / 2, 5::pos + 1.5;
SELECT pg_typeof(x) FROM (SELECT 5::pos AS x UNION ALL SELECT 6::pos) AS u LIMIT 1;
SELECT pg_typeof(x) FROM (SELECT 5::pos AS x UNION ALL SELECT 6) AS u LIMIT 1;
ALTER DOMAIN pos DROP CONSTRAINT small;
ALTER DOMAIN pos DROP CONSTRAINT small;
ALTER DOMAIN pos DROP CONSTRAINT IF EXISTS small;
INSERT INTO d VALUES (5, 100, 1);
ALTER DOMAIN pos ADD CONSTRAINT small CHECK (VALUE < 100);
ALTER DOMAIN pos ADD CHECK (VALUE <> 3);
ALTER DOMAIN pos ADD CONSTRAINT pos_check CHECK (VALUE <> 3);
INSERT INTO d VALUES (6, 3, 1);
ALTER DOMAIN pos RENAME CONSTRAINT pos_check1 TO not3;
ALTER DOMAIN pos RENAME CONSTRAINT nope TO x;
INSERT INTO d VALUES (6, 3, 1);
ALTER DOMAIN pos SET DEFAULT 9;
INSERT INTO d (a) VALUES (7);
ALTER DOMAIN pos DROP DEFAULT;
INSERT INTO d (a) VALUES (8);
ALTER DOMAIN pos DROP NOT NULL;
INSERT INTO d (a) VALUES (8);
SELECT * FROM d WHERE a > 6 ORDER BY a;
ALTER DOMAIN pos SET NOT NULL;
DELETE FROM d WHERE a = 8;
ALTER DOMAIN pos SET NOT NULL;
SELECT typname, typlen, typtype, typcategory, typnotnull, typbasetype::regtype::text, typtypmod, typdefault FROM pg_type WHERE typname = 'pos';
SELECT conname, contype, conrelid FROM pg_constraint WHERE contypid = 'pos'::regtype ORDER BY 1;
SELECT attname, atttypid::regtype::text, format_type(atttypid, atttypmod), attlen FROM pg_attribute WHERE attrelid = 'd'::regclass AND attnum > 0 ORDER BY attnum;
SELECT column_name, data_type, domain_schema, domain_name, udt_name FROM information_schema.columns WHERE table_name = 'd' ORDER BY ordinal_position;
SELECT domain_name, data_type, numeric_precision, domain_default, udt_name FROM information_schema.domains WHERE domain_schema = 'public' ORDER BY 1;
SELECT constraint_name, domain_name, is_deferrable FROM information_schema.domain_constraints WHERE domain_name = 'pos' ORDER BY 1;
CREATE DOMAIN small_pos AS pos CHECK (VALUE < 10);
SELECT 5::small_pos, pg_typeof(5::small_pos);
SELECT 20::small_pos;
SELECT -1::small_pos;
SELECT (-1)::small_pos;
DROP DOMAIN pos;
DROP DOMAIN small_pos;
CREATE DOMAIN code AS varchar(4) CHECK (VALUE ~ '^[a-z]+$');
CREATE TABLE c (x code PRIMARY KEY, n numeric(5,2));
INSERT INTO c VALUES ('abc'), ('abcd');
INSERT INTO c VALUES ('abcde');
INSERT INTO c VALUES ('AB');
SELECT x || '1', upper(x), length(x), 'abcdef'::code, x LIKE 'ab%' FROM c ORDER BY x;
ALTER DOMAIN code RENAME TO lower_code;
SELECT pg_typeof(x) FROM c LIMIT 1;
CREATE DOMAIN price AS numeric(6,2) DEFAULT 1.5;
CREATE TABLE pr (a int, p price);
INSERT INTO pr (a) VALUES (1);
INSERT INTO pr VALUES (2, 3), (3, 2.555);
SELECT a, p, p * 2, p::text FROM pr ORDER BY a;
DROP DOMAIN IF EXISTS nothing;
DROP TYPE lower_code;
DROP TABLE c;
DROP TYPE lower_code;
DROP DOMAIN price;
"""

COMPOSITES = """
CREATE DOMAIN pos AS int CHECK (VALUE > 0);
CREATE TYPE comp AS (a int, b text, c pos);
CREATE TYPE comp AS (a int);
CREATE TYPE bad AS (a int, a text);
CREATE TYPE bad AS (a nonesuch);
CREATE TABLE t (id int PRIMARY KEY, v comp, vs comp[]);
INSERT INTO t VALUES (1, ROW(1, 'x y', 2), ARRAY[ROW(1, 'a', 1)::comp]), (2, '(5,"q,r",9)', '{"(1,b,2)","(,,)"}');
INSERT INTO t VALUES (3, (1, NULL, 3)), (4, NULL), (5, ROW(NULL, '', NULL));
INSERT INTO t VALUES (6, (1, 'b', 0));
INSERT INTO t VALUES (6, (1, 'b'));
INSERT INTO t VALUES (6, '(1,2)');
INSERT INTO t VALUES (6, '(x,2,3)');
INSERT INTO t VALUES (6, 'nope');
INSERT INTO t VALUES (6, '(1,2,3) x');
INSERT INTO t VALUES (6, '(1,2,3,4)');
SELECT * FROM t ORDER BY id;
SELECT id, (v).a, (v).b, (v).c FROM t ORDER BY id;
SELECT id, (v).* FROM t ORDER BY id;
SELECT (v).nope FROM t;
SELECT (id).a FROM t;
SELECT v::text, vs[1], (vs[1]).b FROM t ORDER BY id;
SELECT id, v IS NULL, v = ROW(1, 'x y', 2)::comp, v < ROW(2, 'a', 1)::comp FROM t ORDER BY id;
SELECT (ROW(1, 'b', 2)::comp).b, pg_typeof(ROW(1, 'b', 2)::comp), pg_typeof((ROW(1, 'b', 2)::comp).b);
SELECT id FROM t WHERE (v).c > 2 ORDER BY id;
SELECT '( 1 ,"x\\"y"," 3")'::comp, '(1,"",3)'::comp;
SELECT typname, typlen, typtype, typcategory, typrelid <> 0 FROM pg_type WHERE typname = 'comp';
SELECT relname, relkind, relnatts FROM pg_class WHERE relname = 'comp';
SELECT attname, format_type(atttypid, atttypmod), attnum FROM pg_attribute WHERE attrelid = 'comp'::regclass AND attnum > 0 ORDER BY attnum;
SELECT attribute_name, ordinal_position, data_type, attribute_udt_name FROM information_schema.attributes WHERE udt_name = 'comp' ORDER BY 2;
CREATE TYPE outer_comp AS (x comp, y mood);
CREATE TYPE outer_comp AS (x comp, y text[]);
SELECT ROW(ROW(1, 'z', 3), '{a,b}')::outer_comp, ((ROW(ROW(1, 'z', 3), '{a,b}')::outer_comp).x).b;
DROP TYPE comp;
ALTER TYPE comp RENAME TO comp2;
SELECT pg_typeof(v) FROM t LIMIT 1;
DROP TYPE outer_comp;
DROP TABLE t;
DROP TYPE comp2;
DROP DOMAIN pos;
"""


@pytest.mark.parametrize("script", [ENUMS, DOMAINS, COMPOSITES], ids=["enums", "domains", "rows"])
def test_types_that_users_make_are_postgresqls(
    judge: Address, database: Address, script: str
) -> None:
    assert_equal(judge, database, script)
