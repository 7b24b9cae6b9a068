"""The words that dates and times may have in them (PostgreSQL 15, appendix B)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from zoneinfo import available_timezones

_MONTH_NAMES: Final = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_DAY_NAMES: Final = (
    *("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"),
    *("tues", "weds", "thur", "thurs"),
)

MONTHS: Final = (
    {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
    | {name[:3]: number for number, name in enumerate(_MONTH_NAMES, 1)}
    | {"sept": 9}
)
WEEKDAYS: Final = frozenset(_DAY_NAMES) | {name[:3] for name in _DAY_NAMES}

#: Days from today.
RELATIVE_DAYS: Final = {"yesterday": -1, "today": 0, "tomorrow": 1}
IGNORED: Final = frozenset({"at", "on"})
#: Units that a number may have in front, of which dates know these.
JULIAN: Final = frozenset({"j", "jd", "julian"})

#: Every word that ends a run of letters though a digit or a sign follows.
KNOWN: Final = (
    frozenset(MONTHS)
    | WEEKDAYS
    | RELATIVE_DAYS.keys()
    | IGNORED
    | JULIAN
    | {"ad", "bc", "am", "pm", "allballs", "epoch", "infinity", "now", "dst", "t", "d", "h", "m"}
    | {"mm", "s", "y", "dow", "doy", "isodow", "isoyear"}
)

#: Minutes east of Greenwich; the zones that are daylight-saving time count their hour.
_ABBREVIATIONS: Final = """
acdt 630 acsst 630 acst 570 act -300 acwst 525 adt -180 aedt 660 aesst 660 aest 600 aft 270
akdt -480 akst -540 almst 420 almt 360 amst 240 amt -240 anast 720 anat 720 arst -180 art -180
ast -240 awsst 540 awst 480 azost 0 azot -60 azst 240 azt 240 bdst 120 bdt 360 bnt 480 bort 480
bot -240 bra -180 brst -120 brt -180 bst 60 btt 360 cadt 630 cast 570 cct 480 cdt -300 cest 120
cet 60 cetdst 120 chadt 825 chast 765 chut 600 ckt -600 clst -180 clt -180 cot -300 cst -360
cxt 420 davt 420 ddut 600 easst -300 east -300 eat 180 edt -240 eest 180 eet 120 eetdst 180 egst 0
egt -60 est -300 fet 180 fjst 780 fjt 720 fkst -180 fkt -180 fnst -60 fnt -120 galt -360 gamt -540
gest 240 get 240 gft -180 gilt 720 gmt 0 gyt -240 hkt 480 hst -600 ict 420 idt 180 iot 360
irkst 480 irkt 480 irt 210 ist 120 jayt 540 jst 540 kdt 600 kgst 360 kgt 360 kost 660 krast 420
krat 420 kst 540 lhdt 660 lhst 630 ligt 600 lint 840 lkt 330 magst 660 magt 660 mart -570 mawt 300
mdt -360 mest 120 mesz 120 met 60 metdst 120 mez 60 mht 720 mmt 390 mpt 600 msd 240 msk 180
mst -420 must 300 mut 240 mvt 300 myt 480 ndt -150 nft -210 novst 420 novt 420 npt 345 nst -210
nut -660 nzdt 780 nzst 720 nzt 720 omsst 360 omst 360 pdt -420 pet -300 petst 720 pett 720 pgt 600
pht 480 pkst 360 pkt 300 pmdt -120 pmst -180 pont 660 pst -480 pwt 540 pyst -180 pyt -180 ret 240
sadt 630 sast 120 sct 240 sgt 480 taht -600 tft 300 tjt 300 tkt 780 tmt 300 tot 780 trut 600
tvt 720 uct 0 ulast 540 ulat 480 ut 0 utc 0 uyst -120 uyt -180 uzst 360 uzt 300 vet -240 vlast 600
vlat 600 volt 180 vut 660 wadt 480 wakt 720 wast 420 wat 60 wdt 540 wet 0 wetdst 60 wft 720
wgst -120 wgt -180 xjt 360 yakst 540 yakt 540 yapt 600 yekst 360 yekt 300 z 0 zulu 0
""".split()  # noqa: SIM905

#: Seconds east of Greenwich by abbreviation.
ABBREVIATIONS: Final = {
    name: int(minutes) * 60
    for name, minutes in zip(_ABBREVIATIONS[::2], _ABBREVIATIONS[1::2], strict=True)
}

_POSIX: Final = re.compile(r"[a-z]{3,}([+-]\d{1,2})(?::(\d\d))?(?::(\d\d))?")


def posix_offset(name: str) -> int | None:
    """Return the seconds east of Greenwich of a zone such as ``utc+3``, which counts west."""
    found = _POSIX.fullmatch(name)
    if found is None:
        return None
    hours = int(found[1])
    rest = int(found[2] or 0) * 60 + int(found[3] or 0)
    return -hours * 3600 + (rest if found[1].startswith("-") else -rest)


def zone_name(name: str) -> str | None:
    """Return the true spelling of a zone's name in any case, or None when there is none."""
    return _zone_names().get(name)


@lru_cache(maxsize=1)
def _zone_names() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones()}
