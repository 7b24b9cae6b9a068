"""PostgreSQL's parameters that steer its planner and how much memory and help a query has.

No row depends on them, so a script that sets them gets the same answers here, where the engine
plans by itself. Each is checked as PostgreSQL checks it, shown, and changes nothing. Source:
PostgreSQL 15, chapters 20.4 and 20.7.
"""

from __future__ import annotations

from typing import Final

from catalog.parameter_kind import INT4_MAX, Boolean, Choice, Integer, Kind, Real, Size
from server.parameter import Parameter

_WHY: Final = "The engine plans by itself."

#: Which ways of doing something may be taken; those behind ``enable_``.
_METHODS: Final = """
    async_append bitmapscan gathermerge hashagg hashjoin incremental_sort indexonlyscan indexscan
    material memoize mergejoin nestloop parallel_append parallel_hash partition_pruning seqscan sort
    tidscan
"""
_METHODS_OFF: Final = "partitionwise_aggregate partitionwise_join"

_HUGE: Final = 1.79769e308

_OTHERS: Final[tuple[tuple[str, str, Kind], ...]] = (
    ("backend_flush_after", "0", Size(0, 256, 8)),
    ("constraint_exclusion", "partition", Choice(("partition", "on", "off"))),
    ("cpu_index_tuple_cost", "0.005", Real(0, _HUGE)),
    ("cpu_operator_cost", "0.0025", Real(0, _HUGE)),
    ("cpu_tuple_cost", "0.01", Real(0, _HUGE)),
    ("cursor_tuple_fraction", "0.1", Real(0, 1)),
    ("default_statistics_target", "100", Integer(1, 10000)),
    ("effective_cache_size", "4GB", Size(1, INT4_MAX, 8)),
    ("effective_io_concurrency", "1", Integer(0, 1000)),
    ("from_collapse_limit", "8", Integer(1)),
    ("geqo", "on", Boolean()),
    ("geqo_effort", "5", Integer(1, 10)),
    ("geqo_generations", "0", Integer()),
    ("geqo_pool_size", "0", Integer()),
    ("geqo_seed", "0", Real(0, 1)),
    ("geqo_selection_bias", "2", Real(1.5, 2)),
    ("geqo_threshold", "12", Integer(2)),
    ("hash_mem_multiplier", "2", Real(1, 1000)),
    ("jit_above_cost", "100000", Real(-1, _HUGE)),
    ("jit_inline_above_cost", "500000", Real(-1, _HUGE)),
    ("jit_optimize_above_cost", "500000", Real(-1, _HUGE)),
    ("join_collapse_limit", "8", Integer(1)),
    ("logical_decoding_work_mem", "64MB", Size(64, INT4_MAX)),
    ("maintenance_io_concurrency", "10", Integer(0, 1000)),
    ("maintenance_work_mem", "64MB", Size(1024, INT4_MAX)),
    ("max_parallel_maintenance_workers", "2", Integer(0, 1024)),
    ("max_parallel_workers_per_gather", "2", Integer(0, 1024)),
    ("min_parallel_index_scan_size", "512kB", Size(0, 715827882, 8)),
    ("min_parallel_table_scan_size", "8MB", Size(0, 715827882, 8)),
    ("parallel_leader_participation", "on", Boolean()),
    ("parallel_setup_cost", "1000", Real(0, _HUGE)),
    ("parallel_tuple_cost", "0.1", Real(0, _HUGE)),
    (
        "plan_cache_mode",
        "auto",
        Choice(("auto", "force_generic_plan", "force_custom_plan")),
    ),
    ("random_page_cost", "4", Real(0, _HUGE)),
    ("recursive_worktable_factor", "10", Real(0.001, 1e6)),
    ("seq_page_cost", "1", Real(0, _HUGE)),
    ("temp_buffers", "8MB", Size(100, 1073741823, 8)),
    ("work_mem", "4MB", Size(64, INT4_MAX)),
)

PLANNER_PARAMETERS: Final = (
    *(
        Parameter(f"enable_{method}", default, Boolean(), f"A way to run queries. {_WHY}")
        for methods, default in ((_METHODS, "on"), (_METHODS_OFF, "off"))
        for method in methods.split()
    ),
    *(
        Parameter(name, default, kind, f"PostgreSQL's planner or memory. {_WHY}")
        for name, default, kind in _OTHERS
    ),
)
