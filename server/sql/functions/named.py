"""Names of the parameters of PostgreSQL's functions, for ``make_interval(days => 10)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

#: ``name(parameter [= default], ...)``; of several functions of one name the longest.
_SIGNATURES: Final = """
make_interval(years = 0, months = 0, weeks = 0, days = 0, hours = 0, mins = 0, secs = 0)
make_date(year, month, day)
make_time(hour, min, sec)
make_timestamp(year, month, mday, hour, min, sec)
make_timestamptz(year, month, mday, hour, min, sec, timezone)
parse_ident(str, strict = true)
json_populate_record(base, from_json, use_json_as_text = false)
json_populate_recordset(base, from_json, use_json_as_text = false)
jsonb_set(jsonb_in, path, replacement, create_if_missing = true)
jsonb_set_lax(jsonb_in, path, replacement, create_if_missing = true, null_value_treatment)
jsonb_insert(jsonb_in, path, replacement, insert_after = false)
jsonb_path_exists(target, path, vars = {}, silent = false)
jsonb_path_exists_tz(target, path, vars = {}, silent = false)
jsonb_path_match(target, path, vars = {}, silent = false)
jsonb_path_match_tz(target, path, vars = {}, silent = false)
jsonb_path_query(target, path, vars = {}, silent = false)
jsonb_path_query_tz(target, path, vars = {}, silent = false)
jsonb_path_query_array(target, path, vars = {}, silent = false)
jsonb_path_query_array_tz(target, path, vars = {}, silent = false)
jsonb_path_query_first(target, path, vars = {}, silent = false)
jsonb_path_query_first_tz(target, path, vars = {}, silent = false)
pg_terminate_backend(pid, timeout = 0)
"""


def _parsed() -> dict[str, tuple[tuple[str, str], ...]]:
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for line in _SIGNATURES.strip().splitlines():
        name, _, parameters = line.removesuffix(")").partition("(")
        pairs = (parameter.partition("=") for parameter in parameters.split(","))
        found[name] = tuple((own.strip(), default.strip()) for own, _, default in pairs)
    return found


_NAMES: Final = _parsed()


def in_order(
    function: str, positional: Sequence[exp.Expr], named: Mapping[str, exp.Expr]
) -> list[exp.Expr] | None:
    """Return the arguments of a call by their places, defaults where there is none.

    None is returned where the function has no such parameters, or not without others.
    """
    given = dict(named)
    arguments = list(positional)
    parameters = _NAMES.get(function, ())
    for name, default in parameters[len(positional) :]:
        if name in given:
            arguments.append(given.pop(name))
        elif not given:
            break
        elif default:
            arguments.append(_constant(default))
        else:
            return None
    missing = [name for name, default in parameters[len(arguments) :] if not default]
    return None if given or not _MAY_BE_ABSENT.issuperset(missing) else arguments


#: Parameters that another function of the name has not.
_MAY_BE_ABSENT: Final = frozenset({"timezone", "null_value_treatment"})


def _constant(default: str) -> exp.Expr:
    if default in {"true", "false"}:
        return exp.Boolean(this=default == "true")
    return exp.Literal.number(default) if default.isdigit() else exp.Literal.string(default)
