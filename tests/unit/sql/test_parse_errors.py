"""Statements that are none get the words, the SQLSTATE and the position PostgreSQL 15 gives."""

import pytest

from catalog.errors import FeatureNotSupported, InsufficientPrivilege, PgError, SqlSyntaxError
from server.sql.parse import parse, split
from server.sql.statement import Query

END = "syntax error at end of input"


def near(token: str) -> str:
    return f'syntax error at or near "{token}"'


def parse_all(sql: str) -> None:
    for source in split(sql):
        parse(source)


# Checked one by one against PostgreSQL 15.
@pytest.mark.parametrize(
    ("sql", "message", "position"),
    [
        ("SELEC 1", near("SELEC"), 1),
        ("SELECT 'abc", 'unterminated quoted string at or near "\'abc"', 8),
        ("SELECT E'abc", 'unterminated quoted string at or near "E\'abc"', 8),
        ("SELECT x'1f", 'unterminated hexadecimal string literal at or near "x\'1f"', 8),
        ('SELECT "abc', 'unterminated quoted identifier at or near ""abc"', 8),
        ("SELECT $$abc", 'unterminated dollar-quoted string at or near "$$abc"', 8),
        ("SELECT /* a /* b */", 'unterminated /* comment at or near "/* a /* b */"', 8),
        ('SELECT ""', 'zero-length delimited identifier at or near """"', 8),
        ("SELECT 1a", 'trailing junk after numeric literal at or near "1a"', 8),
        ("SELECT (1", END, 10),
        ("SELECT ((1)", END, 12),
        ("SELECT 1)", near(")"), 9),
        ("SELECT * FROM", END, 14),
        ("SELECT * FROM where", near("where"), 15),
        ("SELECT * FROM '/etc/passwd'", near("'/etc/passwd'"), 15),
        ("SELECT 'a' 'b'", near("'b'"), 12),
        ("SELECT 1 1", near("1"), 10),
        ("SELECT a b c", near("c"), 12),
        ("SELECT a, FROM t", near("FROM"), 11),
        ("SELECT a FROM t,", END, 17),
        ("SELECT 1 AS", END, 12),
        ("SELECT DISTINCT", END, 16),
        ("SELECT select", near("select"), 8),
        ("SELECT CASE WHEN 1 THEN 2", END, 26),
        ("SELECT CAST(a AS)", near(")"), 17),
        ("SELECT a FROM t WHERE", END, 22),
        ("SELECT a FROM t JOIN s", END, 23),
        ("SELECT a FROM t JOIN s WHERE x", near("WHERE"), 24),
        ("SELECT 1 GROUP BY", END, 18),
        ("SELECT a FROM t ORDER BY ALL", near("ALL"), 26),
        ("SELECT 1 UNION", END, 15),
        ("UNION SELECT 1", near("UNION"), 1),
        ("SELECT 1 IN ()", near(")"), 14),
        ("SELECT 1 = 1 = 1", near("="), 14),
        ("SELECT a = b = true", near("="), 14),
        ("SELECT true = false <> null", near("<>"), 21),
        ("SELECT a < b = c < d", near("="), 14),
        ("SELECT a BETWEEN 0 AND 1 BETWEEN 2 AND 3", near("BETWEEN"), 26),
        ("SELECT a LIKE 'b' LIKE 'c'", near("LIKE"), 19),
        ("SELECT a FROM t LIMIT 1 BY a", near("BY"), 25),
        ("SELECT a FROM t GROUP BY a WITH ROLLUP", near("WITH"), 28),
        ("SELECT a FROM t ORDER BY a WITH FILL", near("WITH"), 28),
        ("SELECT a FROM t AT (TIMESTAMP => now())", near("("), 20),
        ("SELECT a[1:2:1] FROM t", near("1"), 14),
        ("SELECT a FROM t LIMIT 1,2", "LIMIT #,# syntax is not supported", 17),
        ("SELECT a FROM t FETCH FIRST", END, 28),
        ("SELECT :a", near(":"), 8),
        ("SELECT {", near("{"), 8),
        ("WITH a AS (SELECT 1)", END, 21),
        ("FROM t", near("FROM"), 1),
        ("SELECT (FROM t)", near("FROM"), 9),
        ("SELECT * EXCLUDE (a) FROM t", near("EXCLUDE"), 10),
        ("SELECT a FROM t QUALIFY x", near("x"), 25),
        ("SELECT 1 UNION ALL BY NAME SELECT 2", near("BY"), 20),
        ("CREATE", END, 7),
        ("CREATE FOO", near("FOO"), 8),
        ("CREATE TABLE t", END, 15),
        ("CREATE TABLE t (a)", END, 19),
        ("CREATE TABLE t (a foo bar)", near("bar"), 23),
        ("CREATE MATERIALIZED VIEW m AS", END, 30),
        ("DROP", END, 5),
        ("DROP FOO x", near("FOO"), 6),
        ("ALTER TABLE", END, 12),
        ("INSERT INTO t", END, 14),
        ("UPDATE t", END, 9),
        ("DELETE t", near("t"), 8),
        ("SET x", END, 6),
        ("SHOW", END, 5),
        ("BEGIN FOO", near("FOO"), 7),
        ("COPY t FROM", END, 12),
        ("EXPLAIN FOO", near("FOO"), 9),
        ("EXPLAIN (FOO) SELECT 1", 'unrecognized EXPLAIN option "foo"', 10),
        ("ATTACH x", near("ATTACH"), 1),
        ("PRAGMA x", near("PRAGMA"), 1),
        ("INSTALL x", near("INSTALL"), 1),
        ("LOAD x", near("x"), 6),
        ("EXPORT DATABASE 'x'", near("EXPORT"), 1),
        (
            "SELECT 1 FROM a.b.c.d.e",
            "improper qualified name (too many dotted names): a.b.c.d.e",
            15,
        ),
        (
            "CREATE TABLE t (a int null not null)",
            'conflicting NULL/NOT NULL declarations for column "a" of table "t"',
            28,
        ),
    ],
)
def test_a_syntax_error_is_postgresqls(sql: str, message: str, position: int) -> None:
    with pytest.raises(SqlSyntaxError) as caught:
        parse_all(sql)
    assert (caught.value.message, caught.value.position) == (message, position)
    assert caught.value.sqlstate == "42601"


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message", "position"),
    [
        ("SELECT B'12'", "22P02", '"2" is not a valid binary digit', 8),
        ("SELECT X'GG'", "22P02", '"G" is not a valid hexadecimal digit', 8),
        (r"SELECT E'\u12'", "22025", "invalid Unicode escape", 10),
        (r"SELECT U&'\00g1'", "42601", "invalid Unicode escape", 11),
        (r"SELECT E'\xff'", "22021", 'invalid byte sequence for encoding "UTF8": 0xff', None),
        (
            "CREATE TABLE t (a int primary key, b int primary key)",
            "42P16",
            'multiple primary keys for table "t" are not allowed',
            42,
        ),
    ],
)
def test_other_conditions_are_postgresqls_too(
    sql: str, sqlstate: str, message: str, position: int | None
) -> None:
    with pytest.raises(PgError) as caught:
        parse_all(sql)
    error = caught.value
    assert (error.sqlstate, error.message, error.position) == (sqlstate, message, position)


