"""VACUUM, ANALYZE and CHECKPOINT."""

from __future__ import annotations

from typing import Final

from catalog.errors import FeatureNotSupported, SqlSyntaxError
from server.sql.maintenance_statement import Analyze, Checkpoint, Target, Vacuum
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import value
from server.sql.statement import Option

#: PostgreSQL's spellings of truth in such options.
_TRUTHS: Final = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}

_VACUUM_OPTIONS: Final = frozenset(
    (
        *("analyze", "disable_page_skipping", "freeze", "full", "index_cleanup", "parallel"),
        *("process_toast", "skip_locked", "truncate", "verbose"),
    )
)
_ANALYZE_OPTIONS: Final = frozenset(("skip_locked", "verbose"))

#: As many helpers as may be asked for; there are none to give.
_PARALLEL_MAX: Final = 1024


def parse_vacuum(cursor: Cursor) -> Vacuum:
    """Parse VACUUM."""
    cursor.expect("VACUUM")
    if cursor.word == "(":
        options = _options(cursor, "VACUUM", _VACUUM_OPTIONS)
    else:
        # In this order, as before version 9.
        options = {
            "full": cursor.accept("FULL"),
            "freeze": cursor.accept("FREEZE"),
            "verbose": cursor.accept("VERBOSE"),
            "analyze": bool(cursor.accept_any("ANALYZE", "ANALYSE")),
        }
    is_full = options.get("full", False)
    if is_full and options.get("parallel"):
        raise FeatureNotSupported("VACUUM FULL cannot be performed in parallel")
    if is_full and options.get("disable_page_skipping"):
        raise FeatureNotSupported("VACUUM option DISABLE_PAGE_SKIPPING cannot be used with FULL")
    targets = _targets(cursor)
    is_analyze = options.get("analyze", False)
    if not is_analyze and any(target.columns for target in targets):
        raise FeatureNotSupported("ANALYZE option must be specified when a column list is provided")
    return Vacuum(targets, is_full, is_analyze, options.get("verbose", False), source=cursor.source)


def parse_analyze(cursor: Cursor) -> Analyze:
    """Parse ANALYZE."""
    cursor.expect_any("ANALYZE", "ANALYSE")
    if cursor.word == "(":
        is_verbose = _options(cursor, "ANALYZE", _ANALYZE_OPTIONS).get("verbose", False)
    else:
        is_verbose = cursor.accept("VERBOSE")
    return Analyze(_targets(cursor), is_verbose, source=cursor.source)


def parse_checkpoint(cursor: Cursor) -> Checkpoint:
    """Parse CHECKPOINT."""
    cursor.expect("CHECKPOINT")
    cursor.expect_end()
    return Checkpoint(source=cursor.source)


def _targets(cursor: Cursor) -> tuple[Target, ...]:
    if cursor.is_at_end:
        return ()
    targets = [_target(cursor)]
    while cursor.accept(","):
        targets.append(_target(cursor))
    cursor.expect_end()
    return tuple(targets)


def _target(cursor: Cursor) -> Target:
    name = cursor.qualified()
    return Target(name, cursor.columns() if cursor.word == "(" else ())


def _options(cursor: Cursor, statement: str, known: frozenset[str]) -> dict[str, bool]:
    """Take options in brackets, each with whether it is on."""
    cursor.expect("(")
    options: dict[str, bool] = {}
    while True:
        option = _option(cursor)
        if option.name not in known:
            raise SqlSyntaxError(
                f'unrecognized {statement} option "{option.name}"', position=option.position
            )
        options[option.name] = _is_on(option)
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return options


def _option(cursor: Cursor) -> Option:
    position = cursor.position
    name = cursor.label()
    if name == "analyse":
        name = "analyze"
    written = None if cursor.word in {",", ")"} else value(cursor)
    return Option(name, written, position)


def _is_on(option: Option) -> bool:
    """Tell whether an option is on.

    Raises:
        SqlSyntaxError: It has a value that it cannot have.
    """
    name, written = option.name, option.value
    if name == "parallel":
        return _helpers(option) > 0
    if written is None:
        return True
    if name == "index_cleanup" and written.lower() == "auto":
        return True
    if written.lower() not in _TRUTHS:
        raise SqlSyntaxError(f"{name} requires a Boolean value")
    return _TRUTHS[written.lower()]


def _helpers(option: Option) -> int:
    if option.value is None:
        raise SqlSyntaxError(
            f"parallel option requires a value between 0 and {_PARALLEL_MAX}",
            position=option.position,
        )
    if not option.value.removeprefix("-").isdecimal():
        raise SqlSyntaxError("parallel requires an integer value")
    helpers = int(option.value)
    if not 0 <= helpers <= _PARALLEL_MAX:
        raise SqlSyntaxError(
            f"parallel workers for vacuum must be between 0 and {_PARALLEL_MAX}",
            position=option.position,
        )
    return helpers
