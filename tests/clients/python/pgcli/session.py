"""pgcli in a terminal: its completions, its own commands, queries and their errors."""

import re
import sys

import pexpect

ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r")


def main(url: str) -> None:
    """Have a session, and look at what is shown."""
    child = pexpect.spawn(
        sys.executable,
        ["-m", "pgcli.main", "--less-chatty", "--no-password", "--warn=off", url],
        env={
            "TERM": "xterm",
            "PAGER": "cat",
            "HOME": ".",
            "LC_ALL": "C.UTF-8",
            "PATH": "/usr/bin:/bin",
        },
        dimensions=(60, 200),
        encoding="utf-8",
        timeout=30,
    )

    def ask(line: str, *wanted: str) -> str:
        child.send(f"{line}\r")
        for one in wanted:
            child.expect(one)
        return ANSI.sub("", child.before or "")

    child.expect(">")
    ask(
        "CREATE TABLE sale (id int PRIMARY KEY, city varchar(20) NOT NULL, euros numeric(8, 2));",
        "CREATE TABLE",
    )
    ask("INSERT INTO sale SELECT n, 'c' || n, n FROM generate_series(1, 3) AS g(n);", "INSERT 0 3")
    ask("CREATE VIEW dear AS SELECT id FROM sale WHERE euros > 1;", "CREATE VIEW")
    ask("SELECT city, euros * 2 AS twice FROM sale ORDER BY id;", r"c3.*6\.00", "SELECT 3")
    for command, wanted in (
        (r"\dt", r"public.*sale.*table"),
        (r"\dv", r"public.*dear.*view"),
        (r"\d sale", r"city.*character varying\(20\).*not null"),
        (r"\d+ sale", r"sale_pkey.*PRIMARY KEY"),
        (r"\d dear", r"id.*integer"),
        (r"\dn", r"public"),
        (r"\du", r"Superuser|superuser|rolname"),
        (r"\l", r"template1|UTF8"),
        (r"\di", r"sale_pkey"),
        (r"\df upper", r"upper"),
        (r"\dT", r"Schema|schema"),
        (r"\dp", r"sale"),
        (r"\db", r"pg_default"),
    ):
        ask(command, wanted)
    ask("SELECT nope FROM sale;", 'column "nope" does not exist')
    ask("EXPLAIN SELECT * FROM sale;", "EXPLAIN")
    ask("BEGIN;", "BEGIN")
    ask("DELETE FROM sale;", "DELETE 3")
    ask("ROLLBACK;", "ROLLBACK")
    ask("SELECT count(*) AS n FROM sale;", r"\b3\b")
    child.send("SELECT * FROM sa\t")
    child.expect("sale")  # What it knows of the tables.
    child.sendcontrol("c")
    ask(r"\q")
    child.expect(pexpect.EOF)


main(sys.argv[1])
print("done")
