"""ADBC's driver for PostgreSQL: everything it asks and tells as Arrow, in batches, by COPY."""

import datetime as dt
import sys

import adbc_driver_manager
import adbc_driver_postgresql.dbapi as adbc
import pyarrow as pa

with adbc.connect(sys.argv[1]) as connection, connection.cursor() as cursor:
    cursor.execute(
        "CREATE TABLE kinds (k int PRIMARY KEY, i2 int2, i8 int8, f4 float4, f8 float8, b bool, s varchar, raw bytea,"
        " d date, t time, at timestamp, tz timestamptz, iv interval, n numeric(8, 2), l int[], j jsonb)"
    )
    connection.commit()
    cursor.execute(
        "INSERT INTO kinds VALUES (1, -2, 9007199254740993, 1.5, 2.5, true, 'ü', '\\x00ff', '2024-02-29', '01:02:03.5',"
        " '2024-02-29 01:02:03', '2024-02-29 01:02:03+02', '1 day 02:00:00', 12.5, '{1,NULL,3}', '{\"a\": [1]}')"
    )
    assert cursor.rowcount == 1, cursor.rowcount
    cursor.execute("INSERT INTO kinds (k) VALUES (2)")
    connection.commit()
    cursor.execute("SELECT * FROM kinds ORDER BY k")
    table = cursor.fetch_arrow_table()
    types = {field.name: str(field.type) for field in table.schema}
    assert types | {"j": None} == {
        "k": "int32",
        "i2": "int16",
        "i8": "int64",
        "f4": "float",
        "f8": "double",
        "b": "bool",
        "s": "string",
        "raw": "binary",
        "d": "date32[day]",
        "t": "time64[us]",
        "at": "timestamp[us]",
        "tz": "timestamp[us, tz=UTC]",
        "iv": "month_day_nano_interval",
        "n": types["n"],
        "l": "list<item: int32>",
        "j": None,
    }, types
    first, second = table.to_pylist()
    assert first["i8"] == 9007199254740993
    assert (first["raw"], first["s"], first["b"]) == (b"\x00\xff", "ü", True)
    assert (first["d"], first["t"]) == (dt.date(2024, 2, 29), dt.time(1, 2, 3, 500000))
    assert first["tz"] == dt.datetime(2024, 2, 28, 23, 2, 3, tzinfo=dt.UTC)
    assert first["l"] == [1, None, 3]
    assert [value for name, value in second.items() if name != "k"] == [None] * 15

    rows = pa.table(
        {"k": pa.array(range(10_000), pa.int64()), "s": [f"row {n}" for n in range(10_000)]}
    )
    assert cursor.adbc_ingest("bulk", rows, mode="create") in (10_000, -1)
    assert cursor.adbc_ingest("bulk", rows.to_reader(max_chunksize=1000), mode="append") in (
        10_000,
        -1,
    )
    connection.commit()
    cursor.execute(
        "SELECT k, count(*) AS n, min(s) AS s FROM bulk WHERE k >= $1 GROUP BY k ORDER BY k",
        (9_990,),
    )
    assert cursor.fetch_arrow_table().to_pylist() == [
        {"k": k, "n": 2, "s": f"row {k}"} for k in range(9_990, 10_000)
    ]
    cursor.executemany(
        "INSERT INTO kinds (k, s) VALUES ($1, $2)", [(n, f"s{n}") for n in range(10, 20)]
    )
    cursor.execute("SELECT count(*) FROM kinds")
    assert cursor.fetchone() == (12,)
    connection.rollback()

    objects = (
        connection.adbc_get_objects(depth="all", db_schema_filter="public").read_all().to_pylist()
    )
    here = next(
        catalog for catalog in objects if catalog["catalog_name"] == connection.adbc_current_catalog
    )
    tables = {
        t["table_name"]: t
        for schema in here["catalog_db_schemas"]
        for t in schema["db_schema_tables"]
    }
    assert {"kinds", "bulk"} <= tables.keys(), tables.keys()
    assert [c["column_name"] for c in tables["bulk"]["table_columns"]] == ["k", "s"]
    keys = [
        c for c in tables["kinds"]["table_constraints"] if c["constraint_type"] == "PRIMARY KEY"
    ]
    assert [key["constraint_column_names"] for key in keys] == [["k"]]
    assert connection.adbc_get_table_schema("bulk").names == ["k", "s"]
    assert "table" in connection.adbc_get_table_types()
    assert connection.adbc_get_info()["vendor_name"] == "PostgreSQL"

    try:
        cursor.execute("SELECT nope FROM kinds")
    except adbc_driver_manager.ProgrammingError as error:
        assert error.sqlstate == "42703", error.sqlstate
    else:
        raise AssertionError("a column that does not exist was read")
print("done")
