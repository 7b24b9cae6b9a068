"""Options of views: WITH (...) and WITH CHECK OPTION, and ALTER VIEW ... SET and RESET of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from catalog.errors import FeatureNotSupported, InvalidParameterValue
from catalog.relation import View
from server.sql.clause import Option

_CHECK: Final = "check_option"
_INVOKER: Final = "security_invoker"
_BARRIER: Final = "security_barrier"
_TRUE: Final = ("true", "on", "yes", "1")
_FALSE: Final = ("false", "off", "no", "0")


def with_view_options(view: View, options: Sequence[Option]) -> View:
    """Return a view with some options.

    Raises:
        InvalidParameterValue: One is not known, is said twice, or has a value that it cannot have.
        FeatureNotSupported: There is no such thing here, or the view cannot be written.
    """
    seen: set[str] = set()
    for option in options:
        if option.name not in (_CHECK, _INVOKER, _BARRIER):
            raise InvalidParameterValue(f'unrecognized parameter "{option.name}"')
        if option.name in seen:
            raise InvalidParameterValue(f'parameter "{option.name}" specified more than once')
        seen.add(option.name)
        if option.name == _CHECK:
            view = replace(view, check_option=_checks(option))
        elif option.name == _INVOKER:
            view = replace(view, is_invoker=_is_on(option))
        elif _is_on(option):
            raise FeatureNotSupported("security_barrier of a view is not supported")
    if view.check_option and view.obstacle:
        raise FeatureNotSupported(
            "WITH CHECK OPTION is supported only on automatically updatable views",
            hint=view.obstacle,
        )
    return view


def without_view_options(view: View, options: Sequence[Option]) -> View:
    """Return a view without some options; unknown ones are passed over, as in PostgreSQL."""
    names = {option.name for option in options}
    return replace(
        view,
        check_option="" if _CHECK in names else view.check_option,
        is_invoker=view.is_invoker and _INVOKER not in names,
    )


def _checks(option: Option) -> str:
    value = (option.value or "true").lower()
    if value not in ("local", "cascaded"):
        raise InvalidParameterValue(
            f'invalid value for enum option "{option.name}": {option.value or "true"}',
            detail='Valid values are "local" and "cascaded".',
        )
    return value


def _is_on(option: Option) -> bool:
    value = "true" if option.value is None else option.value.lower()
    if value not in (*_TRUE, *_FALSE):
        raise InvalidParameterValue(
            f'invalid value for boolean option "{option.name}": {option.value}'
        )
    return value in _TRUE
