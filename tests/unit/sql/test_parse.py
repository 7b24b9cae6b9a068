"""What each statement says, read from its text."""

import pytest

from server.sql.parse import parse, split
from server.sql.role_name import RoleName
from server.sql.statement import (
    AlterDatabasePause,
    AlterDatabaseResume,
    AlterDatabaseSet,
    AlterRename,
    AlterSystemPause,
    AlterSystemResume,
    AlterSystemSet,
    Begin,
    CancelJobs,
    CloseCursor,
    Commit,
    Copy,
    CopyDirection,
    CreateDatabase,
    CreateMaterializedView,
    CreateSchema,
    CreateTable,
    CreateView,
    Deallocate,
    DeallocateAll,
    DeclareCursor,
    Delete,
    Describe,
    Discard,
    Drop,
    ExecuteStatement,
    Explain,
    Fetch,
    FetchDirection,
    Flush,
    Insert,
    Listen,
    Move,
    Notify,
    ObjectKind,
    Prepare,
    Query,
    ReleaseSavepoint,
    Reset,
    Rollback,
    RollbackTo,
    Savepoint,
    Set,
    SetScope,
    SetTransaction,
    Show,
    ShowColumns,
    ShowCreate,
    ShowObjects,
    Statement,
    TransactionModes,
    Unlisten,
    Unsupported,
    Update,
    Use,
    Wait,
)


def parsed(sql: str) -> Statement:
    [source] = split(sql)
    return parse(source)


def tree_sql(sql: str) -> str:
    statement = parsed(sql)
    assert isinstance(statement, Query)
    return statement.tree.sql(dialect="postgres")


# Data


def test_unquoted_names_are_folded_and_quoted_ones_kept() -> None:
    assert (
        tree_sql('SELECT A."B", C AS "D" FROM S.T AS A') == 'SELECT a."B", c AS "D" FROM s.t AS a'
    )


def test_names_are_cut_at_63_bytes() -> None:
    name = "ü" * 40
    assert tree_sql(f'SELECT "{name}"') == f'SELECT "{"ü" * 31}"'


def test_comments_are_no_part_of_a_query() -> None:
    assert tree_sql("/* dbt /* 1 */ */ SELECT /*+ HINT */ 1 -- one\n + 2") == "SELECT 1 + 2"


@pytest.mark.parametrize(
    "sql", ["(SELECT 1)", "VALUES (1)", "TABLE t", "WITH a AS (SELECT 1) TABLE a"]
)
def test_a_query_may_begin_in_several_ways(sql: str) -> None:
    assert isinstance(parsed(sql), Query)


def test_strings_are_decoded() -> None:
    sql = r"SELECT E'it\'s\n\x41é', U&'\0041\+000042', $q$a'b$q$, 'a''b', 'a'" "\n'b'"
    assert tree_sql(sql) == "SELECT 'it''s\nAé', 'AB', 'a''b', 'a''b', 'ab'"


def test_parameters_need_no_blanks_between_them() -> None:
    sql = "SELECT ($1,$2), '$1,$2', \"$1,$\", a$1"
    assert tree_sql(sql) == "SELECT ($1, $2), '$1,$2', \"$1,$\", a$1"
    assert tree_sql("VALUES ($1,$2),($3,$$,$4$$)") == "VALUES ($1, $2), ($3, ',$4')"


def test_prefix_operators_are_told_from_parameters() -> None:
    assert tree_sql("SELECT a<$1, a<<$1, a^$1, @$1") == (
        "SELECT a < $1, a << $1, POWER(a, $1), ABS($1)"
    )
    assert tree_sql("SELECT a<@$1, a@>$1, a^@$1") == "SELECT a <@ $1, a @> $1, STARTS_WITH(a, $1)"
    assert tree_sql("SELECT @a, @ $1, ~$2") == "SELECT ABS(a), ABS($1), ~$2"


def test_json_arrows_in_calls_are_no_lambdas() -> None:
    sql = "SELECT f(x -> 'a' ->> 'b'), g((x) -> 0 = 1), h(a, t.b -> 'c')"
    assert tree_sql(sql).lower() == sql.lower()


def test_intersect_binds_tighter_than_union() -> None:
    sql = "SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3"
    assert tree_sql(sql) == "SELECT 1 UNION ALL (SELECT 2 INTERSECT SELECT 3)"


