"""Paths into JSON over documents: what the generated corpus has too little of."""

from __future__ import annotations

from typing import Final

PATHS: Final = (
    r"""
$|$.a|$.b[*]|strict $.zz|$[*] ? (@ > 1)|$.**|$.c.d|$.b[0 to 1].type()|$.a == 1|$.keyvalue().key
lax $[last]|$.b.size()|exists($.a)|$[*].a|-$.a|$.a + 2 * 3|$.b[*] ? (@ starts with "x")|$x|.5|1e3
$[*] ? (@.a like_regex "^X" flag "i")|$ ? (@.a == $x)|$[*].double()|strict $.**.a|$.**{1}|$.**{last}
$.**{1 to last}|$.* ? (@.type() == "number")|($.a == 1) is unknown|!($.a == 1)|$.a[0,1 to last]
$.a > 1 && $.b == 2 || $.c == 3|strict $.a[5]|$.a.b.c|"abc"|1.50 * 2|7 / 3|7 % 3|-7 % 3|$.a.abs()
$.a.floor()|$.a.ceiling()|$.c.keyvalue()|$ ? (exists(@.a))|$."a b"|$.\u0061|$.a ?(@ == 1).type()
(1).type()|($.a).type()|$.a - $.a|-(1+2)|$.a * -1|+$.a|null|true|$.is.to.last.lax|@|last|$.|$[|1t
$.a.b()|"x|$.a < "b"|$.a != null|$.b[*] ? (@ != null)|"2024-01-02".datetime()|"x".datetime()
"2024-01-02T10:00:00+02".datetime()|"2024-01-02".datetime() < "2024-01-03".datetime()|1.datetime()
"2024-01-02 00:00:00+00".datetime() == "2024-01-02".datetime()|"12:30:00".datetime().type()
$.datetime()|strict $.b.zz|$.b.double()|"1e400".double()|"1.50".double()|lax $.b[0].b[*]|1 == 1 == 1
$ ? (@ like_regex "a" flag "x")|$ ? (@ like_regex "a" flag "z")|$ ? (@ like_regex "(" )|1 + "a"|1/0
$.b + 1|$.a+1==2|$ ? ((@.a == 1) is unknown)|$ ? (!exists(@.zz))|strict $ ? (@.zz == 1)|strict $[*]
strict $.*|$.a is unknown|($)|(($.a))|$.b[$.a]|$.b[1.9]|$.b[-1]|$.b[last - 1]|strict $.b[3]|$/*c*/.a
$ .a|1 == 1|$y|$[0 to 1, 0]|strict $[last + 1]|$.b[*] ? (@ > 0 || @ == "x")|$.** ? (@ == 1)|$.*.*
"""
    .replace("\n", "|")
    .strip("|")
    .split("|")
)  # fmt: skip

DOCUMENTS: Final = (
    '{"a": 1, "b": [1, "x", null], "c": {"d": true}}',
    "[1, 2.50, -3e2]",
    "null",
    '"str"',
    '[{"a":1,"b":null}, {"a":"x"}]',
    '{"a":[1,{"b":2}],"b":{"b":[7]}}',
)
