"""The options of COPY: which there are, which go together, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from catalog.encoding import encoding_named
from catalog.errors import (
    DuplicateColumn,
    FeatureNotSupported,
    InvalidColumnReference,
    InvalidParameterValue,
    SqlSyntaxError,
    UndefinedColumn,
)
from server.sql.statement import Copy, CopyDirection, Option
from server.wire.copy_format import CopyFormat, CopyKind, Header

_TRUE: Final = frozenset({"true", "on", "1"})
_FALSE: Final = frozenset({"false", "off", "0"})
_FORCED: Final = ("force_quote", "force_null", "force_not_null")
_KNOWN: Final = frozenset(
    {"format", "freeze", "delimiter", "null", "header", "quote", "escape", "encoding", *_FORCED}
)
_WITH_VALUE: Final = ("format", "delimiter", "null", "quote", "escape", "encoding")
_CSV_ONLY: Final = ("quote", "escape", *_FORCED)
_NO_TEXT_DELIMITERS: Final = frozenset("\\.abcdefghijklmnopqrstuvwxyz0123456789")


def copy_format(copy: Copy, names: Sequence[str]) -> CopyFormat:
    """Return what the options of a statement mean.

    Args:
        copy: The statement.
        names: The columns' names.

    Raises:
        PgError: An option is unknown, given twice, or wrong.
    """
    given = _by_name(copy.options)
    for name in _WITH_VALUE:
        _value(given, name, "")
    kind = _kind(given)
    is_from = copy.direction is CopyDirection.FROM_STDIN
    _check_kinds(given, kind)
    is_csv = kind is CopyKind.CSV
    quote = _character(given, "quote", '"')
    form = CopyFormat(
        kind,
        delimiter=_character(given, "delimiter", "," if is_csv else "\t"),
        null=_value(given, "null", "" if is_csv else "\\N"),
        header=_header(given.get("header"), is_from=is_from),
        quote=quote,
        escape=_character(given, "escape", quote),
        **{name: _places(given.get(name), names, copy) for name in _FORCED},
        encoding=_encoding(given),
    )
    _check_characters(form)
    _check_directions(given, is_from=is_from)
    if "freeze" in given and (given["freeze"].value or "true").lower() not in _TRUE | _FALSE:
        raise SqlSyntaxError("freeze requires a Boolean value")
    return form


def _by_name(options: Sequence[Option]) -> dict[str, Option]:
    given: dict[str, Option] = {}
    for option in options:
        if option.name not in _KNOWN:
            raise SqlSyntaxError(f'option "{option.name}" not recognized', position=option.position)
        if option.name in given:
            raise SqlSyntaxError("conflicting or redundant options", position=option.position)
        given[option.name] = option
    return given


def _kind(given: Mapping[str, Option]) -> CopyKind:
    option = given.get("format")
    if option is None:
        return CopyKind.TEXT
    try:
        return CopyKind((option.value or "").lower())
    except ValueError:
        raise InvalidParameterValue(
            f'COPY format "{option.value}" not recognized', position=option.position
        ) from None


def _check_kinds(given: Mapping[str, Option], kind: CopyKind) -> None:
    if kind is CopyKind.BINARY:
        for name in ("delimiter", "null"):
            if name in given:
                raise SqlSyntaxError(f"cannot specify {name.upper()} in BINARY mode")
        if "header" in given:
            raise FeatureNotSupported("cannot specify HEADER in BINARY mode")
    if kind is not CopyKind.CSV:
        for name in _CSV_ONLY:
            if name in given:
                words = name.replace("_", " ")
                shown = f"COPY {words}" if name in _FORCED else f"COPY {name}"
                raise FeatureNotSupported(f"{shown} available only in CSV mode")


def _header(option: Option | None, *, is_from: bool) -> Header:
    if option is None:
        return Header.NONE
    word = (option.value or "true").lower()
    if word in _TRUE:
        return Header.NAMES
    if word in _FALSE:
        return Header.NONE
    if word == "match":
        if is_from:
            return Header.MATCH
        raise FeatureNotSupported('cannot use "match" with HEADER in COPY TO')
    raise SqlSyntaxError('header requires a Boolean value or "match"')


def _value(given: Mapping[str, Option], name: str, default: str) -> str:
    option = given.get(name)
    if option is None:
        return default
    if option.value is None:
        raise SqlSyntaxError(f"{name} requires a parameter")
    return option.value


def _character(given: Mapping[str, Option], name: str, default: str) -> str:
    value = _value(given, name, default)
    if len(value.encode()) != 1:
        raise FeatureNotSupported(f"COPY {name} must be a single one-byte character")
    return value


def _places(option: Option | None, names: Sequence[str], copy: Copy) -> frozenset[int]:
    if option is None:
        return frozenset()
    if option.value == "*" and option.name == "force_quote":
        return frozenset(range(len(names)))
    if option.value in {None, "*"}:
        raise InvalidParameterValue(
            f'argument to option "{option.name}" must be a list of column names',
            position=option.position,
        )
    places: set[int] = set()
    for name in (option.value or "").split(","):
        if name not in names:
            if copy.table is not None and not copy.columns:
                raise UndefinedColumn(
                    f'column "{name}" of relation "{copy.table.name}" does not exist'
                )
            words = option.name.upper()
            raise InvalidColumnReference(f'{words} column "{name}" not referenced by COPY')
        if names.index(name) in places:
            raise DuplicateColumn(f'column "{name}" specified more than once')
        places.add(names.index(name))
    return frozenset(places)


def _check_characters(form: CopyFormat) -> None:
    is_csv = form.kind is CopyKind.CSV
    if form.delimiter in "\r\n":
        raise InvalidParameterValue("COPY delimiter cannot be newline or carriage return")
    if "\r" in form.null or "\n" in form.null:
        raise InvalidParameterValue(
            "COPY null representation cannot use newline or carriage return"
        )
    if not is_csv and form.delimiter in _NO_TEXT_DELIMITERS:
        raise InvalidParameterValue(f'COPY delimiter cannot be "{form.delimiter}"')
    if is_csv and form.delimiter == form.quote:
        raise InvalidParameterValue("COPY delimiter and quote must be different")
    if form.delimiter in form.null and form.kind is not CopyKind.BINARY:
        raise FeatureNotSupported("COPY delimiter must not appear in the NULL specification")
    if is_csv and form.quote in form.null:
        raise FeatureNotSupported("CSV quote character must not appear in the NULL specification")


def _check_directions(given: Mapping[str, Option], *, is_from: bool) -> None:
    for name in ("force_null", "force_not_null"):
        if name in given and not is_from:
            words = name.replace("_", " ")
            raise FeatureNotSupported(f"COPY {words} only available using COPY FROM")
    if "force_quote" in given and is_from:
        raise FeatureNotSupported("COPY force quote only available using COPY TO")


def _encoding(given: Mapping[str, Option]) -> str:
    if "encoding" not in given:
        return ""
    name = _value(given, "encoding", "")
    found = encoding_named(name)
    if found is None:
        raise InvalidParameterValue(
            'argument to option "encoding" must be a valid encoding name',
            position=given["encoding"].position,
        )
    return found
