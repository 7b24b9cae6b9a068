"""What both adapters of dbt do: seed, run, test, run again after the sources have changed, docs."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2


def build(adapter: str, url: str) -> None:
    """Build the project twice in the working directory and look at what has become of it."""
    place = urlsplit(url)
    database = place.path.lstrip("/")
    shutil.copytree(Path(__file__).parent / "project", "project")
    os.chdir("project")
    Path("profiles.yml").write_text(
        f"shop:\n  target: here\n  outputs:\n    here:\n      type: {adapter}\n      host: {place.hostname}\n"
        f"      port: {place.port}\n      user: {place.username}\n      password: ''\n"
        f"      dbname: {database}\n      schema: shop\n      threads: 3\n"
    )
    connection = psycopg2.connect(url)
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE SCHEMA raw")
    cursor.execute(
        "CREATE TABLE raw.sale (id int PRIMARY KEY, city varchar, euros numeric, sold timestamp)"
    )
    cursor.execute(
        "INSERT INTO raw.sale VALUES (1, 'Aarhus', 3, '2024-01-01'), (2, 'Brest', 7, '2024-01-02'),"
        " (3, 'Aarhus', 10, '2024-01-03')"
    )

    def rows(query: str) -> list[tuple[object, ...]]:
        cursor.execute(query)
        return [tuple(row) for row in cursor.fetchall()]

    dbt("seed")
    dbt("run")
    dbt("test")
    assert rows("SELECT * FROM shop.per_country ORDER BY 1") == [("DK", 2, 13), ("FR", 1, 7)]
    assert rows("SELECT id FROM shop.big ORDER BY 1") == [(2,), (3,)]
    assert rows("SELECT country FROM shop.most") == [("DK",)]
    cursor.execute(
        "INSERT INTO raw.sale VALUES (4, 'Cork', 8, '2024-01-04'), (5, 'Cork', 1, '2024-01-05')"
    )
    if adapter == "risingwave":
        cursor.execute("FLUSH")
        wanted = [("DK", 2, 13), ("FR", 1, 7), ("IE", 2, 9)]
        assert rows("SELECT * FROM shop.per_country ORDER BY 1") == wanted  # Without dbt's doing.
    dbt("run")
    dbt("test")
    assert rows("SELECT * FROM shop.per_country ORDER BY 1")[-1] == ("IE", 2, 9)
    assert rows("SELECT id FROM shop.grown ORDER BY 1") == [(n,) for n in range(1, 6)]
    dbt("run", "--full-refresh")  # dbt-risingwave leaves a table that is there otherwise.
    assert rows("SELECT id FROM shop.big ORDER BY 1") == [(2,), (3,), (4,)]
    dbt("build", "--select", "sales+")
    dbt("docs", "generate")
    catalog = json.loads(Path("target/catalog.json").read_text())
    nodes = {key.split(".")[-1]: node for key, node in catalog["nodes"].items()}
    assert {"sales", "per_country", "big", "grown", "most", "cities"} <= nodes.keys(), nodes.keys()
    assert [*nodes["sales"]["columns"]] == ["id", "city", "country", "euros", "sold"]
    assert catalog["sources"]["source.shop.shop.sale"]["columns"]["id"]["type"] == "integer"
    connection.close()


def dbt(*arguments: str) -> None:
    """Run a command of dbt; what it says is shown where it fails."""
    done = subprocess.run(
        [Path(sys.executable).parent / "dbt", "--no-use-colors", *arguments, "--profiles-dir", "."],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"dbt {arguments}: {done.stdout}{done.stderr}"
