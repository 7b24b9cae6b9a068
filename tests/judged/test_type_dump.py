"""What pg_dump writes of types can be read by PostgreSQL, and says what was said here."""

from __future__ import annotations

import re
import subprocess

from tests.support.server import Address

SCRIPT = (
    "CREATE DOMAIN pos AS int DEFAULT 7 NOT NULL CHECK (VALUE > 0)",
    "CREATE TYPE mood AS ENUM ('sad', 'it''s ok', 'happy')",
    "ALTER TYPE mood ADD VALUE 'so so' AFTER 'sad'",
    "CREATE TYPE outer_type AS (a int, b text)",
    "CREATE TYPE comp AS (p pos, m mood[], o outer_type, n numeric(6,2))",
    "CREATE DOMAIN few AS pos CONSTRAINT few_at_most CHECK (VALUE < 10)",
)
QUESTION = """
SELECT t.typname, t.typtype::text, t.typnotnull, format_type(t.typbasetype, -1), t.typdefault,
    (SELECT array_agg(enumlabel::text ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid),
    (SELECT array_agg(attname::text || ' ' || format_type(atttypid, atttypmod) ORDER BY attnum)
        FROM pg_attribute WHERE attrelid = t.typrelid AND attnum > 0),
    (SELECT array_agg(conname::text ORDER BY conname) FROM pg_constraint WHERE contypid = t.oid)
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE n.nspname = 'public' AND t.typcategory <> 'A' ORDER BY 1
"""


def test_a_dump_of_types_is_read_by_postgresql(judge: Address, database: Address) -> None:
    with database.connect() as connection:
        for statement in SCRIPT:
            connection.execute(statement)
        ours = connection.execute(QUESTION).fetchall()
    dump = subprocess.run(
        ["pg_dump", "--schema-only", "--no-owner", "--no-privileges", "-T", "*.*", database.url],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    made = re.findall(r"^CREATE (?:TYPE|DOMAIN) .*?;$", dump, re.DOTALL | re.MULTILINE)
    with judge.connect() as connection:
        for statement in made:
            connection.execute(statement)
        theirs = connection.execute(QUESTION).fetchall()
    assert ours == theirs
    assert len(ours) == 5