def test_any_word_may_follow_as_and_a_dot() -> None:
    assert tree_sql("SELECT 1 AS end, t.from FROM t") == "SELECT 1 AS end, t.from FROM t"


def test_insert_with_everything() -> None:
    statement = parsed(
        "WITH w AS (SELECT 1) INSERT INTO s.t AS x (A, b) SELECT * FROM w JOIN v ON true "
        "ON CONFLICT (a) DO UPDATE SET b = excluded.b, (c, d) = (1, DEFAULT) WHERE x.a > 1 "
        "RETURNING *, a AS z"
    )
    assert isinstance(statement, Insert)
    assert (str(statement.table), statement.alias) == ("s.t", "x")
    assert [c.name for c in statement.columns] == ["a", "b"]
    assert statement.query is not None
    assert statement.query.sql() == "SELECT * FROM w JOIN v ON TRUE"
    assert statement.with_ is not None
    conflict = statement.on_conflict
    assert conflict is not None
    assert [part.column and part.column.name for part in conflict.target] == ["a"]
    assert [(a.columns[0].name, a.value and a.value.sql()) for a in conflict.assignments] == [
        ("b", "excluded.b"),
        ("c", "1"),
        ("d", None),
    ]
    assert conflict.where is not None
    assert [e.sql() for e in statement.returning] == ["*", "a AS z"]


def test_insert_default_values() -> None:
    statement = parsed("INSERT INTO t DEFAULT VALUES")
    assert isinstance(statement, Insert)
    assert statement.query is None


def test_a_position_tells_where_a_table_stands() -> None:
    second = split("SELECT 1; INSERT INTO t VALUES (1)")[1]
    statement = parse(second)
    assert isinstance(statement, Insert)
    assert (statement.start, statement.table.position) == (10, 23)
    assert statement.text == "INSERT INTO t VALUES (1)"


def test_update_from() -> None:
    statement = parsed(
        "UPDATE ONLY t AS x SET a = b IS DISTINCT FROM c, (d, e) = (SELECT 1, 2) FROM u, v "
        "WHERE x.a = u.a RETURNING x.*"
    )
    assert isinstance(statement, Update)
    assert statement.alias == "x"
    assert [[c.name for c in a.columns] for a in statement.assignments] == [["a"], ["d", "e"]]
    assert statement.from_ is not None
    assert statement.from_.sql() == "SELECT * FROM u, v"
    assert statement.where is not None
    assert statement.where.sql() == "x.a = u.a"


def test_delete_using() -> None:
    statement = parsed("DELETE FROM t x USING u WHERE x.a = u.a")
    assert isinstance(statement, Delete)
    assert (statement.table.name, statement.alias) == ("t", "x")
    assert statement.using is not None


def test_copy_with_options_of_both_times() -> None:
    new = parsed("COPY t (a, b) FROM STDIN WITH (FORMAT csv, HEADER, DELIMITER ';')")
    old = parsed("COPY t (a, b) FROM STDIN CSV HEADER DELIMITER ';'")
    assert isinstance(new, Copy)
    assert isinstance(old, Copy)
    expected = [("format", "csv"), ("header", None), ("delimiter", ";")]
    assert [(o.name, o.value) for o in new.options] == expected
    assert [(o.name, o.value) for o in old.options] == expected
    assert new.direction is CopyDirection.FROM_STDIN
    query = parsed("COPY (SELECT 1) TO STDOUT")
    assert isinstance(query, Copy)
    assert query.table is None
    assert query.query is not None


# Definitions


def test_create_table() -> None:
    statement = parsed(
        "CREATE TABLE IF NOT EXISTS s.t (A int, b numeric(10, 2)[] NOT NULL DEFAULT 1 + 1, "
        'c character  varying(10), d timestamp(3) WITH TIME ZONE NULL, "E" double precision, '
        "f struct<x int, y varchar[]>, PRIMARY KEY (a, b)) WITH (k = 'v', x.y = 5)"
    )
    assert isinstance(statement, CreateTable)
    assert (str(statement.name), statement.if_not_exists) == ("s.t", True)
    assert [(c.name, c.type) for c in statement.columns] == [
        ("a", "int"),
        ("b", "numeric(10,2)[]"),
        ("c", "character varying(10)"),
        ("d", "timestamp(3) with time zone"),
        ("E", "double precision"),
        ("f", "struct<x int,y varchar[]>"),
    ]
    assert [c.is_not_null for c in statement.columns] == [False, True, *[False] * 4]
    assert statement.columns[1].default_text == "1 + 1"
    assert [c.name for c in statement.keys[0].columns] == ["a", "b"]
    assert [(o.name, o.value) for o in statement.options] == [("k", "v"), ("x.y", "5")]


