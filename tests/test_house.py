"""The house rules that no other tool checks: sizes, words, and that nothing stands unused."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

import pytest

from tests.support.server import REPOSITORY

FILE_LINES_MAX: Final = 500
FUNCTION_LINES_MAX: Final = 75
PACKAGES: Final = ("server", "barrier", "catalog")
#: Modules that something other than an import starts.
ENTRANCES: Final = frozenset({"server.cli", "server.__main__"})
TEXT_SUFFIXES: Final = frozenset({".py", ".md", ".toml", ".sql", ".slt", ".lock", ".yml", ""})
#: Written so that this file does not hold the words itself.
UNFINISHED: Final = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|NotImplemented" r"Error)\b")
MACHINE_PATHS: Final = re.compile(
    r"/(home|root|work|Users)/[\w.]|\bpypi\.org/simple|\bfiles\.pythonhosted"
)

MODULES: Final = sorted(p for name in PACKAGES for p in (REPOSITORY / name).rglob("*.py"))
SOURCES: Final = [
    *MODULES,
    *sorted((REPOSITORY / "tests").rglob("*.py")),
    *sorted((REPOSITORY / "bench").rglob("*.py")),
]
FOLDERS: Final = (*PACKAGES, "tests", "bench", "examples", "docs", ".ci")


def name_of(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


def texts() -> list[Path]:
    inside = [p for folder in FOLDERS for p in sorted((REPOSITORY / folder).rglob("*"))]
    top = [p for p in sorted(REPOSITORY.iterdir()) if p.name not in {".git", "LICENSE", "Makefile"}]
    return [
        p
        for p in (*inside, *top)
        if p.is_file() and p.suffix in TEXT_SUFFIXES and "__pycache__" not in p.parts
    ]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_file_fits_a_sitting_and_a_function_fits_a_screen(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= FILE_LINES_MAX
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > FUNCTION_LINES_MAX
    ]
    assert long == []


def test_every_module_is_imported_by_someone() -> None:
    modules = {module_name(path) for path in MODULES if path.name != "__init__.py"}
    imported = {name for path in MODULES for name in imported_names(path)}
    assert modules - imported - ENTRANCES == set()


@pytest.mark.parametrize("path", [p for p in MODULES if p.name == "__init__.py"], ids=name_of)
def test_a_package_holds_a_docstring_and_nothing_else(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree)
    assert len(tree.body) == 1


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_begins_with_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_nothing_is_left_unfinished_and_no_machine_is_named() -> None:
    found = [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in texts()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if UNFINISHED.search(line) or MACHINE_PATHS.search(line)
    ]
    assert found == []


def test_no_module_has_a_name_that_means_nothing() -> None:
    vague = {"utils", "util", "common", "helpers", "core", "base", "misc"}
    assert [name_of(path) for path in MODULES if path.stem in vague] == []


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)


def imported_names(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import():
                names |= {alias.name for alias in node.names}
            case ast.ImportFrom(module=str() as module):
                names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
            case _:
                continue
    return names
