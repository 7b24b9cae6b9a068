"""psql: what a person sees of it is the same, character by character."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.activity import until_runs
from tests.support.server import Address

_TABLE: Final = """
CREATE TABLE sale (id int PRIMARY KEY, city varchar(20) NOT NULL, euros numeric(8,2), sold timestamptz,
    parts int[], note text);
INSERT INTO sale VALUES (1, 'Aarhus', 5.5, '2024-02-29 01:02:03+00', '{1,NULL,3}', E'two\\nlines'),
    (2, 'Brest', NULL, NULL, NULL, 'tab\there "and" |'), (3, 'Aarhus', -6.25, 'epoch', '{}', '');
"""

#: Scripts of which all that psql says is compared.
_SCRIPTS: Final = {
    "formats": r"""
SELECT * FROM sale ORDER BY id;
\pset null '(none)'
SELECT id, euros, parts FROM sale ORDER BY id;
\x on
SELECT * FROM sale ORDER BY id;
\x off
\pset border 2
SELECT id, city FROM sale ORDER BY id;
\pset border 1
\pset format csv
SELECT * FROM sale ORDER BY id;
\pset format unaligned
SELECT * FROM sale ORDER BY id;
\pset format html
SELECT id, note FROM sale ORDER BY id;
\pset format asciidoc
SELECT id, note FROM sale ORDER BY id;
\pset format latex
SELECT id, note FROM sale ORDER BY id;
\pset format troff-ms
SELECT id, note FROM sale ORDER BY id;
\pset format aligned
\pset title 'Sales'
\pset footer off
SELECT id FROM sale WHERE id < 0;
\t on
SELECT city FROM sale ORDER BY id;
""",
    "tags": r"""
BEGIN;
INSERT INTO sale VALUES (10, 'Cork'), (11, 'Delft');
UPDATE sale SET euros = 1 WHERE id > 9;
DELETE FROM sale WHERE id = 11 RETURNING id, city;
SAVEPOINT a;
ROLLBACK TO a;
RELEASE a;
COMMIT;
SET application_name = 'x';
SHOW application_name;
VALUES (1, 'a'), (2, 'b');
DROP TABLE IF EXISTS nothing;
PREPARE p AS SELECT $1::int + 1 AS next;
EXECUTE p(2);
DEALLOCATE p;
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM sale ORDER BY id;
FETCH 2 FROM c;
MOVE 1 FROM c;
FETCH ALL FROM c;
CLOSE c;
ROLLBACK;
DELETE FROM sale;
SELECT count(*) FROM sale;
""",
    "errors": r"""
SELECT 1 +
  nowhere;
SELEC 1;
SELECT * FROM nothing;
SELECT city FROM sale GROUP BY id / 0;
SELECT id, something_else FROM sale WHERE id = 1;
INSERT INTO sale (id) VALUES (7);
INSERT INTO sale VALUES (8, 'a name that is far too long for it');
SELECT 'x'::int;
SELECT upper(1, 2);
\set VERBOSITY verbose
SELECT 1/0 AS "über", 'ü' || nowhere;
\set VERBOSITY terse
SELECT * FROM nothing;
\set VERBOSITY sqlstate
SELECT * FROM nothing;
\set VERBOSITY default
\echo :ERROR :SQLSTATE :ROW_COUNT :LAST_ERROR_MESSAGE
SELECT 1;
\echo :ERROR :SQLSTATE :ROW_COUNT
BEGIN;
SELECT nope;
SELECT 1;
COMMIT;
COMMIT;
SELECT 'open
""",
    "commands": r"""
SELECT id, city, euros, sold, parts, note, id + 1, count(*) OVER () AS n FROM sale \gdesc
INSERT INTO sale VALUES (1, 'x') \gdesc
SELECT 1 AS a, 'b' AS b \gx
SELECT count(*) AS n, max(city) AS top FROM sale \gset sale_
\echo :sale_n :sale_top
SELECT 'SELECT ' || id || ' AS made' FROM sale ORDER BY id \gexec
SELECT city, id, euros FROM sale WHERE id < 3 ORDER BY id \crosstabview
SELECT city, id % 2 = 1 AS odd, sum(euros) FROM sale GROUP BY 1, 2 ORDER BY 1 \crosstabview city odd
\if true
SELECT :'sale_top' AS quoted, :"sale_top" FROM (SELECT 1 AS "Brest") q;
\else
SELECT 'never';
\endif
\set FETCH_COUNT 2
SELECT id FROM sale ORDER BY id;
\unset FETCH_COUNT
SELECT 1 AS one \; SELECT 2 AS two;
\set SHOW_ALL_RESULTS off
SELECT 1 AS one \; SELECT 2 AS two;
\echo `echo shell`
\encoding
\errverbose
SELECT 1/0;
\errverbose
""",
    "rollback of one statement": r"""