def test_create_table_with_an_inline_key_and_a_word_as_default() -> None:
    statement = parsed("CREATE TABLE t (id int PRIMARY KEY, at timestamp DEFAULT now() NOT NULL)")
    assert isinstance(statement, CreateTable)
    assert [c.name for c in statement.keys[0].columns] == ["id"]
    assert statement.columns[1].default_text == "now()"
    assert statement.columns[1].is_not_null


def test_create_table_as() -> None:
    statement = parsed("CREATE TABLE t (a, b) AS VALUES (1, 2) WITH NO DATA")
    assert isinstance(statement, CreateTable)
    assert [c.name for c in statement.column_names] == ["a", "b"]
    assert (statement.query_text, statement.with_data) == ("VALUES (1, 2)", False)


def test_create_view() -> None:
    statement = parsed("CREATE VIEW v (a) AS SELECT 1::timestamp with time zone /* end */")
    assert isinstance(statement, CreateView)
    assert [c.name for c in statement.columns] == ["a"]
    assert statement.query_text == "SELECT 1::timestamp with time zone"


@pytest.mark.parametrize("value", ["5", "'5'"])
def test_create_materialized_view(value: str) -> None:
    statement = parsed(
        f"CREATE MATERIALIZED VIEW IF NOT EXISTS m WITH (refresh.interval.sec = {value}) AS "
        "WITH x AS (SELECT 1 AS a) SELECT * FROM x EMIT IMMEDIATELY"
    )
    assert isinstance(statement, CreateMaterializedView)
    assert statement.if_not_exists
    assert [(o.name, o.value) for o in statement.options] == [("refresh.interval.sec", "5")]
    assert statement.query_text == "WITH x AS (SELECT 1 AS a) SELECT * FROM x"


def test_create_schema_and_database() -> None:
    schema = parsed("CREATE SCHEMA IF NOT EXISTS s AUTHORIZATION u")
    assert isinstance(schema, CreateSchema)
    assert (schema.name, schema.owner, schema.if_not_exists) == ("s", RoleName("u"), True)
    database = parsed("CREATE DATABASE d WITH OWNER = u BARRIER_INTERVAL_MS 100")
    assert isinstance(database, CreateDatabase)
    assert [(o.name, o.value) for o in database.options] == [
        ("owner", "u"),
        ("barrier_interval_ms", "100"),
    ]


def test_drop() -> None:
    statement = parsed("DROP MATERIALIZED VIEW IF EXISTS s.m, n CASCADE")
    assert isinstance(statement, Drop)
    assert statement.kind is ObjectKind.MATERIALIZED_VIEW
    assert [str(n) for n in statement.names] == ["s.m", "n"]
    assert (statement.if_exists, statement.is_cascade) == (True, True)
    forced = parsed("DROP DATABASE d WITH (FORCE)")
    assert isinstance(forced, Drop)
    assert forced.is_forced


def test_alter() -> None:
    [source] = split("ALTER SYSTEM SET x TO DEFAULT")
    assert parse(source) == AlterSystemSet("x", None, source=source)
    [source] = split("ALTER SYSTEM SET x = 'on'")
    assert parse(source) == AlterSystemSet("x", "on", source=source)
    [source] = split("ALTER DATABASE d SET BARRIER_INTERVAL_MS = 50")
    assert parse(source) == AlterDatabaseSet("d", "barrier_interval_ms", "50", source=source)
    assert isinstance(parsed("ALTER SYSTEM PAUSE"), AlterSystemPause)
    assert isinstance(parsed("ALTER SYSTEM RESUME"), AlterSystemResume)
    pause = parsed('ALTER DATABASE "D" PAUSE')
    assert isinstance(pause, AlterDatabasePause)
    assert pause.database == "D"
    assert isinstance(parsed("ALTER DATABASE d RESUME"), AlterDatabaseResume)


