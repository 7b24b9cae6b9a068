"""What binding one statement gathers: aliases given out, relations named, parameters' types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from catalog.acl import Privilege
from catalog.errors import AmbiguousParameter, IndeterminateDatatype, UndefinedParameter
from catalog.oid import Oid
from catalog.types import NUMERIC, OID, TID, UNKNOWN, XID, PgType
from catalog.written_numeric import WRITTEN_NUMERIC
from server.sql.bind.context import BindContext, SystemRelation
from server.sql.bind.needs import Needs
from server.sql.bind.query import aliased
from server.sql.bind.scope import ScopeColumn
from server.sql.bind.written import NOT_AT_FIRST_CHILD, Written, qualifier
from server.sql.fragment import cast, fragment
from server.sql.typed import POSITION, Typed
from server.sql.written_numeric import value_of

#: As many parameters as Bind can count.
_PARAMETERS_MAX = 65535


@dataclass(slots=True)
class SystemItem:
    """A system relation in FROM, whose place gets rows once it is known which columns are read."""

    relation: SystemRelation
    alias: str


@dataclass(slots=True)
class Statement:
    """The state of binding one statement.

    Attributes:
        needs: What its user must be allowed to do with the relations that it names.
        target: The relation that it writes.
        sets_parameters: Whether a part that was bound already sets some while it runs.
        functions: Users' functions that were put into it.
        calls_inlined: How many calls of them.
        later: Of each WITH around what is bound, the names that stand there or behind it.
        is_part: Whether what is bound is a part of it, so that parameters may be open yet.
        text: Its text, in which the offsets of its nodes count; for positions in errors.
    """

    context: BindContext
    text: str = ""
    parameters: dict[int, PgType | None] = field(default_factory=dict)
    depends_on: set[Oid] = field(default_factory=set)
    needs: Needs = field(default_factory=Needs)
    target: Oid | None = None
    sets_parameters: bool = False
    system_items: list[SystemItem] = field(default_factory=list)
    functions: set[Oid] = field(default_factory=set)
    calls_inlined: int = 0
    is_part: bool = False
    later: list[frozenset[str]] = field(default_factory=list)
    _aliases: int = 0
    _levels: int = 0
    _written: Written | None = None

    def __post_init__(self) -> None:
        for i, hint in enumerate(self.context.parameter_hints, 1):
            self.parameters[i] = hint

    def note_read(self, column: ScopeColumn) -> None:
        """Note that a column is read; of what is written that needs a privilege."""
        if column.relation_oid == self.target and self.target is not None:
            numbers = (column.number,) if column.number else ()
            self.needs.add(self.target, Privilege.SELECT, numbers)

    def new_alias(self) -> str:
        """Return a name for a FROM item that nothing else in the statement has."""
        self._aliases += 1
        return f"t{self._aliases}"

    def new_level(self) -> int:
        """Return a number for a query level."""
        self._levels += 1
        return self._levels

    def position(self, node: exp.Expr | None) -> int | None:
        """Return where a node stands in the client's string, from 1, or None."""
        while node is not None:
            start = node.meta.get("start") if node._meta else None  # noqa: SLF001
            if isinstance(start, int):
                return self.context.offset + start + 1
            if type(node) in NOT_AT_FIRST_CHILD and self.text:
                return self.at(self.written().start(node))
            node = qualifier(node) or _first_child(node)
        return None

    def written(self) -> Written:
        """Return where nodes stand in the text."""
        if self._written is None:
            self._written = Written(self.text)
        return self._written

    def at(self, offset: int | None) -> int | None:
        """Return the position in the client's string of an offset in the statement's text."""
        return None if offset is None else self.context.offset + offset + 1

    @contextmanager
    def reading_another_text(self) -> Iterator[None]:
        """Bind nodes that do not stand in the statement's text, and so have no position."""
        text, written = self.text, self._written
        self.text, self._written = "", None
        try:
            yield
        finally:
            self.text, self._written = text, written

    def parameter(self, number: int) -> Typed:
        """Return the reading of ``$number``."""
        if not 0 < number <= _PARAMETERS_MAX:
            raise UndefinedParameter(f"there is no parameter ${number}")
        known = self.parameters.setdefault(number, None)
        tree = exp.Parameter(this=exp.Literal.number(str(number)))
        if known is None:
            return Typed(tree, UNKNOWN)
        return Typed(cast(tree, known.duckdb), known)

    def set_parameter(self, number: int, pg_type: PgType) -> None:
        """Note the type that the surroundings gave a parameter.

        Raises:
            AmbiguousParameter: They gave it another one before.
        """
        known = self.parameters.get(number)
        if known is not None and not known.same_base(pg_type):
            raise AmbiguousParameter(
                f"inconsistent types deduced for parameter ${number}",
                detail=f"{known.sql_name} versus {pg_type.sql_name}",
            )
        is_exacter = known == NUMERIC and pg_type.carries_scale
        if known is None or is_exacter or known.dimensions < pg_type.dimensions:
            self.parameters[number] = pg_type

    def parameter_types(self) -> tuple[PgType, ...]:
        """Return the types of all parameters.

        Raises:
            IndeterminateDatatype: Nothing tells the type of one, or the numbers have a gap.
        """
        types: list[PgType] = []
        if self.is_part:
            return ()
        for number in range(1, max(self.parameters, default=0) + 1):
            known = self.parameters.get(number)
            if known is None:
                raise IndeterminateDatatype(f"could not determine data type of parameter ${number}")
            types.append(known)
        return tuple(types)

    def finish(self, tree: exp.Expr) -> exp.Expr:
        """Give system relations their rows.

        Raises:
            AmbiguousParameter: A parameter got its type only after a place that gives it none.
        """
        if self.system_items:
            fill_system_items(self.system_items, tree)
        if self.parameters:
            for node in tree.find_all(exp.Parameter):
                if not isinstance(node.parent, exp.Cast) and self.parameters.get(int(node.name)):
                    raise AmbiguousParameter(
                        f"could not determine data type of parameter ${node.name}",
                        position=node.meta.get(POSITION),
                    )
            _read_written(tree, self.parameters)
        return tree


