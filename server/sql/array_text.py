"""Reading array literals such as ``{1,"b c",NULL}`` (PostgreSQL 15, chapter 8.15.2)."""

from __future__ import annotations

from typing import TypeAlias

from catalog.errors import InvalidTextRepresentation

#: An element's text, None for NULL, or an inner array.
ArrayItem: TypeAlias = "str | list[ArrayItem] | None"


def parse_array(text: str) -> list[ArrayItem]:
    """Read an array literal.

    Raises:
        InvalidTextRepresentation: It is none, or its inner arrays differ in shape.
    """
    reader = _Reader(text)
    found = reader.array()
    if reader.rest().strip():
        raise reader.malformed("Junk after closing right brace.")
    if _shape(found) is None:
        raise reader.malformed(
            "Multidimensional arrays must have sub-arrays with matching dimensions."
        )
    return found


def _shape(items: list[ArrayItem]) -> tuple[int, ...] | None:
    inner = {_shape(item) if isinstance(item, list) else () for item in items}
    if len(inner) > 1 or None in inner:
        return None
    return (len(items), *(next(iter(inner)) or ())) if inner else (0,)


class _Reader:
    """A position in a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def malformed(self, detail: str) -> InvalidTextRepresentation:
        return InvalidTextRepresentation(f'malformed array literal: "{self._text}"', detail=detail)

    def rest(self) -> str:
        return self._text[self._at :]

    def array(self) -> list[ArrayItem]:
        self._skip_space()
        if not self._take("{"):
            raise self.malformed('Array value must start with "{" or dimension information.')
        items: list[ArrayItem] = []
        self._skip_space()
        if self._take("}"):
            return items
        while True:
            items.append(self._item())
            self._skip_space()
            if self._take("}"):
                return items
            if not self._take(","):
                raise self.malformed("Unexpected end of input.")

    def _item(self) -> ArrayItem:
        self._skip_space()
        following = self._text[self._at : self._at + 1]
        if following == "{":
            return self.array()
        if following == '"':
            return self._quoted()
        return self._plain()

    def _quoted(self) -> str:
        self._at += 1
        found: list[str] = []
        while self._at < len(self._text):
            character = self._text[self._at]
            self._at += 1
            if character == '"':
                return "".join(found)
            if character == "\\":
                character = self._text[self._at : self._at + 1]
                self._at += 1
            found.append(character)
        raise self.malformed("Unexpected end of input.")

    def _plain(self) -> str | None:
        found: list[str] = []
        is_escaped = False
        while self._at < len(self._text) and self._text[self._at] not in ',{}"':
            character = self._text[self._at]
            self._at += 1
            if character == "\\":
                character = self._text[self._at : self._at + 1]
                self._at += 1
                is_escaped = True
            found.append(character)
        word = "".join(found).strip()
        if not word:
            raise self.malformed('Unexpected "," or "}" character.')
        return None if word.upper() == "NULL" and not is_escaped else word

    def _skip_space(self) -> None:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1

    def _take(self, character: str) -> bool:
        if self._text.startswith(character, self._at):
            self._at += 1
            return True
        return False