@pytest.mark.parametrize("kind", ["TABLE", "VIEW", "MATERIALIZED VIEW", "SCHEMA"])
def test_alter_rename(kind: str) -> None:
    statement = parsed(f"ALTER {kind} a RENAME TO B")
    assert isinstance(statement, AlterRename)
    assert (statement.kind, statement.name.name, statement.new_name) == (kind, "a", "b")


# What exists


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("SHOW ALL", "all"),
        ("SHOW TIME ZONE", "timezone"),
        ("SHOW TRANSACTION ISOLATION LEVEL", "transaction_isolation"),
        ("SHOW Search_Path", "search_path"),
    ],
)
def test_show_of_a_parameter(sql: str, name: str) -> None:
    statement = parsed(sql)
    assert isinstance(statement, Show)
    assert statement.name == name


def test_show_of_objects() -> None:
    statement = parsed("SHOW MATERIALIZED VIEWS FROM s ILIKE 'a%'")
    assert isinstance(statement, ShowObjects)
    assert (statement.kind, statement.schema) == ("MATERIALIZED VIEWS", "s")
    assert (statement.pattern, statement.is_case_insensitive) == ("a%", True)
    assert isinstance(parsed("SHOW COLUMNS FROM t"), ShowColumns)
    assert isinstance(parsed("DESCRIBE t"), Describe)
    create = parsed("SHOW CREATE VIEW v")
    assert isinstance(create, ShowCreate)
    assert create.kind is ObjectKind.VIEW


def test_explain() -> None:
    statement = parsed(
        "EXPLAIN (ANALYZE, VERBOSE off, FORMAT json, COSTS off) CREATE TABLE t (a int)"
    )
    assert isinstance(statement, Explain)
    assert (statement.is_analyze, statement.is_verbose, statement.format) == (True, False, "json")
    assert [(o.name, o.value) for o in statement.options] == [("costs", "off")]
    assert isinstance(statement.statement, CreateTable)
    assert statement.statement.name.position == 69
    short = parsed("EXPLAIN ANALYZE VERBOSE SELECT 1")
    assert isinstance(short, Explain)
    assert (short.is_analyze, short.is_verbose) == (True, True)


# The session


@pytest.mark.parametrize(
    ("sql", "name", "values", "scope"),
    [
        ("SET x = 1", "x", ("1",), SetScope.SESSION),
        ("SET SESSION x TO 'A', B, -1.5, on", "x", ("A", "b", "-1.5", "on"), SetScope.SESSION),
        ("SET LOCAL a.b TO DEFAULT", "a.b", None, SetScope.LOCAL),
        ("SET TIME ZONE 'UTC'", "timezone", ("UTC",), SetScope.SESSION),
        ("SET TIME ZONE LOCAL", "timezone", None, SetScope.SESSION),
        ("SET NAMES 'utf8'", "client_encoding", ("utf8",), SetScope.SESSION),
        ("SET SCHEMA 's'", "search_path", ("s",), SetScope.SESSION),
        ('SET search_path TO "A", public', "search_path", ("A", "public"), SetScope.SESSION),
        ("SET RW_IMPLICIT_FLUSH = true", "rw_implicit_flush", ("true",), SetScope.SESSION),
    ],
)
def test_set(sql: str, name: str, values: tuple[str, ...] | None, scope: SetScope) -> None:
    statement = parsed(sql)
    assert isinstance(statement, Set)
    assert (statement.name, statement.values, statement.scope) == (name, values, scope)


