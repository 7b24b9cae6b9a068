"""A random history: tables, views over them, and statements that change the tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from tests.views.queries import Generator, Query, Rel
from tests.views.scalars import TYPES, condition, literal

_NAMES = ("t", "Order", "select", "naïve", "with space", 'quo"te')


@dataclass(frozen=True)
class Table(Rel):
    """A table with its key's columns; none: no primary key."""

    key: tuple[str, ...] = ()

    @property
    def ddl(self) -> str:
        columns = [f"{name} {type_}" for name, type_ in self.columns]
        if self.key:
            columns.append(f"primary key ({', '.join(self.key)})")
        return f"create table {self.name} ({', '.join(columns)})"


@dataclass
class History:
    """What happens in one seed; the same seed gives the same."""

    seed: int
    views_max: int = 5
    steps: int = 6
    tables: list[Table] = field(default_factory=list)
    views: list[tuple[Rel, Query]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        for i in range(self.random.randint(1, 3)):
            self.tables.append(self._table(i))
        self._next_key = 0

    def view(self) -> tuple[Rel, Query]:
        """Draw one more view; who takes it adds it to ``views``."""
        relations = [*self.tables, *self.tables, *(relation for relation, _ in self.views)]
        query = Generator(self.random, relations).query()
        name = f"v{len(self.views) + 1}"
        columns = tuple((f"x{i}", t) for i, t in enumerate(query.types, start=1))
        return Rel(name, columns, query.rows), query

    def epochs(self) -> Iterator[list[str]]:
        """Yield statements, one transaction each time."""
        yield [self._insert(table) for table in self.tables]
        for _ in range(self.steps):
            if self.random.random() < 0.3:
                yield [self._statement() for _ in range(self.random.randint(2, 3))]
            else:
                yield [self._from_view() or self._statement()]
        yield [f"delete from {table.name}" for table in self.tables]
        yield [self._insert(self.random.choice(self.tables))]

    def _from_view(self) -> str | None:
        """Now and then copy a view's rows into a table, unless they are many."""
        targets = [table for table in self.tables if not table.key]
        if not targets or not self.views or self.random.random() < 0.8:
            return None
        table, (view, _) = self.random.choice(targets), self.random.choice(self.views)
        pairs = [(a, b) for a, s in table.columns for b, t in view.columns if s == t]
        if not pairs:
            return None
        column, shown = self.random.choice(pairs)
        return (
            f"insert into {table.name} ({column}) select {shown} from {view.name} "
            f"where (select count(*) from {view.name}) < 9"
        )

    def _table(self, number: int) -> Table:
        types = self.random.sample(TYPES, self.random.randint(2, 5))
        columns = [("k", "int"), *((_quoted(f"c{i} {t}"), t) for i, t in enumerate(types))]
        name = _quoted(f"{self.random.choice(_NAMES)}{number}")
        if self.random.random() < 0.5:
            columns = [("id", "int"), *columns]
            return Table(name, tuple(columns), key=("id",))
        return Table(name, tuple(columns))

    def _row(self, table: Table) -> str:
        values = []
        for name, type_ in table.columns:
            if name in table.key:
                self._next_key += 1
                values.append(str(self._next_key))
            elif name == "k":
                values.append(self.random.choice(["0", "1", "2", "null"]))
            else:
                values.append(literal(self.random, type_))
        return f"({', '.join(values)})"

    def _insert(self, table: Table) -> str:
        rows = [self._row(table) for _ in range(self.random.randint(1, 4))]
        if not table.key:
            rows += rows[: self.random.randint(0, 2)]
        return f"insert into {table.name} values {', '.join(rows)}"

    def _statement(self) -> str:
        table = self.random.choice(self.tables)
        name = table.name
        column, type_ = self.random.choice([c for c in table.columns if c[0] not in table.key])
        where = (
            f" where {condition(self.random, table.columns)}" if self.random.random() < 0.7 else ""
        )
        value = literal(self.random, type_)
        kinds = ["insert", "insert", "update", "update", "delete", "swap"]
        if table.key:
            kinds += ["upsert", "nothing", "rekey"]
        match self.random.choice(kinds):
            case "insert":
                return self._insert(table)
            case "update":
                return f"update {name} set {column} = {value}{where}"
            case "swap":
                k = self.random.choice(["k + 1", "2 - k", "null", "coalesce(k, 1)"])
                return f"update {name} set k = case when k > 100 then 0 else {k} end{where}"
            case "rekey":
                return f"update {name} set id = -id where id > 0"
            case "upsert" | "nothing" as kind:
                old = max(self._next_key - self.random.randint(0, 6), 1)
                rows = []
                for key in (old, self._next_key + 1):
                    self._next_key += 1
                    row = self._row(table).removeprefix("(").split(", ", 1)[1]
                    rows.append(f"({key}, {row}")
                do = f"update set {column} = excluded.{column}" if kind == "upsert" else "nothing"
                return f"insert into {name} values {', '.join(rows)} on conflict (id) do {do}"
            case _:
                return f"delete from {name}{where or ' where k = 1'}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
