"""The encodings that a client may have, by PostgreSQL's names (PostgreSQL 15, chapter 24.3)."""

from __future__ import annotations

from typing import Final

from catalog.errors import FeatureNotSupported, InvalidParameterValue

UTF8: Final = "UTF8"
#: No encoding at all: bytes are taken for the server's.
SQL_ASCII: Final = "SQL_ASCII"

#: Python's codec by name.
CODECS: Final = {
    "BIG5": "cp950",
    "EUC_CN": "gb2312",
    "EUC_JIS_2004": "euc_jis_2004",
    "EUC_JP": "euc_jp",
    "EUC_KR": "euc_kr",
    "GB18030": "gb18030",
    "GBK": "gbk",
    **{f"ISO_8859_{n}": f"iso8859-{n}" for n in (5, 6, 7, 8)},
    "JOHAB": "johab",
    "KOI8R": "koi8-r",
    "KOI8U": "koi8-u",
    "LATIN1": "latin-1",
    **{f"LATIN{n}": f"iso8859-{n}" for n in (2, 3, 4)},
    **{f"LATIN{n}": f"iso8859-{part}" for n, part in ((5, 9), (6, 10), (7, 13), (8, 14))},
    "LATIN9": "iso8859-15",
    "LATIN10": "iso8859-16",
    "SHIFT_JIS_2004": "shift_jis_2004",
    "SJIS": "cp932",
    "UHC": "cp949",
    **{f"WIN{n}": f"cp{n}" for n in (866, 874, *range(1250, 1259))},
}

#: Encodings of PostgreSQL that Python has no codec for.
_WITHOUT_CODEC: Final = ("EUC_TW", "MULE_INTERNAL")

_ALIASES: Final = {
    "abc": "WIN1258",
    "alt": "WIN866",
    "koi8": "KOI8R",
    "mskanji": "SJIS",
    "shiftjis": "SJIS",
    "shiftjis2004": "SHIFT_JIS_2004",
    "tcvn": "WIN1258",
    "tcvn5712": "WIN1258",
    "unicode": UTF8,
    "vscii": "WIN1258",
    "win": "WIN1251",
    "win932": "SJIS",
    "win936": "GBK",
    "win949": "UHC",
    "win950": "BIG5",
    "windows949": "UHC",
    **{f"iso8859{n}": f"LATIN{i}" for n, i in ((1, 1), (2, 2), (3, 3), (4, 4), (9, 5), (10, 6))},
    **{f"iso8859{n}": f"LATIN{i}" for n, i in ((13, 7), (14, 8), (15, 9), (16, 10))},
    **{f"windows{n}": f"WIN{n}" for n in (866, 874, *range(1250, 1259))},
}


def _cleaned(name: str) -> str:
    return "".join(c for c in name.lower() if c.isascii() and c.isalnum())


_NAMES: Final = {
    _cleaned(name): name for name in (UTF8, SQL_ASCII, *CODECS, *_WITHOUT_CODEC)
} | _ALIASES


def encoding_named(text: str) -> str | None:
    """Return an encoding's own name, or None if PostgreSQL knows none of that name.

    Raises:
        FeatureNotSupported: It knows one, and there is no codec for it here.
    """
    name = _NAMES.get(_cleaned(text))
    if name in _WITHOUT_CODEC:
        raise FeatureNotSupported(f"conversion between {name} and {UTF8} is not supported")
    return name


class Encoding:
    """The values of client_encoding."""

    def canonical(self, name: str, text: str) -> str:
        """Return the encoding's own name.

        Raises:
            FeatureNotSupported: There is no codec for it.
            InvalidParameterValue: There is no such encoding.
        """
        found = encoding_named(text)
        if found is None:
            raise InvalidParameterValue(f'invalid value for parameter "{name}": "{text}"')
        return found
