"""sqlalchemy-risingwave: the inspector, tables made and written by expressions, and an ORM."""

import sys

import sqlalchemy as sa
from sqlalchemy import orm

url = sys.argv[1].replace("postgresql:", "risingwave+psycopg2:")
engine = sa.create_engine(url)
with engine.begin() as connection:
    connection.exec_driver_sql(
        "CREATE TABLE sale (id int PRIMARY KEY, city varchar NOT NULL, euros numeric, at timestamptz)"
    )
    connection.exec_driver_sql("CREATE INDEX sale_city ON sale (city)")
    connection.exec_driver_sql(
        "CREATE MATERIALIZED VIEW per_city AS SELECT city, sum(euros) AS euros FROM sale GROUP BY city"
    )
    connection.exec_driver_sql("CREATE VIEW dear AS SELECT id FROM sale WHERE euros > 10")
    connection.exec_driver_sql("CREATE SCHEMA aside")
    connection.exec_driver_sql("CREATE TABLE aside.other (k varchar PRIMARY KEY)")

inspector = sa.inspect(engine)
assert {"public", "aside"} <= set(inspector.get_schema_names())
assert set(inspector.get_table_names(schema="public")) == {"sale"}
assert inspector.get_view_names(schema="public") == ["dear"]
assert inspector.get_materialized_view_names(schema="public") == ["per_city"]
assert inspector.get_table_names(schema="aside") == ["other"]
assert inspector.has_table("sale")
assert not inspector.has_table("nothing")
columns = {
    c["name"]: (str(c["type"]), c["nullable"])
    for c in inspector.get_columns("sale", schema="public")
}
assert columns.keys() == {"id", "city", "euros", "at"}, columns
assert columns["id"] == ("INTEGER", False), columns
assert columns["city"][1] is False
assert inspector.get_pk_constraint("sale", schema="public")["constrained_columns"] == ["id"]
assert inspector.get_indexes("sale"), inspector.get_indexes("sale")
assert inspector.get_foreign_keys("sale") == []
assert "sum(euros)" in inspector.get_view_definition("per_city", schema="public")
reflected = sa.Table("sale", sa.MetaData(), autoload_with=engine)
assert [column.name for column in reflected.primary_key] == ["id"]


class Base(orm.DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True, autoincrement=False)
    name: orm.Mapped[str]


Base.metadata.create_all(engine)
with orm.Session(engine) as session:
    session.add_all([Author(id=1, name="Lem"), Author(id=2, name="Le Guin")])
    session.commit()
    session.get_one(Author, 1).name = "Stanisław Lem"
    session.commit()
with orm.Session(engine) as session:
    names = session.scalars(sa.select(Author.name).order_by(Author.id)).all()
    assert names == ["Stanisław Lem", "Le Guin"]
with engine.begin() as connection:
    connection.execute(
        sa.insert(reflected), [{"id": n, "city": "Cork", "euros": n} for n in range(5)]
    )
with engine.connect() as connection:
    assert connection.execute(sa.text("SELECT city, euros FROM per_city")).all() == [("Cork", 10)]
Base.metadata.drop_all(engine)
print("done")
