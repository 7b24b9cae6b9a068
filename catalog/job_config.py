"""The configuration of one streaming job: what ALTER ... SET CONFIG knows.

The parameters are RisingWave's, those of ``[streaming]`` in its configuration, named and checked as
it does. They are about channels, caches and threads of its engine, of which there are none here, so
that none of them has an effect; what does something for a job here is set by statements of its own
(rate limits, PAUSE). Values are kept as RisingWave shows them, which is as TOML writes them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from catalog.errors import InvalidParameterValue, SqlSyntaxError

#: A job's parameters and their values, in the order of their names.
JobConfig: TypeAlias = tuple[tuple[str, str], ...]

#: A value as it is written: a number's text has its own type, since 1 and '1' are not the same.
WrittenValue: TypeAlias = "Number | str | bool | None"

_PREFIX: Final = "streaming."


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """``key = value``; None takes the key away."""

    key: str
    value: WrittenValue
    position: int | None = None


class _Kind(Protocol):
    """The values of one parameter."""

    def shown(self, value: Number | str | bool) -> str | None:  # noqa: FBT001 - a value
        """Return a value as it is kept; None when it is none of this kind."""
        ...

    @property
    def name(self) -> str:
        """What messages call such a parameter."""
        ...


@dataclass(frozen=True, slots=True)
class _Whole:
    """A whole number from 0; where it is optional, the empty text is none."""

    bits: int = 64
    is_optional: bool = False
    name: str = "integer"

    def shown(self, value: Number | str | bool) -> str | None:  # noqa: FBT001
        if value == "" and self.is_optional:
            return '""'
        if not isinstance(value, Number) or not value.text.removeprefix("-").isdecimal():
            return None
        return str(int(value.text)) if 0 <= int(value.text) < 2**self.bits else None


@dataclass(frozen=True, slots=True)
class _Real:
    """A number; where it is optional, the empty text is none."""

    is_optional: bool = False
    name: str = "floating point"

    def shown(self, value: Number | str | bool) -> str | None:  # noqa: FBT001
        if value == "" and self.is_optional:
            return '""'
        if not isinstance(value, Number) or not math.isfinite(float(value.text)):
            return None
        whole = value.text.removeprefix("-").isdecimal()
        return str(int(value.text)) if whole else str(float(value.text))


@dataclass(frozen=True, slots=True)
class _Switch:
    """True or false."""

    name: str = "boolean"

    def shown(self, value: Number | str | bool) -> str | None:  # noqa: FBT001
        return str(value).lower() if isinstance(value, bool) else None


@dataclass(frozen=True, slots=True)
class _OneOf:
    """One of some words, in any case."""

    words: tuple[str, ...]
    name: str = "enum"

    def shown(self, value: Number | str | bool) -> str | None:  # noqa: FBT001
        is_one = isinstance(value, str) and value.lower().replace("-", "_") in self.words
        return json.dumps(value) if is_one else None


_COUNT: Final = _Whole()
_SWITCH: Final = _Switch()
_SHARE: Final = _Real()

_DEVELOPER: Final[dict[str, _Kind]] = {
    "aggressive_noop_update_elimination": _SWITCH,
    "cache_refill_policy": _OneOf(("enabled", "disabled", "streaming", "serving", "both")),
    "chunk_size": _COUNT,
    "compute_client_config.connect_timeout_secs": _COUNT,
    "compute_client_config.pool_setup_concurrency": _COUNT,
    "connector_message_buffer_size": _COUNT,
    "default_enable_mem_preload_state_table": _SWITCH,
    "disable_sync_log_store_dispatcher": _SWITCH,
    "dml_channel_initial_permits": _COUNT,
    "enable_actor_tokio_metrics": _SWITCH,
    "enable_arrangement_backfill": _SWITCH,
    "enable_auto_schema_change": _SWITCH,
    "enable_executor_row_count": _SWITCH,
    "enable_explain_analyze_stats": _SWITCH,
    "enable_shared_source": _SWITCH,
    "enable_snapshot_backfill": _SWITCH,
    "enable_state_table_vnode_stats_pruning": _SWITCH,
    "enable_vnode_key_stats_for_materialize": _SWITCH,
    "exchange_batched_permits": _COUNT,
    "exchange_concurrent_barriers": _COUNT,
    "exchange_concurrent_dispatchers": _COUNT,
    "exchange_connection_pool_size": _Whole(16, is_optional=True),
    "exchange_initial_permits": _COUNT,
    "hash_agg_max_dirty_groups_heap_size": _COUNT,
    "hash_join_entry_state_max_rows": _COUNT,
    "high_gap_fill_amplification_threshold": _COUNT,
    "high_join_amplification_threshold": _COUNT,
    "iceberg_fetch_batch_size": _COUNT,
    "iceberg_list_interval_sec": _COUNT,
    "iceberg_sink_positional_delete_cache_size": _COUNT,
    "iceberg_sink_write_parquet_max_row_group_rows": _COUNT,
    "join_encoding_type": _OneOf(("memory_optimized", "cpu_optimized")),
    "join_hash_map_evict_interval_rows": _Whole(32),
    "materialize_force_overwrite_on_no_check": _SWITCH,
    "max_barrier_batch_size": _Whole(32),
    "max_concurrent_kv_log_store_historical_read": _COUNT,
    "memory_controller_eviction_factor_aggressive": _SHARE,
    "memory_controller_eviction_factor_graceful": _SHARE,
    "memory_controller_eviction_factor_stable": _SHARE,
    "memory_controller_sequence_tls_lag": _COUNT,
    "memory_controller_sequence_tls_step": _COUNT,
    "memory_controller_threshold_aggressive": _SHARE,
    "memory_controller_threshold_graceful": _SHARE,
    "memory_controller_threshold_stable": _SHARE,
    "memory_controller_update_interval_ms": _COUNT,
    "now_progress_ratio": _Real(is_optional=True),
    "over_window_cache_policy": _OneOf(("full", "recent", "recent_first_n", "recent_last_n")),
    "project_expr_concurrency": _COUNT,
    "project_expr_inflight_request_concurrency": _COUNT,
    "refresh_scheduler_interval_sec": _COUNT,
    "snapshot_iter_rebuild_interval_secs": _COUNT,
    "switch_jdbc_pg_to_native": _SWITCH,
    "sync_log_store_buffer_size": _COUNT,
    "sync_log_store_pause_duration_ms": _COUNT,
    "topn_cache_min_capacity": _COUNT,
    "unsafe_extreme_cache_size": _COUNT,
}
_KINDS: Final[dict[str, _Kind]] = {
    **{f"{_PREFIX}developer.{name}": kind for name, kind in _DEVELOPER.items()},
    "streaming.actor_runtime_worker_threads_num": _Whole(is_optional=True),
    "streaming.async_stack_trace": _OneOf(("off", "on", "release_verbose")),
    "streaming.in_flight_barrier_nums": _COUNT,
    "streaming.snapshot_backfill_barrier_amplification_factor": _COUNT,
    "streaming.snapshot_backfill_finish_max_lagged_barriers": _COUNT,
    "streaming.unique_user_stream_errors": _COUNT,
    "streaming.unsafe_disable_strict_consistency": _SWITCH,
}

#: Session parameters that a new job's configuration begins with where they are set.
FROM_SESSION: Final[dict[str, str]] = {
    "streaming_join_encoding": "streaming.developer.join_encoding_type",
    "streaming_sync_log_store_pause_duration_ms": (
        "streaming.developer.sync_log_store_pause_duration_ms"
    ),
    "streaming_sync_log_store_buffer_size": "streaming.developer.sync_log_store_buffer_size",
    "streaming_over_window_cache_policy": "streaming.developer.over_window_cache_policy",
    "streaming_cache_refill_policy": "streaming.developer.cache_refill_policy",
}


def initial_config(settings: Mapping[str, str]) -> JobConfig:
    """Return what a new job's configuration begins with.

    Args:
        settings: The values of the session's parameters that ``FROM_SESSION`` names, canonical;
            empty where they are not set.
    """
    found = []
    for name, key in FROM_SESSION.items():
        if text := settings[name]:
            value = Number(text) if text.isdecimal() else text
            shown = _KINDS[key].shown(value)
            if shown is not None:
                found.append((key, shown))
    return tuple(sorted(found))


def changed_config(had: JobConfig, given: Sequence[ConfigEntry]) -> JobConfig:
    """Return a job's configuration after ALTER has changed it.

    Raises:
        SqlSyntaxError: A key is given twice, or is no streaming job's.
        InvalidParameterValue: A key is not known, or a value is none of its.
    """
    _check_keys(given)
    config = dict(had)
    for entry in given:
        if entry.value is None:
            config.pop(entry.key, None)
        else:
            config[entry.key] = _shown(entry.key, entry.value, entry.position)
    return tuple(sorted(config.items()))


def _check_keys(given: Iterable[ConfigEntry]) -> None:
    seen: set[str] = set()
    unknown: list[ConfigEntry] = []
    for entry in given:
        if not entry.key.startswith(_PREFIX):
            raise SqlSyntaxError(
                "the configuration of a streaming job takes only parameters that begin with "
                f'"{_PREFIX}"',
                position=entry.position,
            )
        if entry.key in seen:
            raise SqlSyntaxError(
                f'parameter "{entry.key}" specified more than once', position=entry.position
            )
        seen.add(entry.key)
        if entry.key not in _KINDS:
            unknown.append(entry)
    if unknown:
        names = ", ".join(f'"{entry.key}"' for entry in unknown)
        raise InvalidParameterValue(
            f"unrecognized parameter{'s' * (len(unknown) > 1)} of streaming jobs: {names}",
            position=unknown[0].position,
        )


def _shown(key: str, value: Number | str | bool, position: int | None) -> str:  # noqa: FBT001
    kind = _KINDS[key]
    shown = kind.shown(value)
    if shown is not None:
        return shown
    said = value.text if isinstance(value, Number) else str(value)
    detail = None
    if isinstance(kind, _OneOf):
        *others, last = (f'"{word}"' for word in kind.words)
        detail = f"Valid values are {', '.join(others)}, and {last}."
        if len(others) == 1:
            detail = f"Valid values are {others[0]} and {last}."
    raise InvalidParameterValue(
        f'invalid value for {kind.name} option "{key}": {said}', detail=detail, position=position
    )
