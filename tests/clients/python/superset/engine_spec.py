"""Apache Superset: what its application asks of a database, by way of its PostgreSQL engine."""

import os
import sys
from pathlib import Path

Path("superset_config.py").write_text(
    "SECRET_KEY = 'only a test, of a database that is gone with it'\n"
    "SQLALCHEMY_DATABASE_URI = 'sqlite://'\n"
    "CACHE_CONFIG = DATA_CACHE_CONFIG = {'CACHE_TYPE': 'NullCache'}\n"
)
os.environ["SUPERSET_CONFIG_PATH"] = str(Path("superset_config.py").resolve())

from superset.app import create_app  # noqa: E402

app = create_app()
with app.app_context():
    from superset.models.core import Database
    from superset.sql.parse import Table

    database = Database(
        database_name="there",
        sqlalchemy_uri=sys.argv[1].replace("postgresql:", "postgresql+psycopg2:"),
    )
    spec = database.db_engine_spec
    with database.get_sqla_engine() as engine, engine.begin() as connection:
        for statement in (
            "CREATE TABLE sale (id int PRIMARY KEY, city varchar(20), euros numeric(8, 2), sold timestamp)",
            "INSERT INTO sale SELECT n, 'c' || mod(n, 3), n * 1.5, timestamp '2024-01-01' + n * interval '1 day' FROM generate_series(1, 60) AS g(n)",
            "CREATE VIEW dear AS SELECT id FROM sale WHERE euros > 80",
            "CREATE MATERIALIZED VIEW per_city AS SELECT city, sum(euros) AS euros FROM sale GROUP BY city",
        ):
            connection.execute(statement)
    assert spec.engine == "postgresql"
    assert "public" in database.get_all_schema_names()
    assert database.get_default_catalog() == database.url_object.database
    assert database.get_default_catalog() in database.get_all_catalog_names()
    tables = {t[0] for t in database.get_all_table_names_in_schema(None, "public")}
    views = {v[0] for v in database.get_all_view_names_in_schema(None, "public")}
    assert tables == {"sale"}, tables
    assert "dear" in views, views
    sale = Table("sale", "public")
    columns = database.get_columns(sale)
    assert [(c["column_name"], str(c["type"])) for c in columns] == [
        ("id", "INTEGER"),
        ("city", "VARCHAR(20)"),
        ("euros", "NUMERIC(8, 2)"),
        ("sold", "TIMESTAMP"),
    ], columns
    with database.get_inspector() as inspector:
        assert inspector.get_pk_constraint("sale", "public")["constrained_columns"] == ["id"]
    assert database.get_foreign_keys(sale) == []
    assert database.get_indexes(sale) == []
    assert database.has_table(sale)
    frame = database.get_df(database.select_star(sale, limit=7, cols=columns))
    assert len(frame) == 7
    for grain, expression in spec.get_time_grain_expressions().items():
        text = expression.replace("{col}", "sold")
        found = database.get_df(
            f"SELECT {text} AS t, sum(euros) AS s FROM sale GROUP BY 1 ORDER BY 1"
        )
        assert found["s"].sum() == sum(n * 1.5 for n in range(1, 61)), grain
    with database.get_raw_connection() as raw:
        cursor = raw.cursor()
        spec.execute(cursor, "SELECT city, euros FROM per_city ORDER BY city", database)
        assert [row[0] for row in spec.fetch_data(cursor)] == ["c0", "c1", "c2"]
        spec.estimate_statement_cost(database, "SELECT * FROM sale", cursor)
        assert str(spec.get_cancel_query_id(cursor, None)).isdigit()
print("done")
