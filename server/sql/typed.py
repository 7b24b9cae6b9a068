"""A DuckDB expression together with the PostgreSQL type that a client sees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from catalog.types import UNKNOWN, PgType

#: In the meta of a constant's or column's tree: where the user wrote it, from 1.
POSITION: Final = "position"


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression whose DuckDB type is exactly ``type.duckdb``.

    Type UNKNOWN marks what has no type yet: string literals, NULL and parameters whose type
    nobody has told; those trees are an ``exp.Literal``, ``exp.Null`` or ``exp.Parameter``.

    Attributes:
        scale_code: An expression for how many digits are shown of a numeric whose type does not
            tell, as ``catalog.written_numeric`` has it; None if nobody knows.
    """

    tree: exp.Expr
    type: PgType
    scale_code: exp.Expr | None = field(default=None, compare=False, repr=False)

    @property
    def is_unknown(self) -> bool:
        """Whether the type is still to be taken from the surroundings."""
        return self.type.oid == UNKNOWN.oid

    @property
    def constant_text(self) -> str | None:
        """The text of a string literal, typed or not; None for everything else."""
        tree = self.tree
        while isinstance(tree, (exp.Cast, exp.Paren)) and self.type.category == "S":
            tree = tree.this
        if isinstance(tree, exp.Literal) and tree.is_string:
            return str(tree.this)
        return None

    @property
    def parameter(self) -> int | None:
        """The number of a parameter without a type; None for everything else."""
        if self.is_unknown and isinstance(self.tree, exp.Parameter):
            return int(self.tree.name)
        return None
