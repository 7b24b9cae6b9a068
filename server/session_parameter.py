"""Session parameters: what SET and SHOW know (PostgreSQL 15, chapter 20, and the peer's).

A parameter is here for one of four reasons, and in the table of its reason: it does something
(``_EFFECTIVE``); it tells something (``_INTERNAL``, and ``_CONFIDENTIAL`` not everybody); clients
set it and the value they set is what holds here anyway (``_FIXED``); or its whole range changes
nothing that could be observed, and drivers, dumps or the peer's tools send it (``_HARMLESS``, each
with why; those that steer how the peer plans are in ``server/plan_parameters.py``). Anything else
is 42704.
"""

from __future__ import annotations

from typing import Final

from catalog.encoding import UTF8, Encoding
from catalog.parameter_kind import (
    Boolean,
    Choice,
    Duration,
    Fixed,
    Integer,
    Internal,
    Text,
)
from server.parameter import Parameter
from server.plan_parameters import PLAN_PARAMETERS
from server.planner_parameters import PLANNER_PARAMETERS

#: What clients take for the server's version and choose their SQL by.
SERVER_VERSION: Final = "15.0"


_EFFECTIVE: Final = (
    Parameter("application_name", "", Text(), "Name of the client program.", is_reported=True),
    Parameter(
        "background_ddl",
        "off",
        Boolean(),
        "Whether CREATE MATERIALIZED VIEW returns before the view is filled.",
    ),
    Parameter(
        "backfill_rate_limit",
        "-1",
        Integer(-1),
        "Rows that the job of a new view reads in a second while it is filled; -1 is no limit, "
        "0 reads nothing.",
    ),
    Parameter(
        "source_rate_limit",
        "-1",
        Integer(-1),
        "Rows that the connector of a new source or table brings in a second; -1 is no limit, "
        "0 brings nothing.",
    ),
    Parameter(
        "check_function_bodies",
        "on",
        Boolean(),
        "Whether CREATE FUNCTION looks at what the function is made of.",
    ),
    Parameter(
        "client_encoding",
        UTF8,
        Encoding(),
        "The encoding of all texts that the client sends and gets.",
        is_reported=True,
    ),
    Parameter(
        "client_min_messages",
        "notice",
        Choice(
            ("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error"),
            {"debug": "debug2", "info": "notice"},
        ),
        "The least severe message that is sent beside results.",
    ),
    Parameter(
        "batch_expr_strict_mode",
        "on",
        Boolean(),
        "Whether an expression that fails for a row ends its query; otherwise it is NULL there.",
    ),
    Parameter("bytea_output", "hex", Choice(("hex", "escape")), "How bytea is shown."),
    Parameter(
        "compatibility",
        "postgres",
        Choice(("postgres", "risingwave")),
        "Whose habits are followed where PostgreSQL and RisingWave differ.",
    ),
    Parameter(
        "DateStyle",
        "ISO, MDY",
        Text(),
        "How dates are shown, and which of two numbers is the month.",
        is_reported=True,
        is_list=True,
    ),
    Parameter(
        "default_transaction_read_only",
        "off",
        Boolean(),
        "Whether new transactions only read.",
        is_reported=True,
    ),
    Parameter(
        "disable_purify_definition",
        "off",
        Boolean(),
        "Whether SHOW CREATE TABLE leaves out the columns that a table has from a query.",
    ),
    Parameter(
        "extra_float_digits",
        "1",
        Integer(-15, 3),
        "Digits of floats; from 1 on the shortest text that gives them again.",
    ),
    Parameter(
        "idle_in_transaction_session_timeout",
        "0",
        Duration(),
        "How long a client may leave a transaction alone; 0 is no limit.",
    ),
    Parameter(
        "idle_session_timeout",
        "0",
        Duration(),
        "How long a client may leave its session alone outside of transactions; 0 is no limit.",
    ),
    Parameter(
        "implicit_flush",
        "on",
        Boolean(),
        "Whether a write returns when its epoch is committed, or once it is durably queued.",
    ),
    Parameter(
        "insert_conflict",
        "upsert",
        Choice(("upsert", "error")),
        "What INSERT does when the key is there: replace the row, or fail with 23505.",
    ),
    Parameter(
        "IntervalStyle",
        "postgres",
        Choice(("postgres", "postgres_verbose", "sql_standard", "iso_8601")),
        "How intervals are shown.",
        is_reported=True,
    ),
    Parameter(
        "lock_timeout",
        "0",
        Duration(),
        "The longest wait for an advisory lock; 0 is no limit. Nothing else is locked.",
    ),
    Parameter(
        "paused_dml",
        "wait",
        Choice(("wait", "error", "queue")),
        "What a write does while its database is paused; what only inserts may be queued.",
    ),
    Parameter(
        "paused_ddl",
        "reject",
        Choice(("reject", "start_paused")),
        "Whether a streaming job may be created while its database is paused, to start at RESUME.",
    ),
    Parameter("role", "none", Text(), "Whose privileges are used; none is the session user's."),
    Parameter(
        "search_path",
        '"$user", public',
        Text(),
        "The schemas in which unqualified names are looked up.",
        is_list=True,
    ),
    Parameter(
        "statement_timeout",
        "0",
        Duration(),
        "The longest time of a statement; 0 is no limit.",
    ),
    Parameter(
        "streaming_expr_strict_mode",
        "off",
        Boolean(),
        "Whether a new view fails when an expression fails for a row; otherwise it is NULL there.",
    ),
    Parameter(
        "streaming_use_snapshot_backfill",
        "on",
        Boolean(),
        "Whether a new view is filled from a snapshot.",
    ),
    Parameter(
        "unsafe_enable_storage_retention_for_non_append_only_tables",
        "off",
        Boolean(),
        "Whether a new table that is not append-only may have retention_seconds.",
    ),
    Parameter(
        "TimeZone",
        "UTC",
        Text(),
        "The zone in which timestamps with time zone are read and shown.",
        is_reported=True,
    ),
    Parameter(
        "transaction_read_only", "off", Boolean(), "Whether the current transaction only reads."
    ),
)

