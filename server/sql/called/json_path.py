"""Functions over paths into JSON (PostgreSQL 15, chapters 9.16.1 and 9.16.2)."""
# ruff: noqa: FBT001 -- as SQL calls them

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from barrier.prelude import PythonFunction
from catalog.errors import InvalidParameterValue, PgError
from server.sql.called.python_function import called
from server.value.json_path.errors import SingletonJsonItemRequired
from server.value.json_path.evaluation import Evaluation, Item, forgive
from server.value.json_path.moment import JsonMoment
from server.value.json_path.parser import parse_path
from server.value.json_text import canonical, parse_json

_T = TypeVar("_T")


def _evaluation(text: str, path: str, variables: str, zone: str) -> Evaluation:
    """Return what is to be evaluated; where no variables can be given, their text is empty."""
    given = parse_json(variables) if variables else {}
    if not isinstance(given, dict):
        raise InvalidParameterValue(
            '"vars" argument is not an object',
            detail='Jsonpath parameters should be encoded as key-value pairs of "vars" object.',
        )
    return Evaluation(
        parse_path(path), parse_json(text), given if variables else None, zone or None
    )


def _item_text(item: Item) -> str:
    return canonical(item.text if isinstance(item, JsonMoment) else item)


def _unless_silent(find: Callable[[], _T], instead: _T, *, is_silent: bool) -> _T:
    """Return what is found, or something else for an error that nobody wants to see."""
    try:
        return find()
    except PgError as error:
        if not is_silent:
            raise
        forgive(error)
        return instead


def exists(text: str, path: str, variables: str, is_silent: bool, zone: str) -> bool | None:
    """Return whether a path gives any item; in strict mode errors of all of them count."""
    evaluation = _evaluation(text, path, variables, zone)
    return _unless_silent(evaluation.gives_any, None, is_silent=is_silent)


def match(text: str, path: str, variables: str, is_silent: bool, zone: str) -> bool | None:
    """Return the only item of a path, a boolean or null."""
    evaluation = _evaluation(text, path, variables, zone)

    def find() -> bool | None:
        items = list(evaluation.items())
        if len(items) == 1 and (items[0] is None or isinstance(items[0], bool)):
            return items[0]
        raise SingletonJsonItemRequired("single boolean result is expected")

    return _unless_silent(find, None, is_silent=is_silent)


def query(text: str, path: str, variables: str, is_silent: bool, zone: str) -> list[str]:
    """Return a path's items, silently those before an error."""
    evaluation = _evaluation(text, path, variables, zone)
    found: list[str] = []

    def find() -> list[str]:
        for item in evaluation.items():
            found.append(_item_text(item))
        return found

    return _unless_silent(find, found, is_silent=is_silent)


def query_array(text: str, path: str, variables: str, is_silent: bool, zone: str) -> str:
    """Return a path's items as an array."""
    return f"[{', '.join(query(text, path, variables, is_silent, zone))}]"


def query_first(text: str, path: str, variables: str, is_silent: bool, zone: str) -> str | None:
    """Return a path's first item."""
    return next(iter(query(text, path, variables, is_silent, zone)), None)


_V: Final = "VARCHAR"
_ARGUMENTS: Final = (_V, _V, _V, "BOOLEAN", _V)

CALLED: Final[tuple[PythonFunction, ...]] = (
    called("tg_jsonb_path_exists", exists, _ARGUMENTS, "BOOLEAN", gives_null=True),
    called("tg_jsonb_path_match", match, _ARGUMENTS, "BOOLEAN", gives_null=True),
    called("tg_jsonb_path_items", query, _ARGUMENTS, "VARCHAR[]"),
    called("tg_jsonb_path_query_array", query_array, _ARGUMENTS, "JSON"),
    called("tg_jsonb_path_query_first", query_first, _ARGUMENTS, "JSON", gives_null=True),
)
