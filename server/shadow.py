"""A guard for an application whose packages have plain names.

``server``, ``catalog`` and ``barrier`` may stand in other projects too. When one of those comes
first on the import path, failures would be far from their cause, so the start refuses instead.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

PACKAGES: Final = ("server", "barrier", "catalog")


class ShadowedPackageError(Exception):
    """A package of ours would be imported from somewhere else."""


def refuse_shadowed_packages(home: Path | None = None) -> None:
    """Check that all packages come from the folder that this file was installed in.

    Args:
        home: Where they must come from; tests name another place.

    Raises:
        ShadowedPackageError: One of them does not.
    """
    home = home or Path(__file__).resolve().parents[1]
    for name in PACKAGES:
        spec = find_spec(name)
        origin = Path(spec.origin).resolve() if spec is not None and spec.origin else None
        if origin is None or origin.parent != home / name:
            found = "nowhere" if origin is None else f"in {origin.parent}"
            raise ShadowedPackageError(
                f"package '{name}' is shadowed: expected in {home / name}, found {found}; "
                "install Tidegate by itself (pipx or uv tool) and run it without PYTHONPATH"
            )