def test_positions_count_characters_of_the_whole_string() -> None:
    sql = "SELECT 'ä😀'; /* ü */ SELECT 1 +"
    with pytest.raises(SqlSyntaxError) as caught:
        parse_all(sql)
    assert caught.value.position == len(sql) + 1


def test_nothing_is_split_off_before_an_unterminated_quote() -> None:
    with pytest.raises(SqlSyntaxError) as caught:
        split("SELECT 1; SELECT 'a")
    assert caught.value.position == 18


def test_a_nul_character_is_no_text() -> None:
    with pytest.raises(PgError) as caught:
        split("SELECT '\0'")
    assert caught.value.sqlstate == "22021"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * REPLACE (a AS b) FROM t",
        "SELECT * FROM t PIVOT (sum(a) FOR b IN (1, 2))",
        "SELECT TRY_CAST(a AS int)",
        "SELECT a FROM t GROUP BY ALL",
        "SELECT * FROM t SEMI JOIN s ON a = b",
        "SELECT a FROM t USING SAMPLE 10",
        "SELECT a AS 'x'",
        "SELECT ?",
        "SELECT #1",
        "SELECT a == b",
        "SELECT a <=> b",
        "SELECT a IS 3",
        "SELECT 1 IN 2",
        "SELECT interval 1 day",
        "SELECT f(1,)",
        "SELECT `a`",
        "SELECT {'a': 1}",
        "INSERT INTO t VALUES (1,)",
        "SELECT 1 FROM (SHOW TABLES)",
        "SELECT * FROM (DESCRIBE t)",
        "SELECT * FROM (PRAGMA x)",
    ],
)
def test_other_dialects_are_syntax_errors(sql: str) -> None:
    with pytest.raises(SqlSyntaxError):
        parse_all(sql)


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("UPDATE t SET a = 1 WHERE CURRENT OF c", "WHERE CURRENT OF"),
    ],
)
def test_a_clause_that_is_not_available_is_named(sql: str, what: str) -> None:
    with pytest.raises(FeatureNotSupported) as caught:
        parse_all(sql)
    assert caught.value.message == f"{what} is not supported"


