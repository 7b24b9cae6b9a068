"""Functions in SQL: after a restart, for those who may not call them, and in views that are kept."""

from pathlib import Path

import psycopg
import pytest

from tests.support.server import Address, running_server


def test_functions_their_lists_and_the_views_that_call_them_are_there_after_a_restart(
    tmp_path: Path,
) -> None:
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute("CREATE USER u")
        root.execute("CREATE TABLE t (k int PRIMARY KEY, a int)")
        root.execute("CREATE FUNCTION twice(x int) RETURNS int LANGUAGE sql AS 'SELECT x * 2'")
        root.execute("CREATE MATERIALIZED VIEW m AS SELECT k, twice(a) AS a FROM t")
        root.execute("REVOKE EXECUTE ON FUNCTION twice FROM PUBLIC")
        root.execute("COMMENT ON FUNCTION twice IS 'doubles'")
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute("INSERT INTO t VALUES (1, 10), (2, 20)")
        assert root.execute("SELECT * FROM m ORDER BY k").fetchall() == [(1, 20), (2, 40)]
        assert root.execute("SELECT twice(4)").fetchall() == [(8,)]
        told = "SELECT proacl::text, obj_description(oid) FROM pg_proc WHERE proname = 'twice'"
        assert root.execute(told).fetchall() == [("{root=X/root}", "doubles")]
        with pytest.raises(psycopg.errors.DependentObjectsStillExist):
            root.execute("DROP FUNCTION twice")
        u = Address(server.address.host, server.address.port, "u", "dev")
        with (
            u.connect() as other,
            pytest.raises(psycopg.errors.InsufficientPrivilege, match="twice"),
        ):
            other.execute("SELECT twice(4)")


def test_what_belongs_to_a_role_goes_with_drop_owned_and_stays_with_reassign(
    tmp_path: Path,
) -> None:
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute("CREATE USER u")
        root.execute("GRANT CREATE ON SCHEMA public TO u")
        u = Address(server.address.host, server.address.port, "u", "dev")
        with u.connect() as other:
            other.execute("CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'")
        with pytest.raises(psycopg.errors.DependentObjectsStillExist):
            root.execute("DROP USER u")
        root.execute("REASSIGN OWNED BY u TO root")
        assert root.execute("SELECT one()").fetchall() == [(1,)]
        root.execute("ALTER FUNCTION one OWNER TO u")
        root.execute("DROP OWNED BY u")
        with pytest.raises(psycopg.errors.UndefinedFunction):
            root.execute("SELECT one()")
        root.execute("DROP USER u")


def test_an_argument_that_may_be_another_each_time_is_not_put_in_twice(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, server.address.connect() as root:
        root.execute("CREATE FUNCTION gap(x float8) RETURNS float8 LANGUAGE sql AS 'SELECT x - x'")
        assert root.execute("SELECT gap(1.5)").fetchall() == [(0.0,)]
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="volatile argument"):
            root.execute("SELECT gap(random())")
