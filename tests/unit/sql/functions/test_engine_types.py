"""Every overload gives in DuckDB exactly the type that it promises to clients."""

from collections.abc import Iterator

import duckdb
import pytest
from sqlglot import exp, parse_one

from catalog.errors import PgError
from catalog.oid import Oid
from catalog.types import (
    BASE_TYPES,
    INT4,
    NUMERIC,
    TEXT,
    PgType,
    array_of,
    map_of,
    numeric,
    record,
)
from catalog.user_type import EnumLabel, EnumType, pg_type
from server.sql.functions import registry
from server.sql.functions.json_record import OF_DEFINED_COLUMNS
from server.sql.functions.over import over
from server.sql.json_operators import JSON_OPERATORS
from server.sql.operator_tables import BINARY, UNARY
from server.sql.overload import Overload, apply
from server.sql.typed import Typed
from tests.unit.sql.functions.evaluation import open_instance

TYPES = [t for t in BASE_TYPES if t.name not in {"record", "void", "unknown"}]
MOOD = pg_type(
    EnumType(
        oid=Oid(90000),
        array_oid=Oid(90001),
        schema="public",
        name="mood",
        owner="root",
        labels=(EnumLabel(Oid(90002), "ok", 1.0),),
    )
)
ROW = record([("a", INT4), ("b", TEXT)])
ENTRY = array_of(record([("key", INT4), ("value", TEXT)]))
PSEUDO = {
    "any": INT4,
    "anyelement": INT4,
    "anyarray": array_of(INT4),
    "otherarray": array_of(TEXT),
    "anyenum": MOOD,
    "anymap": map_of(INT4, INT4),
    "number": numeric(10, 2),
}
TEMPLATES = {"date_trunc": "day", "extract": "epoch", "date_part": "epoch", "to_char": "YYYY"}
AGGREGATES = [
    (name, a.overload.parameters) for name, found in registry._AGGREGATES.items() for a in found
]


@pytest.fixture(scope="module")
def instance() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = open_instance()
    columns = [f'"{t.name}" {t.duckdb}, "_{t.name}" {t.duckdb}[]' for t in TYPES]
    columns += ['"number" DECIMAL(10, 2)', '"mood" DOUBLE', '"entries" ' + ENTRY.duckdb]
    columns += ['"int_map" MAP(INTEGER, INTEGER)', f'"record" {ROW.duckdb}']
    connection.execute(f"CREATE TABLE s ({', '.join(columns)})")
    yield connection
    connection.close()


def sample(parameter: PgType | str) -> Typed:
    found = PSEUDO[parameter] if isinstance(parameter, str) else parameter
    found = ROW if found.name == "record" else found
    name = {"number": "number", "anymap": "int_map"}.get(str(parameter), found.name)
    return Typed(exp.column(exp.to_identifier(name, quoted=True)), found)


def samples(name: str, parameters: tuple[PgType | str, ...]) -> list[Typed]:
    found = [sample(p) for p in parameters]
    template = TEMPLATES.get(name)
    for i, argument in enumerate(found):
        if template is not None and argument.type.name == "text":
            found[i] = Typed(exp.Literal.string(template), argument.type)
    if name == "rw_vnode":
        found[0] = Typed(exp.Literal.number("256"), INT4)
    if name == "map_from_entries":
        found[0] = Typed(exp.column("entries"), ENTRY)
    if name == "pg_collation_for":
        found[0] = sample(TEXT)
    if name == "string_agg":
        found[1] = Typed(exp.Literal.string(","), found[1].type)
    return found


def described(connection: duckdb.DuckDBPyConnection, value: Typed) -> tuple[str, str]:
    sql = parse_one(value.tree.sql(dialect="duckdb"), read="duckdb").sql(dialect="duckdb")
    found = connection.execute(f"DESCRIBE SELECT {sql} AS c FROM s").fetchall()[0][1]
    wanted = f"DESCRIBE SELECT CAST(NULL AS {value.type.duckdb}) AS c"
    return str(found), str(connection.execute(wanted).fetchall()[0][1])