@pytest.mark.parametrize("write", ["INSERT INTO t VALUES (1) RETURNING *", "DELETE FROM t"])
def test_writes_in_a_with_that_is_not_the_statements_own_are_refused(write: str) -> None:
    with pytest.raises(FeatureNotSupported, match="must be at the top level") as caught:
        parse_all(f"SELECT * FROM (WITH a AS ({write}) SELECT 1) q")
    assert caught.value.position == 21


@pytest.mark.parametrize(
    ("sql", "role", "what"),
    [
        ("COPY t FROM '/etc/passwd'", "pg_read_server_files", "COPY from a file"),
        ("COPY t TO '/tmp/x' CSV", "pg_write_server_files", "COPY to a file"),
        (
            "COPY (SELECT 1) TO PROGRAM 'sh'",
            "pg_execute_server_program",
            "COPY to or from an external program",
        ),
    ],
)
def test_copy_reaches_no_file(sql: str, role: str, what: str) -> None:
    with pytest.raises(InsufficientPrivilege) as caught:
        parse_all(sql)
    expected = f"must be superuser or have privileges of the {role} role to {what}"
    assert caught.value.message == expected


DEEP = 100_000


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * DEEP + "1" + ")" * DEEP,
        "SELECT " + "f(" * DEEP + "1" + ")" * DEEP,
        "SELECT " + "(SELECT " * DEEP + "1" + ")" * DEEP,
        "SELECT " + "CASE WHEN true THEN " * DEEP + "1" + " END" * DEEP,
        "SELECT " + "NOT " * DEEP + "true",
        "SELECT " + "- " * DEEP + "1",
        "SELECT a" + "[1]" * DEEP,
        "SELECT " + "ARRAY[" * 30 + "1" + "]" * 30,
        "SELECT " + "date(" * 30 + "1" + ")" * 30,
        "SELECT " + "||".join(["a"] * 5_000),
        " UNION ALL ".join(["SELECT 1"] * 5_000),
        "CREATE TABLE t (a " + "struct<a " * DEEP + "int" + ">" * DEEP + ")",
    ],
    ids=lambda sql: sql[:24],
)
def test_deep_nesting_is_an_error_and_no_crash(sql: str) -> None:
    with pytest.raises(PgError) as caught:
        parse_all(sql)
    assert (caught.value.sqlstate, caught.value.message) == ("54001", "stack depth limit exceeded")
    assert caught.value.hint is not None
    assert caught.value.hint.startswith('Increase the configuration parameter "max_stack_depth"')


@pytest.mark.parametrize("operator", ["AND", "OR"])
def test_long_chains_of_conditions_are_balanced(operator: str) -> None:
    [source] = split("SELECT * FROM t WHERE " + f" {operator} ".join(["a = 1"] * 5_000))
    statement = parse(source)
    assert isinstance(statement, Query)
    assert statement.tree.sql().count(operator) == 4_999
    level, depth = [statement.tree], 0
    while level:
        level = [child for node in level for child in node.iter_expressions()]
        depth += 1
    assert depth < 30
