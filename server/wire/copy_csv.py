"""The CSV format of COPY in Python: headers, and rows with quotes in them.

As PostgreSQL reads it: a field is a sequence of bare and of quoted pieces, and is NULL only where
nothing of it is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from catalog.errors import BadCopyFormat
from server.wire.copy_format import CopyFormat


def csv_line(values: Sequence[str], form: CopyFormat) -> str:
    """Return a line of values none of which is NULL, with its end."""
    is_alone = len(values) == 1
    return form.delimiter.join(_quoted(value, form, is_alone=is_alone) for value in values) + "\n"


def _quoted(value: str, form: CopyFormat, *, is_alone: bool) -> str:
    special = {form.delimiter, form.quote, "\n", "\r"}
    if value != form.null and special.isdisjoint(value) and not (is_alone and value == "\\."):
        return value
    escapes = {form.quote, form.escape}
    inner = "".join(form.escape + c if c in escapes else c for c in value)
    return f"{form.quote}{inner}{form.quote}"


def csv_columns(
    text: str, form: CopyFormat, line_end: str, count: int
) -> list[list[str | None]] | None:
    """Return the values of a chunk by column; None unless each row has ``count`` of them.

    Args:
        text: Whole rows, the last without its end.
        form: The format.
        line_end: What ends a row.
        count: How many columns there are.
    """
    found = _field_pattern(form, line_end).findall(text)
    if len(found) > 1 and not found[-2][1]:
        found.pop()  # Behind the last field the pattern finds nothing once more.
    ends = [end for _, end in found]
    last = ends[count - 1 :: count]
    is_even = (
        len(ends) == len(last) * count
        and last.count(line_end) == ends.count(line_end) == len(last) - 1
        and ends.count(form.delimiter) == len(ends) - len(last)
    )
    if not is_even:
        return None
    fields = [field for field, _ in found]
    return [_values(fields[place::count], form, place) for place in range(count)]


def split_rows(
    text: str, form: CopyFormat, line_end: str
) -> Iterator[tuple[str, list[str | None]]]:
    """Yield each row of a chunk as it is written, and its values.

    Raises:
        BadCopyFormat: A quote is never closed, or there is an end of line of another kind.
    """
    pattern = _field_pattern(form, line_end)
    at = start = 0
    fields: list[str] = []
    while True:
        match = pattern.match(text, at)
        assert match is not None
        field, end = match.groups()
        fields.append(field)
        at = match.end()
        if end in {line_end, ""}:
            values = [_values([each], form, place)[0] for place, each in enumerate(fields)]
            yield text[start : match.start(2)], values
            fields = []
            start = at
        elif end != form.delimiter:
            raise _unexpected(end)
        if not end:
            return


def _unexpected(character: str) -> BadCopyFormat:
    match character:
        case "\n":
            return BadCopyFormat(
                "unquoted newline found in data",
                hint="Use quoted CSV field to represent newline.",
            )
        case "\r":
            return BadCopyFormat(
                "unquoted carriage return found in data",
                hint="Use quoted CSV field to represent carriage return.",
            )
        case _:
            return BadCopyFormat("unterminated CSV quoted field")


def _values(fields: list[str], form: CopyFormat, place: int) -> list[str | None]:
    quote, null = form.quote, form.null
    bare = null if place in form.force_not_null else None
    if place in form.force_null:
        texts = [_unquoted(field, form) if quote in field else field for field in fields]
        return [bare if text == null else text for text in texts]
    return [
        _unquoted(field, form) if quote in field else bare if field == null else field
        for field in fields
    ]


def _unquoted(field: str, form: CopyFormat) -> str:
    inner = field[1:-1]
    is_simple = field[0] == field[-1] == form.quote and form.quote not in inner
    if is_simple and form.escape not in inner:
        return inner
    return _quoted_pattern(form).sub(lambda piece: _without_escapes(piece[1], form), field)


def _without_escapes(quoted: str, form: CopyFormat) -> str:
    if form.escape not in quoted:
        return quoted
    quote, escape = re.escape(form.quote), re.escape(form.escape)
    return re.sub(f"{escape}([{quote}{escape}])", lambda pair: pair[1], quoted)


@lru_cache(maxsize=16)
def _field_pattern(form: CopyFormat, line_end: str) -> re.Pattern[str]:
    """Return what finds a field and what ends it; a character that cannot, where it is wrong."""
    delimiter, quote = re.escape(form.delimiter), re.escape(form.quote)
    bare = f"[^{delimiter}{quote}\\r\\n]++"
    quoted = f"{quote}(?:{_quoted_body(form)})*+{quote}"
    end = re.escape(line_end)
    return re.compile(rf"((?:{bare}|{quoted})*+)({delimiter}|{end}|\Z|.)", re.DOTALL)


@lru_cache(maxsize=16)
def _quoted_pattern(form: CopyFormat) -> re.Pattern[str]:
    quote = re.escape(form.quote)
    return re.compile(f"{quote}((?:{_quoted_body(form)})*+){quote}")


def _quoted_body(form: CopyFormat) -> str:
    quote, escape = re.escape(form.quote), re.escape(form.escape)
    if quote == escape:
        return f"[^{quote}]++|{quote}{quote}"
    pair = f"[{quote}{escape}]"
    return f"[^{quote}{escape}]++|{escape}{pair}|{escape}(?!{pair})"
