"""PostgreSQL's encodings of text, by Python's codecs (PostgreSQL 15, chapter 24.3)."""

from __future__ import annotations

import codecs
import re
from typing import Final

from catalog.errors import CharacterNotInRepertoire, PgError, UntranslatableCharacter

_LATIN: Final = (1, 2, 3, 4, 9, 10, 13, 14, 15, 16)
_CODECS: Final = {
    "utf8": "utf-8",
    "unicode": "utf-8",
    "sqlascii": "utf-8",
    **{f"latin{number}": f"iso8859-{part}" for number, part in enumerate(_LATIN, start=1)},
    **{f"iso8859{part}": f"iso8859-{part}" for part in range(1, 17) if part not in {11, 12}},
    **{f"win{page}": f"cp{page}" for page in (866, 874, *range(1250, 1259))},
    **{f"windows{page}": f"cp{page}" for page in (866, 874, *range(1250, 1259))},
    "koi8": "koi8-r",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "win": "cp1251",
    "alt": "cp866",
    "tcvn": "cp1258",
    "tcvn5712": "cp1258",
    "vscii": "cp1258",
    "abc": "cp1258",
    "eucjp": "euc_jp",
    "euckr": "euc_kr",
    "euccn": "gb2312",
    "eucjis2004": "euc_jis_2004",
    "sjis": "shift_jis",
    "shiftjis": "shift_jis",
    "mskanji": "shift_jis",
    "win932": "cp932",
    "windows932": "cp932",
    "shiftjis2004": "shift_jis_2004",
    "big5": "big5",
    "win950": "cp950",
    "windows950": "cp950",
    "gbk": "gbk",
    "win936": "gbk",
    "windows936": "gbk",
    "uhc": "cp949",
    "win949": "cp949",
    "windows949": "cp949",
    "johab": "johab",
    "gb18030": "gb18030",
}
#: Those for which Python has no codec.
_UNKNOWN_HERE: Final = frozenset({"euctw", "muleinternal"})


def is_encoding(name: str) -> bool:
    """Whether PostgreSQL knows an encoding of that name."""
    return _key(name) in _CODECS or _key(name) in _UNKNOWN_HERE


def codec_of(name: str) -> str | None:
    """Return the name of Python's codec for an encoding, or None."""
    return _CODECS.get(_key(name))


class Transcoder:
    """Turns bytes in an encoding into UTF-8, however they are divided.

    Args:
        name: The encoding.
        codec: Python's codec.
    """

    def __init__(self, name: str, codec: str) -> None:
        self._name = name.upper()
        self._decoder = codecs.getincrementaldecoder(codec)()

    def feed(self, data: bytes, *, is_last: bool = False) -> tuple[bytes, PgError | None]:
        """Return what is read, and what is wrong with what comes next."""
        try:
            return self._decoder.decode(data, final=is_last).encode(), None
        except UnicodeDecodeError as e:
            read = e.object[: e.start].decode(e.encoding).encode()
            return read, self._wrong(e.object[e.start : e.start + 2])

    def _wrong(self, found: bytes) -> PgError:
        """Build the error about a character of an encoding of one or of two bytes each."""
        is_short = self._name.startswith(("WIN", "LATIN", "ISO", "KOI"))
        shown = " ".join(f"0x{byte:02x}" for byte in (found[:1] if is_short else found))
        if is_short:
            return UntranslatableCharacter(
                f'character with byte sequence {shown} in encoding "{self._name}" '
                'has no equivalent in encoding "UTF8"'
            )
        return CharacterNotInRepertoire(
            f'invalid byte sequence for encoding "{self._name}": {shown}'
        )


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