\set ON_ERROR_ROLLBACK on
BEGIN;
INSERT INTO sale VALUES (20, 'kept');
SELECT nope;
INSERT INTO sale VALUES (21, NULL);
INSERT INTO sale VALUES (22, 'kept too');
COMMIT;
SELECT id, city FROM sale WHERE id >= 20 ORDER BY id;
\set AUTOCOMMIT off
INSERT INTO sale VALUES (30, 'gone');
ROLLBACK;
SELECT count(*) FROM sale WHERE id = 30;
""",
    "copy": r"""
COPY sale (id, city, parts) FROM STDIN;
40	Cork	{1,2}
41	Delft	\N
\.
COPY sale (id, city) FROM STDIN WITH (FORMAT csv, HEADER);
id,city
42,"Delft, old"
\.
COPY (SELECT id, city FROM sale ORDER BY id) TO STDOUT;
\copy (SELECT id, city FROM sale ORDER BY id) TO 'FILE' CSV HEADER
\copy sale (id, city) FROM 'FILE' WITH (FORMAT text)
CREATE TABLE copied (id int, city text);
\copy copied FROM 'FILE' CSV HEADER
SELECT * FROM copied ORDER BY id;
\copy nothing FROM 'FILE'
COPY sale (id, nope) FROM STDIN;
COPY sale (id, city) FROM STDIN;
x	y
\.
SELECT count(*) FROM sale;
""",
}


def psql(
    address: Address, *arguments: str, script: str | None = None, directory: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["psql", "-X", *arguments, address.url],
        input=script,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=directory,
        env=os.environ | {"PGTZ": "UTC", "LC_ALL": "C.UTF-8"},
    )


@pytest.fixture
def both(database: Address, postgresql: Address) -> Iterator[tuple[Address, Address]]:
    """A database of ours and one of PostgreSQL's, with the same table."""
    with postgresql.connect() as connection:
        connection.execute("CREATE DATABASE psql")
    judge = postgresql.of_database("psql")
    for address in (database, judge):
        assert psql(address, "-q", script=_TABLE).stderr == ""
    yield database, judge
    with postgresql.connect() as connection:
        connection.execute("DROP DATABASE psql WITH (FORCE)")


@pytest.mark.parametrize("name", _SCRIPTS)
def test_a_person_sees_the_same(name: str, both: tuple[Address, Address], tmp_path: Path) -> None:
    script = _SCRIPTS[name].replace("FILE", str(tmp_path / "file"))
    ours, theirs = (psql(address, script=script) for address in both)
    assert ours.stdout == theirs.stdout
    # Where in PostgreSQL's own source an error was raised is no matter of ours.
    said = [line for line in theirs.stderr.splitlines() if not line.startswith("LOCATION:")]
    assert ours.stderr.splitlines() == said
    assert ours.returncode == theirs.returncode


@pytest.mark.parametrize(
    "options", [(), ("-v", "ON_ERROR_STOP=1"), ("-1",), ("-1", "-v", "ON_ERROR_STOP=1")]
)
def test_a_file_with_an_error(
    options: tuple[str, ...], both: tuple[Address, Address], tmp_path: Path
) -> None:
    file = tmp_path / "script.sql"
    file.write_text(
        "INSERT INTO sale VALUES (50, 'before');\n\nSELECT 1 +\n  nope;\nINSERT INTO sale VALUES (51, 'after');\n"
    )
    seen = []
    for address in both:
        done = psql(address, *options, "-f", file.name, directory=tmp_path)
        left = psql(address, "-Atc", "SELECT id FROM sale WHERE id >= 50 ORDER BY id")
        seen.append((done.returncode, done.stdout, done.stderr, left.stdout))
    assert seen[0] == seen[1]


def test_the_connection_is_told(both: tuple[Address, Address]) -> None:
    for address in both:
        told = psql(address, "-c", r"\conninfo").stdout
        assert f'connected to database "{address.database}" as user "{address.user}"' in told
        timed = psql(address, "-c", r"\timing on", "-c", "SELECT 1").stdout
        assert "Time: " in timed
        prompt = psql(address, script=r"\echo :DBNAME :USER :ENCODING :SERVER_VERSION_NUM").stdout
        name, user, encoding, version = prompt.split()
        assert (name, user, encoding) == (address.database, address.user, "UTF8")
        assert int(version) >= 150000


