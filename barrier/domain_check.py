"""What ALTER DOMAIN asks of the values that tables hold already."""

from __future__ import annotations

from barrier.store import Attempt
from catalog.constraint_errors import CheckViolation
from catalog.errors import FeatureNotSupported, NotNullViolation
from catalog.oid import Oid
from catalog.relation import Table, storage_name
from catalog.state import Catalog
from catalog.types import PgType
from catalog.user_type import VALUE, DomainType, uses


def check_domain(attempt: Attempt, catalog: Catalog, before: DomainType, after: DomainType) -> None:
    """Refuse what a domain asks of its values when tables hold others.

    Raises:
        NotNullViolation: There is a NULL.
        CheckViolation: A value fails a new condition.
        FeatureNotSupported: Columns hold such values inside of others.
    """
    conditions = [c.condition for c in after.checks if c not in before.checks]
    is_stricter = before.is_nullable and not after.is_nullable
    if not conditions and not is_stricter:
        return
    for table in catalog.relations.values():
        if not isinstance(table, Table):
            continue
        for column in table.columns:
            if not uses(column.type, after.oid):
                continue
            if not _is_of(column.type, after.oid):
                raise FeatureNotSupported(
                    f'cannot alter type "{after.name}" because column'
                    f' "{table.name}.{column.name}" uses it'
                )
            place = f'column "{column.name}" of table "{table.name}"'
            rows = f"(SELECT {column.storage_name} AS {VALUE} FROM {storage_name(table.oid)})"
            count = f"SELECT count(*) FROM {rows} WHERE"
            if is_stricter and attempt.value(f"{count} {VALUE} IS NULL"):
                raise NotNullViolation(f"{place} contains null values")
            for condition in conditions:
                if attempt.value(f"{count} NOT ({condition})"):
                    raise CheckViolation(f"{place} contains values that violate the new constraint")


def _is_of(pg_type: PgType, oid: Oid) -> bool:
    """Whether a type is the domain, or one that is made of it."""
    domain = pg_type.domain
    return domain is not None and (domain.oid == oid or _is_of(domain.base, oid))
