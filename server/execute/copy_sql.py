r"""The FROM items that make rows of a chunk of COPY's data, as DuckDB SQL.

They have columns f1, f2, ... (or v1, v2, ...) and number their rows from 1 as ``o``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from barrier.store import GIVEN
from server.wire.copy_cut import MARK
from server.wire.copy_format import CopyFormat, CopyKind
from server.wire.copy_plain import PlainData

_CONTROLS: Final = {"b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}


def from_file(path: str, form: CopyFormat, count: int, data: PlainData) -> str:
    """Return what reads a file of plain data.

    Args:
        path: The file's.
        form: The format.
        count: How many columns there are; another number of fields is an error.
        data: What the file holds.
    """
    quote = _literal(form.quote if data.has_quotes else "")
    columns = ", ".join(f"'f{place + 1}': 'VARCHAR'" for place in range(count))
    fields = ", ".join(
        f"{_unescaped(f'f{place + 1}')} AS f{place + 1}" if data.has_escapes else f"f{place + 1}"
        for place in range(count)
    )
    return (
        f"(SELECT {fields}, row_number() OVER () AS o FROM read_csv({_literal(path)}, "
        f"auto_detect = false, header = false, columns = {{{columns}}}, new_line = '\\n', "
        f"delim = {_literal(form.delimiter)}, quote = {quote}, escape = {quote}, "
        f"nullstr = {_literal(form.null)}, allow_quoted_nulls = false)) AS r"
    )


def from_lines(form: CopyFormat, count: int, *, has_escapes: bool) -> str:
    """Return what splits $1 at each newline and delimiter.

    Args:
        form: The format.
        count: How many columns there are; another number of fields is an error.
        has_escapes: Whether there are backslashes in the data.
    """
    is_text = form.kind is CopyKind.TEXT
    fields = []
    for place in range(count):
        field = f"f[{place + 1}]"
        value = _unescaped(field) if is_text and has_escapes else field
        if place not in form.force_not_null and (has_escapes or "\\" not in form.null):
            value = f"CASE WHEN {field} <> {_literal(form.null)} THEN {value} END"
        fields.append(f"{value} AS f{place + 1}")
    return (
        f"(SELECT {', '.join(fields)}, o FROM (SELECT "
        f"CASE WHEN len(f) = {count} THEN f ELSE error('22P04:number of fields') END AS f, o "
        f"FROM (SELECT string_split(line, {_literal(form.delimiter)}) AS f, o "
        "FROM unnest(string_split($1, chr(10))) WITH ORDINALITY AS u(line, o)) AS s) AS c) AS r"
    )


def from_lists(letter: str, types: Sequence[str], rows: int) -> str:
    """Return what makes rows of one list for each column, $1, $2, ...

    Args:
        letter: What the columns are called before their number.
        types: DuckDB's types of the elements.
        rows: How many there are in each.
    """
    columns = [
        f"unnest(CAST(${number} AS {name}[])) AS {letter}{number}"
        for number, name in enumerate(types, start=1)
    ]
    return f"(SELECT {', '.join(columns)}, unnest(range(1, {rows + 1})) AS o) AS r"


def from_given(names: Sequence[str], lists: Mapping[str, str]) -> str:
    """Return what makes rows of columns of values, and of lists, $1, $2, ...

    Args:
        names: What the columns are called.
        lists: DuckDB's type of the elements by the name of each list.
    """
    source = GIVEN
    if lists:
        columns = ", ".join(
            f"unnest(CAST(${number} AS {kind}[])) AS {name}"
            for number, (name, kind) in enumerate(lists.items(), start=1)
        )
        source = (
            f"(SELECT {columns}) AS l"
            if not names
            else f"{GIVEN} POSITIONAL JOIN (SELECT {columns}) AS l"
        )
    return f"(SELECT *, row_number() OVER () AS o FROM {source}) AS r"


def _unescaped(field: str) -> str:
    r"""Return the expression for a field without escapes; ``\\`` is out of the way meanwhile."""
    mark = _literal(MARK)
    text = f"replace({field}, '\\\\', {mark})"
    for letter, code in _CONTROLS.items():
        text = f"replace({text}, '\\{letter}', chr({code}))"
    text = f"regexp_replace({text}, '\\\\(.)', '\\1', 'gs')"
    text = f"replace({text}, {mark}, '\\')"
    return f"CASE WHEN contains({field}, '\\') THEN {text} ELSE {field} END"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
