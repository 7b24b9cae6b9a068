"""The peer's parameters that steer how a query or a job is planned and spread over machines.

What they choose between gives the same rows, so a script that sets them gets the same answers
here, where there is one process and one planner. Each is checked as the peer checks it, shown, and
changes nothing; its description says what of it there is. A parameter of the peer that changes
what is answered or kept is not among them: it does what it says, or it has one value (the last
table), or it does not exist.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from catalog.errors import InvalidParameterValue
from catalog.parameter_kind import Boolean, Choice, Fixed, Integer
from server.parameter import Parameter

_LARGE: Final = 2**63 - 1

_BOUNDED: Final = re.compile(r"bounded\s*\(\s*([1-9]\d{0,9})\s*\)\Z")
_RATIO: Final = re.compile(r"ratio\s*\(\s*(\d*\.?\d+|\d+\.)\s*\)\Z")


@dataclass(frozen=True, slots=True)
class Parallelism:
    """``default``, ``adaptive`` (also 0), a number, ``bounded(n)`` or ``ratio(r)``."""

    def canonical(self, name: str, text: str) -> str:
        """Return the value as SHOW prints it.

        Raises:
            InvalidParameterValue: It is none of these.
        """
        word = text.strip().lower()
        if word in ("default", "adaptive", "auto"):
            return "adaptive" if word == "auto" else word
        if word.isascii() and word.isdigit():
            return "adaptive" if int(word) == 0 else str(int(word))
        if bounded := _BOUNDED.match(word):
            return f"bounded({bounded[1]})"
        ratio = _RATIO.match(word)
        if ratio is not None and 0 < float(ratio[1]) <= 1:
            return f"ratio({float(ratio[1]):g})"
        raise InvalidParameterValue(
            f'invalid value for parameter "{name}": "{text}"',
            hint="Available values: default, adaptive, a number, bounded(n), ratio(r).",
        )


@dataclass(frozen=True, slots=True)
class Unset:
    """A value of another kind, or none: the empty text, which is also called ``default``."""

    kind: Integer | Choice

    def canonical(self, name: str, text: str) -> str:
        """Return the value as SHOW prints it.

        Raises:
            InvalidParameterValue: The other kind has no such value.
        """
        if text.strip().lower() in ("", "default"):
            return ""
        return self.kind.canonical(name, text)


_ONE_PROCESS: Final = "There is one process."
_ONE_PLANNER: Final = "No plan depends on it."

#: What says how something is done says that it is.
_IMPLIED: Final = {"force_two_phase_agg": "enable_two_phase_agg"}

_BOOLEANS: Final = tuple(
    Parameter(name, default, Boolean(), f"{what} {why}", implied=_IMPLIED.get(name, ""))
    for name, default, what, why in (
        ("batch_enable_distributed_dml", "off", "DML on several machines.", _ONE_PROCESS),
        ("batch_enable_lookup_join", "on", "Joins by an index.", _ONE_PLANNER),
        ("batch_enable_sort_agg", "on", "Aggregates over sorted rows.", _ONE_PLANNER),
        ("bypass_cluster_limits", "off", "Limits of parallel jobs.", "There are none."),
        ("create_compaction_group_for_mv", "off", "How views are stored.", _ONE_PROCESS),
        ("datafusion_prefer_hash_join", "on", "Joins by hashing.", _ONE_PLANNER),
        ("dml_wait_persistence", "off", "Whether writes wait to be durable.", "They always do."),
        ("enable_datafusion_engine", "on", "Another engine for files.", _ONE_PLANNER),
        ("enable_index_selection", "on", "Whether queries use indexes.", _ONE_PLANNER),
        ("enable_join_ordering", "on", "Whether joins are reordered.", _ONE_PLANNER),
        ("enable_locality_backfill", "on", "How new views are filled.", _ONE_PLANNER),
        ("enable_mv_selection", "off", "Whether queries use other views.", _ONE_PLANNER),
        ("enable_share_plan", "on", "Whether equal parts run once.", _ONE_PLANNER),
        ("enable_two_phase_agg", "on", "Aggregates in two steps.", _ONE_PLANNER),
        ("force_split_distinct_agg", "off", "Aggregates with DISTINCT in parts.", _ONE_PLANNER),
        ("force_two_phase_agg", "off", "Aggregates in two steps.", _ONE_PLANNER),
        ("streaming_allow_jsonb_in_stream_key", "off", "jsonb in keys of views.", "May always be."),
        ("streaming_asof_join_use_cache", "on", "A cache of joins.", _ONE_PLANNER),
        ("streaming_enable_bushy_join", "on", "The shape of joins in views.", _ONE_PLANNER),
        ("streaming_enable_delta_join", "off", "Joins of views by indexes.", _ONE_PLANNER),
        ("streaming_enable_unaligned_join", "off", "Barriers inside of joins.", _ONE_PLANNER),
        ("streaming_force_filter_inside_join", "off", "Where joins filter.", _ONE_PLANNER),
        ("streaming_separate_consecutive_join", "off", "Joins on their own.", _ONE_PLANNER),
        ("streaming_separate_sink", "off", "Sinks on their own.", _ONE_PLANNER),
        ("streaming_use_arrangement_backfill", "on", "How new views are filled.", _ONE_PLANNER),
        ("streaming_use_shared_source", "on", "Sources read once for all.", "There are none."),
    )
)

_PARALLELISMS: Final = tuple(
    Parameter(
        f"streaming_parallelism{suffix}",
        "default",
        Parallelism(),
        f"On how many machines a job runs. {_ONE_PROCESS}",
    )
    for suffix in (
        *("", "_for_backfill", "_for_index", "_for_materialized_view"),
        *("_for_sink", "_for_source", "_for_table"),
        *("_strategy", "_strategy_for_backfill", "_strategy_for_index"),
        *("_strategy_for_materialized_view", "_strategy_for_sink"),
        *("_strategy_for_source", "_strategy_for_table"),
    )
)

_OTHERS: Final = (
    Parameter(
        "auto_locality_backfill_min_size",
        "10737418240",
        Integer(0, _LARGE),
        f"How new views are filled. {_ONE_PLANNER}",
    ),
    Parameter(
        "batch_parallelism",
        "default",
        Unset(Integer(0, _LARGE)),
        f"On how many machines a query runs. {_ONE_PROCESS}",
    ),
    Parameter(
        "locality_backfill_mode",
        "auto",
        Choice(("auto", "always", "never")),
        f"How new views are filled. {_ONE_PLANNER}",
    ),
    Parameter("max_split_range_gap", "8", Integer(0), f"How keys are read. {_ONE_PLANNER}"),
    Parameter(
        "sink_decouple",
        "default",
        Choice(
            ("default", "enable", "disable"),
            {"true": "enable", "on": "enable", "false": "disable", "off": "disable"},
        ),
        "Whether sinks have a log of their own. There are no sinks.",
    ),
    Parameter(
        "streaming_join_encoding",
        "",
        Unset(Choice(("memory_optimized", "cpu_optimized"))),
        f"How joins keep rows. {_ONE_PLANNER}",
    ),
    Parameter(
        "streaming_max_parallelism",
        "256",
        Integer(2, 32768),
        f"On how many machines a job may ever run. {_ONE_PROCESS}",
    ),
    Parameter(
        "streaming_over_window_cache_policy",
        "",
        Unset(Choice(("full", "recent", "recent_first_n", "recent_last_n"))),
        f"What windows keep in memory. {_ONE_PLANNER}",
    ),
    Parameter(
        "streaming_cache_refill_policy",
        "",
        Unset(Choice(("default", "enabled", "disabled", "both", "streaming", "serving"))),
        f"What is read ahead. {_ONE_PROCESS}",
    ),
    *(
        Parameter(
            f"streaming_sync_log_store_{what}",
            "",
            Unset(Integer(0, _LARGE)),
            "How unaligned joins buffer. There are none.",
        )
        for what in ("pause_duration_ms", "buffer_size")
    ),
)

#: Those whose other values would change an answer, or what is kept.
_FIXED: Final = (
    Parameter("dml_rate_limit", "-1", Fixed("-1"), "Rows a second that are written; no limit."),
    Parameter(
        "enable_serverless_backfill",
        "off",
        Fixed("off", ("false", "no", "0")),
        "Whether views are filled elsewhere.",
    ),
    Parameter(
        "upsert_dml",
        "off",
        Fixed("off", ("false", "no", "0")),
        "Whether an UPDATE tells only what is new.",
    ),
)

#: All of them; the peer knows each by its name with ``rw_`` before it too.
PLAN_PARAMETERS: Final = (*_BOOLEANS, *_PARALLELISMS, *_OTHERS, *_FIXED)