_INTERNAL: Final = tuple(
    Parameter(name, value, Internal(), description, is_reported=is_reported)
    for name, value, description, is_reported in (
        # Nothing here is done by processes beside this one.
        ("autovacuum_max_workers", "0", "Processes that vacuum by themselves.", False),
        ("in_hot_standby", "off", "Whether this is a standby.", True),
        ("integer_datetimes", "on", "Whether times are whole microseconds.", True),
        ("is_superuser", "off", "Whether the user is a superuser.", True),
        ("lc_collate", "C", "The order of texts.", False),
        ("lc_ctype", "C", "The classes of characters.", False),
        ("max_connections", "1000", "The most connections at a time.", False),
        ("max_identifier_length", "63", "The longest name, in bytes.", False),
        ("max_index_keys", "32", "The most columns of a key.", False),
        ("max_logical_replication_workers", "0", "Processes that apply changes.", False),
        ("max_parallel_workers", "0", "Processes that help with queries.", False),
        ("max_replication_slots", "0", "Places that are kept for replicas.", False),
        ("max_wal_senders", "0", "Processes that serve replicas.", False),
        ("max_worker_processes", "0", "Processes beside those of clients.", False),
        ("server_encoding", "UTF8", "The encoding of the databases.", True),
        ("server_version", SERVER_VERSION, "The version of PostgreSQL that is spoken.", True),
        ("server_version_num", "150000", "The same as a number.", False),
        ("session_authorization", "", "The user of the session.", True),
    )
)

_CONFIDENTIAL: Final = (
    Parameter(
        "data_directory",
        "",
        Internal(),
        "Where the data is; empty is in memory.",
        is_confidential=True,
    ),
)

_SNAPSHOT_LEVELS: Final = ("read uncommitted", "read committed", "repeatable read")

_FIXED: Final = (
    Parameter("array_nulls", "on", Fixed("on", ("true", "yes", "1")), "NULL in texts of arrays."),
    Parameter(
        "backslash_quote", "safe_encoding", Fixed("safe_encoding"), "Whether \\' is a quote in E''."
    ),
    *(
        Parameter(name, "C", Fixed("C", ("posix", "")), "How values are shown in other languages.")
        for name in ("lc_monetary", "lc_numeric", "lc_time")
    ),
    Parameter("temp_tablespaces", "", Fixed(""), "Where temporary tables are stored."),
    Parameter(
        "transform_null_equals",
        "off",
        Fixed("off", ("false", "no", "0")),
        "Whether = NULL means IS NULL.",
    ),
    Parameter("default_table_access_method", "heap", Fixed("heap"), "How tables are stored."),
    Parameter("default_tablespace", "", Fixed(""), "Where tables are stored."),
    Parameter(
        "password_encryption",
        "scram-sha-256",
        Fixed("scram-sha-256", ("on", "true", "yes", "1")),
        "What is kept instead of a password.",
    ),
    Parameter("query_epoch", "0", Fixed("0"), "The epoch that is read; 0 is the latest."),
    Parameter(
        "standard_conforming_strings",
        "on",
        Fixed("on", ("true", "yes", "1")),
        "Whether a backslash in '...' is itself.",
        is_reported=True,
    ),
    Parameter("xmloption", "content", Fixed("content"), "What XML texts are."),
)

