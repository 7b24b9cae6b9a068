"""What binding gives: trees in DuckDB's dialect over storage names, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from catalog.oid import INVALID_OID, Oid
from catalog.relation import Table
from catalog.types import OBJECT_TYPES, PgType
from server.sql.bind.needs import Needs

#: The types of OIDs that are names in text.
_NAMED: Final = frozenset(pg_type.oid for pg_type in OBJECT_TYPES)

#: What must be allowed with relations that a statement names; views as such, not what they read.


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of a result.

    Attributes:
        relation_oid: The relation it stands for unchanged, or 0.
        number: Its attnum there, or 0.
    """

    name: str
    type: PgType
    relation_oid: Oid = INVALID_OID
    number: int = 0

    @property
    def is_named(self) -> bool:
        """Whether values are OIDs that are names in text."""
        return (self.type.element or self.type).oid in _NAMED


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A query with all names resolved.

    Attributes:
        tree: A query in DuckDB's dialect; its columns are c1, c2, ...
        columns: What a client sees of them.
        parameters: The types of $1, $2, ...
        depends_on: The relations that were named; views as such, not what they read.
        is_volatile: Whether it may give other rows although what it reads is the same.
        needs: What its user must be allowed to do.
        functions: The users' functions that were put into it.
    """

    tree: exp.Expr
    columns: tuple[OutputColumn, ...]
    parameters: tuple[PgType, ...] = ()
    depends_on: frozenset[Oid] = frozenset()
    is_volatile: bool = False
    needs: Needs = field(default_factory=Needs)
    functions: frozenset[Oid] = frozenset()


@dataclass(frozen=True, slots=True)
class ViewCheck:
    """What rows must fulfil that are written through a view, as WITH CHECK OPTION says it.

    Attributes:
        view: The name of the view whose condition it is.
        query: A query over the FROM item ``checked`` (the rows by storage names) for those that do
            not, by storage names.
    """

    view: str
    query: exp.Select


@dataclass(frozen=True, slots=True)
class BoundConflict:
    """ON CONFLICT of an INSERT.

    Attributes:
        arbiters: The OIDs of the unique keys that conflict; empty means any.
        update: None for DO NOTHING. For DO UPDATE a query over the FROM item ``excluded`` (the
            rows that INSERT would add, by storage names) joined with the table on the key: old
            values as ``o_<storage name>``, new ones as ``n_<storage name>``, only rows that the
            WHERE lets through.
        visible: What the rows that are there must fulfil to be rows of the view that is written.
    """

    arbiters: tuple[Oid, ...]
    update: exp.Select | None
    visible: tuple[ViewCheck, ...] = ()


#: The number of the first parameter that stands for constants of the statement itself; a client's
#: are below.
CONSTANTS_FIRST: Final = 65536


@dataclass(frozen=True, slots=True)
class ParameterList:
    """A list whose items are parameters of the client's."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoundInsert:
    """An INSERT.

    Attributes:
        constants: The values of the parameters from ``CONSTANTS_FIRST`` on: lists, or the client's
            parameters that make one.
        plain: Where the rows are no more than these values: for each column of the table which of
            the lists it has, or None for NULLs. None where something is computed.
        tree: A query that gives the new rows by storage names, in the order of the numbers.
        returning: A query over the FROM item ``returned`` (the new rows by storage names).
        view_checks: What the new rows must fulfil, in this order.
    """

    table: Table
    tree: exp.Expr
    conflict: BoundConflict | None = None
    constants: tuple[list[object] | ParameterList, ...] = ()
    plain: tuple[int | None, ...] | None = None
    returning: BoundQuery | None = None
    parameters: tuple[PgType, ...] = ()
    depends_on: frozenset[Oid] = frozenset()
    needs: Needs = field(default_factory=Needs)
    view_checks: tuple[ViewCheck, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundUpdate:
    """An UPDATE.

    Attributes:
        tree: A query that gives for each row to change its old values as ``o_<storage name>``
            (``_row_id`` included) and its new values as ``n_<storage name>``.
        returning, view_checks: As of INSERT.
        carried: What ``tree`` gives beside them, for RETURNING.
    """

    table: Table
    tree: exp.Expr
    returning: BoundQuery | None = None
    parameters: tuple[PgType, ...] = ()
    depends_on: frozenset[Oid] = frozenset()
    needs: Needs = field(default_factory=Needs)
    carried: tuple[str, ...] = ()
    view_checks: tuple[ViewCheck, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundMerge:
    """A MERGE.

    Attributes:
        tree: A query that gives for each row that something is done about, ``__changes`` and
            ``__adds``: whether the row that is there goes or becomes another, and whether there is
            a new one; its old and new values as of UPDATE.
        returning: None: PostgreSQL 15 has none.
    """

    table: Table
    tree: exp.Expr
    returning: BoundQuery | None = None
    parameters: tuple[PgType, ...] = ()
    depends_on: frozenset[Oid] = frozenset()
    needs: Needs = field(default_factory=Needs)


@dataclass(frozen=True, slots=True)
class BoundStep:
    """A query of WITH: what it is, and the FROM item by which those after it read its rows.

    Attributes:
        name: What the user calls it.
    """

    item: str
    name: str
    bound: BoundQuery | BoundInsert | BoundUpdate | BoundDelete


@dataclass(frozen=True, slots=True)
class BoundWriting:
    """A statement after WITH in which others write.

    Attributes:
        steps: The queries of WITH, without those that read and are not read; their FROM items are
            in the trees of those after them, and of ``main``.
        main: The statement itself.
        tree: A tuple of all trees, for those who look for something in them.
        returning: What a client sees of its result.
    """

    steps: tuple[BoundStep, ...]
    main: BoundQuery | BoundInsert | BoundUpdate | BoundDelete | BoundMerge
    tree: exp.Expr
    returning: BoundQuery | None = None
    parameters: tuple[PgType, ...] = ()
    depends_on: frozenset[Oid] = frozenset()
    needs: Needs = field(default_factory=Needs)


@dataclass(frozen=True, slots=True)
class BoundDelete:
    """A DELETE.

    Attributes:
        tree: A query that gives the rows to remove by storage names, ``_row_id`` included.
        returning: A query over the FROM item ``returned`` (the old rows by storage names).
        carried: As of UPDATE.
    """

    table: Table
    tree: exp.Expr
    returning: BoundQuery | None = None
    parameters: tuple[PgType, ...] = ()
    depends_on: frozenset[Oid] = frozenset()
    needs: Needs = field(default_factory=Needs)
    carried: tuple[str, ...] = ()