SCALARS = [o for found in registry._SCALARS.values() for o in found]


#: Their arguments are whole rows of system catalogs, though declared as any.
ROWS = ("information_schema._pg_truetypid", "information_schema._pg_truetypmod")


def takes_record(overload: Overload) -> bool:
    """Whether an argument is a record; only the walker over trees makes those."""
    is_record = any(getattr(p, "name", None) == "record" for p in overload.parameters)
    return is_record or overload.name in ROWS


@pytest.mark.parametrize(
    "overload",
    [o for o in (*BINARY, *UNARY, *JSON_OPERATORS, *SCALARS) if not takes_record(o)],
    ids=lambda o: f"{o.name}({', '.join(getattr(p, 'name', str(p)) for p in o.parameters)})",
)
def test_scalar_types(instance: duckdb.DuckDBPyConnection, overload: Overload) -> None:
    arguments = samples(overload.name, overload.parameters)
    if overload.name.endswith("_build_object") and arguments:
        arguments *= 2
    if overload.name in {"encode", "decode"}:
        arguments[1] = Typed(exp.Literal.string("hex"), arguments[1].type)
    try:
        value = apply(overload, arguments)
    except PgError as e:
        pytest.fail(f"{e.sqlstate}: {e.message}")

    found, promised = described(instance, value)

    assert found == promised


@pytest.mark.parametrize(
    ("name", "parameters"),
    AGGREGATES,
    ids=[f"{n}({', '.join(getattr(p, 'name', str(p)) for p in ps)})" for n, ps in AGGREGATES],
)
def test_aggregate_types(
    instance: duckdb.DuckDBPyConnection, name: str, parameters: tuple[PgType | str, ...]
) -> None:
    value = registry.resolve_aggregate(name, samples(name, parameters))
    found, promised = described(instance, value)
    assert found == promised

    found, promised = described(instance, over(value, exp.Window(this=exp.Null(), over="OVER")))
    assert found == promised


@pytest.mark.parametrize("name", ["percentile_cont", "percentile_disc"])
@pytest.mark.parametrize("pg_type", ["int4", "float8", "number"])
def test_percentile_types(instance: duckdb.DuckDBPyConnection, name: str, pg_type: str) -> None:
    value = Typed(
        exp.column(pg_type), PSEUDO.get(pg_type) or next(t for t in TYPES if t.name == pg_type)
    )
    fraction = Typed(exp.Literal.number("0.5"), NUMERIC)

    call = registry.resolve_aggregate(
        name, [fraction], within_group=[(value, exp.Ordered(this=value.tree))]
    )

    found, promised = described(instance, call)
    assert found == promised


@pytest.mark.parametrize("overload", [o for found in registry._WINDOWS.values() for o in found])
def test_window_types(instance: duckdb.DuckDBPyConnection, overload: Overload) -> None:
    value = registry.resolve_window(overload.name, samples(overload.name, overload.parameters))
    order = exp.Order(expressions=[exp.Ordered(this=exp.column("int4"))])

    window = exp.Window(this=exp.Null(), over="OVER", order=order)
    found, promised = described(instance, over(value, window))

    assert found == promised


@pytest.mark.parametrize("name", sorted(registry._ROWS.keys() - set(OF_DEFINED_COLUMNS)))
def test_table_function_types(instance: duckdb.DuckDBPyConnection, name: str) -> None:
    for function in registry._ROWS[name]:
        rows = registry.resolve_table_function(name, samples(name, function.overload.parameters))
        query = rows.tree.sql(dialect="duckdb")
        found = instance.execute(f"DESCRIBE {query} FROM s").fetchall()
        promised = [
            str(instance.execute(f"DESCRIBE SELECT CAST(NULL AS {t.duckdb})").fetchall()[0][1])
            for _, t in rows.columns
        ]
        assert [str(row[1]) for row in found] == promised
        assert [row[0] for row in found] == [f"c{i}" for i in range(1, len(promised) + 1)]