def test_watch_shows_what_changes(address: Address) -> None:
    command = ["psql", "-X", "-At", address.url, "-c", "CREATE TABLE t (n int)"]
    subprocess.run(command, check=True, capture_output=True)
    with subprocess.Popen(
        ["psql", "-X", "-At", address.url],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"TZ": "UTC"},
    ) as process:  # fmt: skip
        assert process.stdin is not None
        process.stdin.write("SELECT 'rows: ' || count(*) FROM t \\watch 0.2\n")
        process.stdin.flush()
        assert process.stdout is not None
        assert any("rows: 0" in line for line in process.stdout)
        with address.connect() as connection:
            connection.execute("INSERT INTO t VALUES (1)")
        assert any("rows: 1" in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


def test_an_interrupt_cancels_the_statement(address: Address) -> None:
    slow = "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 1000000) b WHERE a + b < 0;"
    with subprocess.Popen(
        ["psql", "-X", "-At", address.url],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(f"SELECT pg_backend_pid();\n{slow}\n")
        process.stdin.flush()
        assert process.stdout is not None
        backend = int(process.stdout.readline())
        with address.connect() as observer:
            until_runs(observer, backend, "generate_series")
        time.sleep(0.5)  # In the middle of it.
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=20)
    assert "canceling statement due to user request" in error
    assert out == ""


_OBJECTS: Final = """
CREATE SCHEMA shop;
CREATE TABLE sold (id int PRIMARY KEY, city varchar(20) NOT NULL, euros numeric(8,2), at timestamptz, parts int[]);
CREATE INDEX sold_city ON sold (city, id DESC);
CREATE TABLE shop.other (k text PRIMARY KEY, "Weird Name" int);
CREATE VIEW dear AS SELECT id FROM sold;
CREATE VIEW shop.everything AS SELECT * FROM sold;
COMMENT ON TABLE sold IS 'what was sold';
COMMENT ON COLUMN sold.city IS 'where';
COMMENT ON VIEW dear IS 'the dear ones';
COMMENT ON SCHEMA shop IS 'a shop';
CREATE ROLE psql_reader;
CREATE ROLE psql_writer LOGIN CREATEDB CONNECTION LIMIT 3;
GRANT psql_reader TO psql_writer;
GRANT SELECT ON sold TO psql_reader;
GRANT INSERT, UPDATE ON sold TO psql_writer WITH GRANT OPTION;
GRANT USAGE ON SCHEMA shop TO psql_reader;
ALTER ROLE psql_reader SET application_name = 'x';
"""

#: Commands that list or describe.
_DESCRIBED: Final = r"""
\d
\d sold
\d dear
\d sold_city
\d+ sold_pkey
\d shop.*
\d "shop"."oth*"
\d nothing
\dt
\dt *.other
\dtv shop.*
\dv
\dv+
\dm
\di
\ds
\dE
\dtvmi
\dn shop
\dn+ shop
\dp
\dp sold
\z sold
\ddp
\du psql_*
\du+ psql_writer
\dg psql_reader
\drds psql_reader
\da public.*
\df public.*
\dT public.*
\dD
\dO public.*
\do public.*
\dc public.*
\dx nothing
\dy
\dFd nothing
\des
\deu
\dew
\det
\dP
\dRp
\dRs
\dX
\dd
\dl
\lo_list
\db
\dconfig search_path
\dt pg_catalog.pg_class
\dv information_schema.tables
\dAc btree int8

"""


def test_what_lists_and_describes_says_the_same(both: tuple[Address, Address]) -> None:
    said = []
    for address in both:
        made = psql(address, "-q", script=_OBJECTS)
        assert made.stderr == ""
        try:
            commands = [line for line in _DESCRIBED.splitlines() if line]
            said.append({c: psql(address, script=c) for c in commands})
        finally:
            psql(
                address,
                "-q",
                script="DROP OWNED BY psql_reader, psql_writer; DROP ROLE psql_writer, psql_reader;",
            )
    for command, ours in said[0].items():
        theirs = said[1][command]
        shown = theirs.stdout.replace(both[1].user, both[0].user)
        assert (_words(ours.stdout), ours.stderr) == (_words(shown), theirs.stderr), command


def _words(table: str) -> list[str]:
    """What is in a table, however wide its columns are."""
    return re.sub(r"\+?\s*(\||$)|-+", r" \1 ", table, flags=re.MULTILINE).split()
