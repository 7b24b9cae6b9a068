"""A string is cut where PostgreSQL cuts it, and positions are those of the whole string."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from catalog.errors import PgError
from server.sql.parse import parse, split
from server.sql.source import Source, position_of
from server.sql.statement import Query


@pytest.mark.parametrize(
    ("sql", "texts"),
    [
        ("", []),
        (" ; ;; -- nothing\n; /* ; */", []),
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;\nSELECT 2 ;", ["SELECT 1", "SELECT 2"]),
        ("SELECT ';', \";\"; SELECT 2", ["SELECT ';', \";\"", "SELECT 2"]),
        (r"SELECT E'\';'; SELECT 2", [r"SELECT E'\';'", "SELECT 2"]),
        (r"SELECT '\'; SELECT 2", [r"SELECT '\'", "SELECT 2"]),
        ("SELECT ''';'; SELECT 2", ["SELECT ''';'", "SELECT 2"]),
        ("SELECT $$;$$; SELECT $a$;$$;$a$", ["SELECT $$;$$", "SELECT $a$;$$;$a$"]),
        ("SELECT $1; SELECT a$b$; SELECT 1", ["SELECT $1", "SELECT a$b$", "SELECT 1"]),
        (
            "SELECT 1 /* ; /* ; */ ; */ + 2; SELECT 3",
            ["SELECT 1                   + 2", "SELECT 3"],
        ),
        ("SELECT 1 -- ;\n; SELECT '--'", ["SELECT 1", "SELECT '--'"]),
        ("SELECT namee'x;y'; SELECT 2", ["SELECT namee'x;y'", "SELECT 2"]),
    ],
)
def test_statements_end_at_semicolons_outside_of_quotes_and_comments(
    sql: str, texts: list[str]
) -> None:
    assert [source.text for source in split(sql)] == texts


def test_a_start_is_an_offset_in_the_whole_string() -> None:
    sql = "/* ä */ SELECT 1; -- 😀\n  SELECT 2"
    for source in split(sql):
        assert sql[source.start :].startswith(source.text)


def test_the_position_of_a_node_is_that_of_its_first_token() -> None:
    sql = "SELECT 1; SELECT 'ä', f(a.b), CASE WHEN c THEN 1 END FROM t"
    statement = parse(split(sql)[1])
    assert isinstance(statement, Query)
    tree = statement.tree

    def text_at(node: exp.Expr) -> str:
        position = position_of(node, statement.source)
        assert position is not None
        return sql[position - 1 :]

    assert {text_at(column)[:3] for column in tree.find_all(exp.Column)} == {"c T", "a.b"}
    assert text_at(next(tree.find_all(exp.Anonymous))).startswith("f(a.b)")
    assert text_at(next(tree.find_all(exp.Table))) == "t"
    assert text_at(tree.expressions[0]).startswith("'ä'")


def test_a_made_node_has_no_position() -> None:
    assert position_of(exp.column("a"), Source("SELECT a")) is None


@given(st.text(alphabet="ab1 '\"$;-/*\\eEU&,()[].:=<>!\n", max_size=40))
def test_any_text_is_a_statement_or_postgresqls_error(text: str) -> None:
    try:
        for source in split("SELECT " + text):
            parse(source)
    except PgError as error:
        assert error.position is None or 0 < error.position <= len(text) + 8


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30))
def test_a_string_literal_means_its_text(text: str) -> None:
    quoted = "'" + text.replace("'", "''") + "'"
    escaped = "E'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    dollar = f"$q${text}$q$"
    [source] = split(f"SELECT {quoted}, {escaped}, {dollar}")
    statement = parse(source)
    assert isinstance(statement, Query)
    assert [literal.this for literal in statement.tree.expressions] == [text] * 3
