"""The language of the transcripts in tests/pgtest; its README describes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias

SIDES: Final = ("tidegate", "postgresql")
MAIN: Final = "main"

#: A bare word is a str, a quoted or hexadecimal string is bytes, NULL is None.
Value: TypeAlias = "str | bytes | list[Value] | None"

_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<comment>\#.*)
      | \[(?P<side>tidegate|postgresql):\s*(?P<reason>[^\]]+)\]
      | x"(?P<hex>[0-9a-fA-F\s]*)"
      | "(?P<text>(?:[^"\\]|\\.)*)"
      | (?P<mark>[\[\],=])
      | (?P<word>[^\s\[\],="\#]+)
    )""",
    re.VERBOSE,
)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_BARE: Final = re.compile(r'[^\s\[\],="#]+')


class TranscriptError(Exception):
    """A transcript that cannot be read."""


@dataclass(frozen=True)
class Message:
    """A message as a line: its kind, fields in order, fields by name."""

    kind: str
    fields: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()
    side: str | None = None  #: The only side for which the line stands.
    reason: str = ""

    def __str__(self) -> str:
        parts = [self.kind, *(write(value) for value in self.fields)]
        parts += [f"{name}={write(value)}" for name, value in self.named]
        if self.side is not None:
            parts.append(f"[{self.side}: {self.reason}]")
        return " ".join(parts)

    @property
    def options(self) -> dict[str, Value]:
        return dict(self.named)


@dataclass
class Step:
    """A block: what to do with which connection, and the messages in it."""

    verb: str
    connection: str
    line: int
    options: Message
    messages: list[Message] = field(default_factory=list)
    times: int = 1
    until: str = "ReadyForQuery"
    until_count: int = 1
    in_bytes: bool = False

    def applies_to(self, side: str) -> bool:
        return self.options.side in (None, side)

    def messages_for(self, side: str) -> list[Message]:
        """What stands there for one side."""
        return [m for m in self.messages if m.side in (None, side)] * self.times


@dataclass
class Case:
    """One test of a file."""

    path: Path
    name: str
    line: int
    side: str | None
    steps: list[Step] = field(default_factory=list)


def write(value: Value) -> str:
    """Return a value as it is written in a transcript."""
    match value:
        case None:
            return "NULL"
        case bytes():
            return _written_bytes(value)
        case str():
            return value if _BARE.fullmatch(value) else _written_bytes(value.encode())
        case list():
            return f"[{', '.join(write(item) for item in value)}]"


def _written_bytes(value: bytes) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return f'x"{value.hex()}"'
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    for letter, character in _ESCAPES.items():
        quoted = quoted.replace(character, f"\\{letter}")
    if not quoted.isprintable() or "\0" in text:
        return f'x"{value.hex()}"'
    return f'"{quoted}"'


def read_cases(path: Path) -> list[Case]:
    """Return the tests of a file.

    Raises:
        TranscriptError: It is not well written.
    """
    cases: list[Case] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        try:
            message = read_message(stripped)
            if line[0].isspace():
                cases[-1].steps[-1].messages.append(message)
            elif message.kind == "test":
                name = _text(message.fields[0])
                cases.append(Case(path, name, number, message.side))
            else:
                cases[-1].steps.append(_step(message, number))
        except (IndexError, ValueError, TranscriptError) as e:
            raise TranscriptError(f"{path.name}:{number}: {stripped}: {e}") from e
    return cases


def _step(head: Message, line: int) -> Step:
    if head.kind not in ("send", "expect", "connect", "open", "close", "cancel"):
        raise TranscriptError("unknown block")
    words = [_text(value) for value in head.fields]
    is_named = bool(words) and words[0] not in ("until", "in") and not words[0].isdigit()
    step = Step(head.kind, words.pop(0) if is_named else MAIN, line, head)
    while words:
        match words:
            case ["until", kind, count, *rest] if count.isdigit() and rest[:1] != ["times"]:
                step.until, step.until_count, words = kind, int(count), rest
            case ["until", kind, *rest]:
                step.until, words = kind, rest
            case ["in", "single", "bytes", *rest]:
                step.in_bytes, words = True, rest
            case [count, "times", *rest]:
                step.times, words = int(count), rest
            case _:
                raise TranscriptError(f"what is {words}?")
    return step


def read_message(line: str) -> Message:
    """Return the message that a line stands for."""
    tokens = list(_tokens(line))
    side, reason = None, ""
    if tokens and tokens[-1][0] == "side":
        side, _, reason = str(tokens.pop()[1]).partition(":")
    kind = tokens.pop(0)[1]
    if not isinstance(kind, str):
        raise TranscriptError("a line begins with a word")
    fields: list[Value] = []
    named: list[tuple[str, Value]] = []
    while tokens:
        if len(tokens) > 2 and tokens[1] == ("mark", "="):
            name = _text(tokens[0][1])
            del tokens[:2]
            named.append((name, _value(tokens)))
        else:
            fields.append(_value(tokens))
    return replace(Message(kind, tuple(fields), tuple(named)), side=side, reason=reason.strip())


_Tokens: TypeAlias = "list[tuple[str, str | bytes]]"


def _tokens(line: str) -> Iterator[tuple[str, str | bytes]]:
    at = 0
    line = line.rstrip()
    while at < len(line):
        match = _TOKEN.match(line, at)
        if match is None:
            raise TranscriptError(f"cannot read {line[at:]!r}")
        at = match.end()
        match match.lastgroup:
            case "comment":
                return
            case "reason":
                yield "side", f"{match['side']}:{match['reason']}"
            case "hex":
                yield "bytes", bytes.fromhex(match["hex"])
            case "text":
                unescaped = re.sub(
                    r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), match["text"], flags=re.DOTALL
                )
                yield "bytes", unescaped.encode()
            case group:
                assert group is not None
                yield group, match[group]


def _value(tokens: _Tokens) -> Value:
    kind, token = tokens.pop(0)
    if (kind, token) != ("mark", "["):
        if kind == "mark":
            raise TranscriptError(f"{token!r} stands where a value should")
        return None if (kind, token) == ("word", "NULL") else token
    items: list[Value] = []
    while tokens[0] != ("mark", "]"):
        items.append(_value(tokens))
        if tokens[0] == ("mark", ","):
            tokens.pop(0)
    tokens.pop(0)
    return items


def _text(value: Value) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TranscriptError(f"{value!r} is no word")
    return value
