"""What cannot be done to a table to which rows come by a connector or by sinks."""

from __future__ import annotations

from catalog.dependence import feeding
from catalog.errors import FeatureNotSupported
from catalog.relation import Relation, Table
from catalog.state import Catalog
from server.execute.connector import refuse_other_rows


def refuse_flows(catalog: Catalog, before: Relation, after: Relation) -> None:
    """Refuse to alter a relation so that what brings it rows could not go on.

    Raises:
        FeatureNotSupported: It could not.
    """
    refuse_other_rows(catalog, before, after)
    _refuse_fed(catalog, before, after)


def _refuse_fed(catalog: Catalog, before: Relation, after: Relation) -> None:
    """Refuse to alter a table so that the sinks into it could not go on."""
    if not isinstance(before, Table) or not isinstance(after, Table):
        return
    if not feeding(catalog.relations).get(before.oid):
        return
    kept = {column.number: column for column in after.columns}
    if any(column.number not in kept for column in before.columns):
        raise FeatureNotSupported("dropping columns in target table of sinks is not supported")
    if any(kept[c.number].type != c.type for c in before.columns):
        raise FeatureNotSupported(
            "altering types of columns in target table of sinks is not supported"
        )
    if before.primary_key != after.primary_key or (after.binds_rows and not before.binds_rows):
        raise FeatureNotSupported("altering keys of target table of sinks is not supported")


def refuse_reference(catalog: Catalog, target: Table, *, position: int | None) -> None:
    """Refuse a foreign key that refers to a table whose rows sinks take away.

    Raises:
        FeatureNotSupported: Sinks write into it.
    """
    if feeding(catalog.relations).get(target.oid):
        raise FeatureNotSupported(
            f'foreign keys that refer to table "{target.name}" are not supported',
            detail="Sinks write into it.",
            position=position,
        )