def _read_written(tree: exp.Expr, parameters: Mapping[int, PgType | None]) -> None:
    """Have parameters that come with their scale read as such, though it was not known yet."""
    written = {number for number, known in parameters.items() if known == WRITTEN_NUMERIC}
    if not written:
        return
    reads = [
        node.parent
        for node in tree.find_all(exp.Parameter)
        if int(node.name) in written and isinstance(node.parent, exp.Cast)
    ]
    for read in reads:
        if cast(read, WRITTEN_NUMERIC.duckdb) is not read:
            given = Typed(cast(read.this.copy(), WRITTEN_NUMERIC.duckdb), WRITTEN_NUMERIC)
            read.set("this", value_of(given).tree)


def _first_child(node: exp.Expr) -> exp.Expr | None:
    return next(iter(node.iter_expressions()), None)


#: What every row of a system relation has beside its own columns: name, type, value.
SYSTEM_COLUMNS: Final = (
    ("tableoid", OID, "CAST(_0 AS BIGINT)"),
    ("ctid", TID, "ROW_NUMBER() OVER ()"),
    ("xmin", XID, "CAST(1 AS BIGINT)"),
    ("xmax", XID, "CAST(0 AS BIGINT)"),
)


def fill_system_items(items: Sequence[SystemItem], tree: exp.Expr) -> None:
    """Put the rows of system relations into their places, only the columns that are read."""
    used: dict[str, set[str]] = {item.alias: set() for item in items}
    # A place may have been copied with what it is a part of.
    places: dict[str, list[exp.Subquery]] = {item.alias: [] for item in items}
    for node in tree.find_all(exp.Column, exp.Subquery):
        if isinstance(node, exp.Column):
            if node.table in used:
                used[node.table].add(node.name)
        elif isinstance(node, exp.Subquery) and node.alias in places:
            places[node.alias].append(node)
    for item in items:
        select = _rows_of(item, sorted(used[item.alias]))
        for place in places[item.alias]:
            place.set("this", select.copy())


def _rows_of(item: SystemItem, names: Sequence[str]) -> exp.Select:
    used = [int(name[1:]) for name in names if name[0] == "c"] or [1]
    columns = [item.relation.columns[number - 1] for number in used]
    inner = item.alias + "v"
    given = item.relation.given(used)
    rows = () if given is not None else item.relation.rows()
    projections = []
    for number, column in zip(used, columns, strict=True):
        value: exp.Expr = exp.column(f"c{number}", table=inner)
        has_texts = given is not None and item.relation.has_texts
        if has_texts and column.type.duckdb.endswith("[]"):
            value = cast(value, "JSON")
        projections.append(aliased(cast(value, column.type.duckdb), f"c{number}"))
    oid = exp.Literal.number(str(item.relation.oid))
    for name in names:
        if name[0] == "s":
            _, _, value_sql = SYSTEM_COLUMNS[int(name[1:])]
            projections.append(aliased(fragment(value_sql, oid), name))
    select = exp.Select(expressions=projections)
    alias = exp.TableAlias(this=exp.to_identifier(inner))
    if given is not None:
        source: exp.Expr = exp.Table(this=exp.to_identifier(given), alias=alias)
    else:
        alias.set("columns", [exp.to_identifier(f"c{number}") for number in used])
        shown = [[row[number - 1] for number in used] for row in rows] or [[None] * len(used)]
        tuples = [exp.Tuple(expressions=[_constant(v) for v in row]) for row in shown]
        source = exp.Values(expressions=tuples, alias=alias)
    select.set("from_", exp.From(this=source))
    if given is None and not rows:
        select.set("where", exp.Where(this=exp.false()))
    return select


def _constant(value: object) -> exp.Expr:
    if isinstance(value, (list, tuple)):
        return exp.Array(expressions=[_constant(v) for v in value])
    if value is None or isinstance(value, (bool, int, str)):
        return exp.convert(value)
    return exp.Literal.string(str(value))
