"""What foreign keys make of a statement's writes: rows of others that follow, and refusals.

All of it is a part of the statement: what follows is added to the transaction like a statement of
its own, and may have others follow in turn. Whether references are kept is looked at then, or at
the transaction's end where a constraint wants that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from barrier import keys
from catalog.constraint import Action, ForeignKey
from catalog.constraint_errors import missing_reference, mixed_reference, still_referenced
from catalog.relation import ROW, Table
from server.execute.block_writes import add_to_block
from server.execute.evaluate import Evaluated, Evaluation
from server.execute.key_check import first_row
from server.session_state import SessionState
from server.sql.bind.target import default_value
from server.transaction import storage_columns


def follow(state: SessionState, evaluated: Evaluated) -> None:
    """Do what foreign keys ask for when a statement's writes are added to the transaction.

    As in PostgreSQL one constraint after the other has its say, the oldest first, and what follows
    from it is complete before the next.

    Raises:
        ForeignKeyViolation: A reference would lead nowhere.
        PgError: A row that follows cannot become what it would.
    """
    steps = [_effects(state, evaluated)]
    made: list[str] = []
    while steps:
        following = next(steps[-1], None)
        if following is None:
            steps.pop()
            continue
        made += following.staging
        steps.append(_effects(state, following))
    state.drop_staging(made)


def _effects(state: SessionState, writes: Evaluated) -> Iterator[Evaluated]:
    """Yield what becomes of rows that refer to others, when it is added to the transaction."""
    for owner, key in state.catalog().referring(writes.table.oid):
        following = _Following(state, writes, owner, key)
        for evaluated in following.evaluated():
            add_to_block(state, evaluated)
            yield evaluated
        following.check()
    for key in writes.table.foreign_keys:
        rows = _newly_referring(writes, key)
        if rows is not None and not state.transaction.puts_off(key):
            check_present(state, writes.table, key, rows)


def _newly_referring(writes: Evaluated, key: ForeignKey) -> str | None:
    """Return the FROM item of the rows that refer to something else than before, or None."""
    if writes.new is None or writes.kept.issuperset(key.columns):
        return None
    if not writes.is_update:
        return writes.new
    shown = ", ".join(f"n_c{n} AS c{n}" for n in key.columns)
    return f"(SELECT {shown} FROM {writes.changed} WHERE {_differs(key.columns)})"


def check_present(state: SessionState, table: Table, key: ForeignKey, rows: str) -> None:
    """Refuse rows that refer to something that is not there.

    Raises:
        ForeignKeyViolation: There is one.
    """
    if key.is_full and first_row(state, keys.mixed(key, rows)) is not None:
        raise mixed_reference(table, key)
    target = state.catalog().table(key.target)
    found = first_row(state, keys.missing(key, rows, state.transaction.content(target)))
    if found is not None:
        raise missing_reference(table, key, target, found)


def check_vanished(state: SessionState, owner: Table, key: ForeignKey, rows: str) -> None:
    """Refuse to let rows go, or change, to which others still refer.

    Raises:
        ForeignKeyViolation: There is one.
    """
    target = state.catalog().table(key.target)
    values = keys.vanished(key, rows, state.transaction.content(target))
    _refuse(state, owner, key, values)


def _refuse(state: SessionState, owner: Table, key: ForeignKey, values: str) -> None:
    content = state.transaction.content(owner)
    found = first_row(state, keys.referring(key, values, content))
    if found is not None:
        raise still_referenced(owner, key, state.catalog().table(key.target), found)


def _keeps(evaluated: Evaluated, key: ForeignKey) -> bool:
    """Whether no referenced value goes, as a matter of form."""
    return evaluated.deleted is None and (
        evaluated.changed is None or evaluated.kept.issuperset(key.target_columns)
    )


def _before(evaluated: Evaluated, key: ForeignKey) -> str | None:
    """Return the FROM item of changed rows as they were, with what is referred to and changed."""
    if evaluated.changed is None or evaluated.kept.issuperset(key.target_columns):
        return None
    shown = ", ".join(f"o_c{n} AS c{n}" for n in key.target_columns)
    return f"(SELECT {shown} FROM {evaluated.changed} WHERE {_differs(key.target_columns)})"


def _differs(numbers: Sequence[int]) -> str:
    return " OR ".join(f"o_c{n} IS DISTINCT FROM n_c{n}" for n in numbers)


@dataclass(frozen=True, slots=True)
class _Following:
    """What one foreign key makes of some writes to the table that it refers to."""

    state: SessionState
    writes: Evaluated
    owner: Table
    key: ForeignKey

    def evaluated(self) -> Iterator[Evaluated]:
        """Yield what becomes of the rows that refer to it, and has some."""
        key, writes = self.key, self.writes
        if _keeps(writes, key):
            return
        if writes.deleted is not None:
            values = keys.values_of(key.target_columns, writes.deleted)
            yield from self._follow(key.on_delete, values, key.set_columns or key.columns)
        before = _before(writes, key)
        if before is None:
            return
        if key.on_update is Action.CASCADE:
            yield from self._renamed()
            return
        values = keys.values_of(key.target_columns, before)
        yield from self._follow(key.on_update, values, key.columns)

    def check(self) -> None:
        """Refuse what has been written when others still refer to what was there.

        Raises:
            ForeignKeyViolation: They do.
        """
        key, writes = self.key, self.writes
        # Rows that got a default which is what they had are not looked at as changed ones.
        looked_at = (Action.NO_ACTION, Action.SET_DEFAULT)
        for action, rows in (
            (key.on_delete, writes.deleted),
            (key.on_update, _before(writes, key)),
        ):
            if rows is None or action not in looked_at:
                continue
            if action is Action.NO_ACTION and self.state.transaction.puts_off(key):
                continue
            check_vanished(self.state, self.owner, key, rows)

    def _follow(
        self, action: Action, values: str, set_columns: tuple[int, ...]
    ) -> Iterator[Evaluated]:
        match action:
            case Action.NO_ACTION:
                return
            case Action.RESTRICT:
                _refuse(self.state, self.owner, self.key, values)
            case Action.CASCADE:
                content = self.state.transaction.content(self.owner)
                rows = keys.rows_referring(self.key, values, content)
                yield from self._some(lambda e: e.delete_rows(rows))
            case Action.SET_NULL | Action.SET_DEFAULT:
                named = {c.number: c for c in self.owner.columns if c.number in set_columns}
                is_null = action is Action.SET_NULL
                fresh = {
                    number: "NULL" if is_null else default_value(column).tree.sql("duckdb")
                    for number, column in named.items()
                }
                yield from self._changed(values, fresh)

    def _renamed(self) -> Iterator[Evaluated]:
        """Have references follow to the new values."""
        numbers = self.key.target_columns
        old = ", ".join(f"o_c{n} AS k{i}" for i, n in enumerate(numbers, 1))
        new = ", ".join(f"n_c{n} AS m{i}" for i, n in enumerate(numbers, 1))
        values = f"SELECT {old}, {new} FROM {self.writes.changed} WHERE {_differs(numbers)}"
        fresh = {number: f"v.m{i}" for i, number in enumerate(self.key.columns, 1)}
        yield from self._changed(values, fresh)

    def _changed(self, values: str, fresh: dict[int, str]) -> Iterator[Evaluated]:
        """Give some columns of the rows that refer to some values others."""
        owner = self.owner
        shown = [f"{ROW}.{name} AS o_{name}" for name in storage_columns(owner)]
        for column in owner.columns:
            value = fresh.get(column.number, f"{ROW}.{column.storage_name}")
            shown.append(f"CAST({value} AS {column.type.duckdb}) AS n_{column.storage_name}")
        content = self.state.transaction.content(owner)
        pairs = keys.pairs_referring(self.key, ", ".join(shown), values, content)
        kept = frozenset(
            c.number for c in owner.columns if c.number not in fresh and c.generated is None
        )
        yield from self._some(lambda e: e.change((pairs, ()), kept))

    def _some(self, evaluate: Callable[[Evaluation], Evaluated]) -> Iterator[Evaluated]:
        evaluation = Evaluation(self.state, self.owner)
        try:
            evaluated = evaluation.finished(evaluate(evaluation))
        except BaseException:
            evaluation.abandon()
            raise
        if evaluated.rows:
            yield evaluated
        else:
            self.state.drop_staging(evaluated.staging)