def test_transactions() -> None:
    begin = parsed("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY NOT DEFERRABLE")
    assert isinstance(begin, Begin)
    modes = TransactionModes(is_read_only=True, isolation="repeatable read", is_deferrable=False)
    assert begin.modes == modes
    assert isinstance(parsed("START TRANSACTION READ WRITE"), Begin)
    set_ = parsed("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
    assert isinstance(set_, SetTransaction)
    assert set_.is_session
    for word in ("COMMIT", "END", "COMMIT WORK AND NO CHAIN"):
        assert isinstance(parsed(word), Commit)
    for word in ("ROLLBACK", "ABORT", "ROLLBACK TRANSACTION"):
        assert isinstance(parsed(word), Rollback)
    chained = parsed("COMMIT AND CHAIN")
    assert isinstance(chained, Commit)
    assert chained.is_chained
    for sql, kind in (
        ("SAVEPOINT A", Savepoint),
        ("ROLLBACK TO SAVEPOINT A", RollbackTo),
        ("ROLLBACK TO a", RollbackTo),
        ("RELEASE SAVEPOINT a", ReleaseSavepoint),
        ("RELEASE a", ReleaseSavepoint),
    ):
        statement = parsed(sql)
        assert isinstance(statement, kind)
        assert getattr(statement, "name") == "a"  # noqa: B009


@pytest.mark.parametrize(
    ("sql", "direction", "count"),
    [
        ("FETCH c", FetchDirection.FORWARD, 1),
        ("FETCH NEXT FROM c", FetchDirection.FORWARD, 1),
        ("FETCH PRIOR FROM c", FetchDirection.BACKWARD, 1),
        ("FETCH FIRST IN c", FetchDirection.ABSOLUTE, 1),
        ("FETCH LAST c", FetchDirection.ABSOLUTE, -1),
        ("FETCH ABSOLUTE -2 FROM c", FetchDirection.ABSOLUTE, -2),
        ("FETCH 5 FROM c", FetchDirection.FORWARD, 5),
        ("FETCH ALL c", FetchDirection.FORWARD, None),
        ("FETCH BACKWARD ALL FROM c", FetchDirection.BACKWARD, None),
    ],
)
def test_fetch(sql: str, direction: FetchDirection, count: int | None) -> None:
    statement = parsed(sql)
    assert isinstance(statement, Fetch)
    assert (statement.cursor, statement.direction, statement.count) == ("c", direction, count)
    move = parsed(sql.replace("FETCH", "MOVE"))
    assert isinstance(move, Move)
    assert (move.cursor, move.direction, move.count) == ("c", direction, count)


def test_cursors() -> None:
    statement = parsed("DECLARE c NO SCROLL CURSOR WITH HOLD FOR SELECT 1")
    assert isinstance(statement, DeclareCursor)
    assert (statement.is_scroll, statement.is_holdable) == (False, True)
    assert statement.query_source.text == "SELECT 1"
    close = parsed("CLOSE ALL")
    assert isinstance(close, CloseCursor)
    assert close.name is None


def test_prepared_statements() -> None:
    prepare = parsed("PREPARE p (int, varchar(10)) AS SELECT $1, $2")
    assert isinstance(prepare, Prepare)
    assert prepare.types == ("int", "varchar(10)")
    assert isinstance(prepare.statement, Query)
    execute = parsed("EXECUTE p (1, 'a' || 'b')")
    assert isinstance(execute, ExecuteStatement)
    assert [a.sql() for a in execute.arguments] == ["1", "'a' || 'b'"]
    assert isinstance(parsed("DEALLOCATE PREPARE p"), Deallocate)
    assert isinstance(parsed("DEALLOCATE ALL"), DeallocateAll)


def test_the_rest_of_the_session() -> None:
    [source] = split("USE D")
    assert parse(source) == Use("d", source=source)
    [source] = split("RESET ALL")
    assert parse(source) == Reset("all", source=source)
    [source] = split("DISCARD TEMPORARY")
    assert parse(source) == Discard("temp", source=source)
    [source] = split("LISTEN a")
    assert parse(source) == Listen("a", source=source)
    [source] = split("UNLISTEN *")
    assert parse(source) == Unlisten(None, source=source)
    [source] = split("NOTIFY a, 'b'")
    assert parse(source) == Notify("a", "b", source=source)
    [source] = split("CANCEL JOBS 1, 2")
    assert parse(source) == CancelJobs((1, 2), source=source)
    assert isinstance(parsed("FLUSH"), Flush)
    assert isinstance(parsed("WAIT"), Wait)


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("CREATE OR REPLACE TABLE t (a int)", "CREATE OR REPLACE TABLE"),
        ("CREATE CONNECTION c WITH (type = 'kafka')", "CREATE CONNECTION"),
        ("ALTER TABLE t ADD EXCLUDE (a WITH =)", "ALTER TABLE ADD"),
        ("CALL x()", "CALL"),
        ("LOAD 'x'", "LOAD"),
        ("DO $$ BEGIN END $$", "DO"),
        ("PREPARE TRANSACTION 'x'", "PREPARE TRANSACTION"),
    ],
)
def test_a_statement_that_is_not_available_is_named(sql: str, what: str) -> None:
    statement = parsed(sql)
    assert isinstance(statement, Unsupported)
    assert statement.what == what