_HARMLESS: Final = (
    # Rings of sessions that wait for each other are looked for at once.
    Parameter("deadlock_timeout", "1s", Duration(), "When deadlocks are looked for; at once."),
    # A snapshot is at least each of the levels that may be asked for, but for SERIALIZABLE, which
    # is more.
    *(
        Parameter(
            name,
            "repeatable read",
            Choice((*_SNAPSHOT_LEVELS, "serializable")),
            "What transactions see of each other; always one snapshot, or one after the other.",
        )
        for name in ("default_transaction_isolation", "transaction_isolation")
    ),
    # A planner's hint of asyncpg around its catalog queries.
    Parameter("jit", "off", Boolean(), "Just-in-time compilation; there is none."),
    # The peer's: there is one process, and what is read is always committed.
    Parameter(
        "query_mode", "auto", Choice(("auto", "local", "distributed")), "Where queries run; here."
    ),
    Parameter(
        "visibility_mode",
        "default",
        Choice(("default", "all", "checkpoint")),
        "Which epochs are read; only committed ones exist.",
    ),
    # What is committed is durable.
    Parameter(
        "synchronous_commit",
        "on",
        Choice(
            ("local", "remote_write", "remote_apply", "on", "off"),
            {"true": "on", "yes": "on", "1": "on", "false": "off", "no": "off", "0": "off"},
        ),
        "Whether COMMIT waits for the disk; it always does.",
    ),
    # Nobody waits for others.
    *(
        Parameter(name, "off", Boolean(), "Whether a transaction waits for a safe snapshot; none.")
        for name in ("default_transaction_deferrable", "transaction_deferrable")
    ),
    Parameter(
        "escape_string_warning",
        "on",
        Boolean(),
        "Warnings of backslashes in '...'; none are given.",
    ),
    # There are no row policies; a dump turns it off, so that it fails rather than misses rows.
    Parameter("row_security", "on", Boolean(), "Row policies; there are none."),
    # A dump turns it off; the order of rows without ORDER BY is nobody's promise.
    Parameter("synchronize_seqscans", "on", Boolean(), "Whether scans share their position."),
)

#: Every parameter by its name in lower case.
PARAMETERS: Final[dict[str, Parameter]] = {
    p.name.lower(): p
    for p in (
        *_EFFECTIVE,
        *_INTERNAL,
        *_CONFIDENTIAL,
        *_FIXED,
        *_HARMLESS,
        *PLAN_PARAMETERS,
        *PLANNER_PARAMETERS,
    )
}

#: Parameters of RisingWave's that PostgreSQL does not have, in lower case: Booleans among them are
#: shown as it shows them.
PEERS_OWN: Final = frozenset(
    {
        *("background_ddl", "backfill_rate_limit", "batch_expr_strict_mode", "implicit_flush"),
        "source_rate_limit",
        *("disable_purify_definition", "query_epoch", "query_mode", "visibility_mode"),
        *("streaming_expr_strict_mode", "streaming_use_snapshot_backfill"),
        "unsafe_enable_storage_retention_for_non_append_only_tables",
        *(p.name.lower() for p in PLAN_PARAMETERS),
    }
)

#: Other names, in lower case. The peer has ``rw_`` before those that are its own.
ALIASES: Final[dict[str, str]] = {
    "rw_implicit_flush": "implicit_flush",
    "rw_background_ddl": "background_ddl",
    "rw_source_rate_limit": "source_rate_limit",
    "rw_streaming_use_snapshot_backfill": "streaming_use_snapshot_backfill",
    **{f"rw_{p.name}": p.name for p in PLAN_PARAMETERS},
    "time zone": "timezone",
    "transaction isolation level": "transaction_isolation",
    "session authorization": "session_authorization",
}
