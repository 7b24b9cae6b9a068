"""Another project's packages of the same names are found out at the start."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.shadow import ShadowedPackageError, refuse_shadowed_packages


def test_our_own_packages_are_accepted() -> None:
    refuse_shadowed_packages()


def test_packages_from_elsewhere_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ShadowedPackageError, match="package 'server' is shadowed"):
        refuse_shadowed_packages(tmp_path)
