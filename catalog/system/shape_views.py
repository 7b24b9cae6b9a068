"""The views of pg_catalog as PostgreSQL 15 has them (chapters 28 and 54)."""

from __future__ import annotations

from typing import Final

#: A line each, those that go on are indented: OID, name, then columns as in CREATE TABLE.
VIEWS: Final = """
12000 pg_roles rolname name, rolsuper boolean, rolinherit boolean, rolcreaterole boolean,
  rolcreatedb boolean, rolcanlogin boolean, rolreplication boolean, rolconnlimit integer,
  rolpassword text, rolvaliduntil timestamp with time zone, rolbypassrls boolean, rolconfig
  text[], oid oid
12005 pg_shadow usename name, usesysid oid, usecreatedb boolean, usesuper boolean, userepl
  boolean, usebypassrls boolean, passwd text, valuntil timestamp with time zone, useconfig text[]
12010 pg_group groname name, grosysid oid, grolist oid[]
12014 pg_user usename name, usesysid oid, usecreatedb boolean, usesuper boolean, userepl boolean,
  usebypassrls boolean, passwd text, valuntil timestamp with time zone, useconfig text[]
12018 pg_policies schemaname name, tablename name, policyname name, permissive text, roles name[],
  cmd text, qual text, with_check text
12023 pg_rules schemaname name, tablename name, rulename name, definition text
12028 pg_views schemaname name, viewname name, viewowner name, definition text
12033 pg_tables schemaname name, tablename name, tableowner name, tablespace name, hasindexes
  boolean, hasrules boolean, hastriggers boolean, rowsecurity boolean
12038 pg_matviews schemaname name, matviewname name, matviewowner name, tablespace name,
  hasindexes boolean, ispopulated boolean, definition text
12043 pg_indexes schemaname name, tablename name, indexname name, tablespace name, indexdef text
12048 pg_sequences schemaname name, sequencename name, sequenceowner name, data_type regtype,
  start_value bigint, min_value bigint, max_value bigint, increment_by bigint, cycle boolean,
  cache_size bigint, last_value bigint
12053 pg_stats schemaname name, tablename name, attname name, inherited boolean, null_frac real,
  avg_width integer, n_distinct real, most_common_vals anyarray, most_common_freqs real[],
  histogram_bounds anyarray, correlation real, most_common_elems anyarray, most_common_elem_freqs
  real[], elem_count_histogram real[]
12058 pg_stats_ext schemaname name, tablename name, statistics_schemaname name, statistics_name
  name, statistics_owner name, attnames name[], exprs text[], kinds "char"[], inherited boolean,
  n_distinct pg_ndistinct, dependencies pg_dependencies, most_common_vals text[],
  most_common_val_nulls boolean[], most_common_freqs double precision[], most_common_base_freqs
  double precision[]
12063 pg_stats_ext_exprs schemaname name, tablename name, statistics_schemaname name,
  statistics_name name, statistics_owner name, expr text, inherited boolean, null_frac real,
  avg_width integer, n_distinct real, most_common_vals anyarray, most_common_freqs real[],
  histogram_bounds anyarray, correlation real, most_common_elems anyarray, most_common_elem_freqs
  real[], elem_count_histogram real[]
12068 pg_publication_tables pubname name, schemaname name, tablename name, attnames name[],
  rowfilter text
12073 pg_locks locktype text, database oid, relation oid, page integer, tuple smallint, virtualxid
  text, transactionid xid, classid oid, objid oid, objsubid smallint, virtualtransaction text, pid
  integer, mode text, granted boolean, fastpath boolean, waitstart timestamp with time zone
12077 pg_cursors name text, statement text, is_holdable boolean, is_binary boolean, is_scrollable
  boolean, creation_time timestamp with time zone
12081 pg_available_extensions name name, default_version text, installed_version text, comment
  text
12085 pg_available_extension_versions name name, version text, installed boolean, superuser
  boolean, trusted boolean, relocatable boolean, schema name, requires name[], comment text
12090 pg_prepared_xacts transaction xid, gid text, prepared timestamp with time zone, owner name,
  database name
12095 pg_prepared_statements name text, statement text, prepare_time timestamp with time zone,
  parameter_types regtype[], from_sql boolean, generic_plans bigint, custom_plans bigint
12099 pg_seclabels objoid oid, classoid oid, objsubid integer, objtype text, objnamespace oid,
  objname text, provider text, label text
12104 pg_settings name text, setting text, unit text, category text, short_desc text, extra_desc
  text, context text, vartype text, source text, min_val text, max_val text, enumvals text[],
  boot_val text, reset_val text, sourcefile text, sourceline integer, pending_restart boolean
12110 pg_file_settings sourcefile text, sourceline integer, seqno integer, name text, setting
  text, applied boolean, error text
12114 pg_hba_file_rules line_number integer, type text, database text[], user_name text[], address
  text, netmask text, auth_method text, options text[], error text
12118 pg_ident_file_mappings line_number integer, map_name text, sys_name text, pg_username text,
  error text
12122 pg_timezone_abbrevs abbrev text, utc_offset interval, is_dst boolean
12126 pg_timezone_names name text, abbrev text, utc_offset interval, is_dst boolean
12130 pg_config name text, setting text
12134 pg_shmem_allocations name text, off bigint, size bigint, allocated_size bigint
12138 pg_backend_memory_contexts name text, ident text, parent text, level integer, total_bytes
  bigint, total_nblocks bigint, free_bytes bigint, free_chunks bigint, used_bytes bigint
12142 pg_stat_all_tables relid oid, schemaname name, relname name, seq_scan bigint, seq_tup_read
  bigint, idx_scan bigint, idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint, n_tup_del
  bigint, n_tup_hot_upd bigint, n_live_tup bigint, n_dead_tup bigint, n_mod_since_analyze bigint,
  n_ins_since_vacuum bigint, last_vacuum timestamp with time zone, last_autovacuum timestamp with
  time zone, last_analyze timestamp with time zone, last_autoanalyze timestamp with time zone,
  vacuum_count bigint, autovacuum_count bigint, analyze_count bigint, autoanalyze_count bigint
12147 pg_stat_xact_all_tables relid oid, schemaname name, relname name, seq_scan bigint,
  seq_tup_read bigint, idx_scan bigint, idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint,
  n_tup_del bigint, n_tup_hot_upd bigint
12152 pg_stat_sys_tables relid oid, schemaname name, relname name, seq_scan bigint, seq_tup_read
  bigint, idx_scan bigint, idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint, n_tup_del
  bigint, n_tup_hot_upd bigint, n_live_tup bigint, n_dead_tup bigint, n_mod_since_analyze bigint,
  n_ins_since_vacuum bigint, last_vacuum timestamp with time zone, last_autovacuum timestamp with
  time zone, last_analyze timestamp with time zone, last_autoanalyze timestamp with time zone,
  vacuum_count bigint, autovacuum_count bigint, analyze_count bigint, autoanalyze_count bigint
12157 pg_stat_xact_sys_tables relid oid, schemaname name, relname name, seq_scan bigint,
  seq_tup_read bigint, idx_scan bigint, idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint,
  n_tup_del bigint, n_tup_hot_upd bigint
12161 pg_stat_user_tables relid oid, schemaname name, relname name, seq_scan bigint, seq_tup_read
  bigint, idx_scan bigint, idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint, n_tup_del
  bigint, n_tup_hot_upd bigint, n_live_tup bigint, n_dead_tup bigint, n_mod_since_analyze bigint,
  n_ins_since_vacuum bigint, last_vacuum timestamp with time zone, last_autovacuum timestamp with
  time zone, last_analyze timestamp with time zone, last_autoanalyze timestamp with time zone,
  vacuum_count bigint, autovacuum_count bigint, analyze_count bigint, autoanalyze_count bigint
12166 pg_stat_xact_user_tables relid oid, schemaname name, relname name, seq_scan bigint,
  seq_tup_read bigint, idx_scan bigint, idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint,
  n_tup_del bigint, n_tup_hot_upd bigint
12170 pg_statio_all_tables relid oid, schemaname name, relname name, heap_blks_read bigint,
  heap_blks_hit bigint, idx_blks_read bigint, idx_blks_hit bigint, toast_blks_read bigint,
  toast_blks_hit bigint, tidx_blks_read bigint, tidx_blks_hit bigint
12175 pg_statio_sys_tables relid oid, schemaname name, relname name, heap_blks_read bigint,
  heap_blks_hit bigint, idx_blks_read bigint, idx_blks_hit bigint, toast_blks_read bigint,
  toast_blks_hit bigint, tidx_blks_read bigint, tidx_blks_hit bigint
12179 pg_statio_user_tables relid oid, schemaname name, relname name, heap_blks_read bigint,
  heap_blks_hit bigint, idx_blks_read bigint, idx_blks_hit bigint, toast_blks_read bigint,
  toast_blks_hit bigint, tidx_blks_read bigint, tidx_blks_hit bigint
12183 pg_stat_all_indexes relid oid, indexrelid oid, schemaname name, relname name, indexrelname
  name, idx_scan bigint, idx_tup_read bigint, idx_tup_fetch bigint
12188 pg_stat_sys_indexes relid oid, indexrelid oid, schemaname name, relname name, indexrelname
  name, idx_scan bigint, idx_tup_read bigint, idx_tup_fetch bigint
12192 pg_stat_user_indexes relid oid, indexrelid oid, schemaname name, relname name, indexrelname
  name, idx_scan bigint, idx_tup_read bigint, idx_tup_fetch bigint
12196 pg_statio_all_indexes relid oid, indexrelid oid, schemaname name, relname name, indexrelname
  name, idx_blks_read bigint, idx_blks_hit bigint
12201 pg_statio_sys_indexes relid oid, indexrelid oid, schemaname name, relname name, indexrelname
  name, idx_blks_read bigint, idx_blks_hit bigint
12205 pg_statio_user_indexes relid oid, indexrelid oid, schemaname name, relname name,
  indexrelname name, idx_blks_read bigint, idx_blks_hit bigint
12209 pg_statio_all_sequences relid oid, schemaname name, relname name, blks_read bigint, blks_hit
  bigint
12214 pg_statio_sys_sequences relid oid, schemaname name, relname name, blks_read bigint, blks_hit
  bigint
12218 pg_statio_user_sequences relid oid, schemaname name, relname name, blks_read bigint,
  blks_hit bigint
12222 pg_stat_activity datid oid, datname name, pid integer, leader_pid integer, usesysid oid,
  usename name, application_name text, client_addr inet, client_hostname text, client_port
  integer, backend_start timestamp with time zone, xact_start timestamp with time zone,
  query_start timestamp with time zone, state_change timestamp with time zone, wait_event_type
  text, wait_event text, state text, backend_xid xid, backend_xmin xid, query_id bigint, query
  text, backend_type text
12227 pg_stat_replication pid integer, usesysid oid, usename name, application_name text,
  client_addr inet, client_hostname text, client_port integer, backend_start timestamp with time
  zone, backend_xmin xid, state text, sent_lsn pg_lsn, write_lsn pg_lsn, flush_lsn pg_lsn,
  replay_lsn pg_lsn, write_lag interval, flush_lag interval, replay_lag interval, sync_priority
  integer, sync_state text, reply_time timestamp with time zone
12232 pg_stat_slru name text, blks_zeroed bigint, blks_hit bigint, blks_read bigint, blks_written
  bigint, blks_exists bigint, flushes bigint, truncates bigint, stats_reset timestamp with time
  zone
12236 pg_stat_wal_receiver pid integer, status text, receive_start_lsn pg_lsn, receive_start_tli
  integer, written_lsn pg_lsn, flushed_lsn pg_lsn, received_tli integer, last_msg_send_time
  timestamp with time zone, last_msg_receipt_time timestamp with time zone, latest_end_lsn pg_lsn,
  latest_end_time timestamp with time zone, slot_name text, sender_host text, sender_port integer,
  conninfo text
12240 pg_stat_recovery_prefetch stats_reset timestamp with time zone, prefetch bigint, hit bigint,
  skip_init bigint, skip_new bigint, skip_fpw bigint, skip_rep bigint, wal_distance integer,
  block_distance integer, io_depth integer
12244 pg_stat_subscription subid oid, subname name, pid integer, relid oid, received_lsn pg_lsn,
  last_msg_send_time timestamp with time zone, last_msg_receipt_time timestamp with time zone,
  latest_end_lsn pg_lsn, latest_end_time timestamp with time zone
12249 pg_stat_ssl pid integer, ssl boolean, version text, cipher text, bits integer, client_dn
  text, client_serial numeric, issuer_dn text
12253 pg_stat_gssapi pid integer, gss_authenticated boolean, principal text, encrypted boolean
12257 pg_replication_slots slot_name name, plugin name, slot_type text, datoid oid, database name,
  temporary boolean, active boolean, active_pid integer, xmin xid, catalog_xmin xid, restart_lsn
  pg_lsn, confirmed_flush_lsn pg_lsn, wal_status text, safe_wal_size bigint, two_phase boolean
12262 pg_stat_replication_slots slot_name text, spill_txns bigint, spill_count bigint, spill_bytes
  bigint, stream_txns bigint, stream_count bigint, stream_bytes bigint, total_txns bigint,
  total_bytes bigint, stats_reset timestamp with time zone
12266 pg_stat_database datid oid, datname name, numbackends integer, xact_commit bigint,
  xact_rollback bigint, blks_read bigint, blks_hit bigint, tup_returned bigint, tup_fetched
  bigint, tup_inserted bigint, tup_updated bigint, tup_deleted bigint, conflicts bigint,
  temp_files bigint, temp_bytes bigint, deadlocks bigint, checksum_failures bigint,
  checksum_last_failure timestamp with time zone, blk_read_time double precision, blk_write_time
  double precision, session_time double precision, active_time double precision,
  idle_in_transaction_time double precision, sessions bigint, sessions_abandoned bigint,
  sessions_fatal bigint, sessions_killed bigint, stats_reset timestamp with time zone
12271 pg_stat_database_conflicts datid oid, datname name, confl_tablespace bigint, confl_lock
  bigint, confl_snapshot bigint, confl_bufferpin bigint, confl_deadlock bigint
12275 pg_stat_user_functions funcid oid, schemaname name, funcname name, calls bigint, total_time
  double precision, self_time double precision
12280 pg_stat_xact_user_functions funcid oid, schemaname name, funcname name, calls bigint,
  total_time double precision, self_time double precision
12285 pg_stat_archiver archived_count bigint, last_archived_wal text, last_archived_time timestamp
  with time zone, failed_count bigint, last_failed_wal text, last_failed_time timestamp with time
  zone, stats_reset timestamp with time zone
12289 pg_stat_bgwriter checkpoints_timed bigint, checkpoints_req bigint, checkpoint_write_time
  double precision, checkpoint_sync_time double precision, buffers_checkpoint bigint,
  buffers_clean bigint, maxwritten_clean bigint, buffers_backend bigint, buffers_backend_fsync
  bigint, buffers_alloc bigint, stats_reset timestamp with time zone
12293 pg_stat_wal wal_records bigint, wal_fpi bigint, wal_bytes numeric, wal_buffers_full bigint,
  wal_write bigint, wal_sync bigint, wal_write_time double precision, wal_sync_time double
  precision, stats_reset timestamp with time zone
12297 pg_stat_progress_analyze pid integer, datid oid, datname name, relid oid, phase text,
  sample_blks_total bigint, sample_blks_scanned bigint, ext_stats_total bigint, ext_stats_computed
  bigint, child_tables_total bigint, child_tables_done bigint, current_child_table_relid oid
12302 pg_stat_progress_vacuum pid integer, datid oid, datname name, relid oid, phase text,
  heap_blks_total bigint, heap_blks_scanned bigint, heap_blks_vacuumed bigint, index_vacuum_count
  bigint, max_dead_tuples bigint, num_dead_tuples bigint
12307 pg_stat_progress_cluster pid integer, datid oid, datname name, relid oid, command text,
  phase text, cluster_index_relid oid, heap_tuples_scanned bigint, heap_tuples_written bigint,
  heap_blks_total bigint, heap_blks_scanned bigint, index_rebuild_count bigint
12312 pg_stat_progress_create_index pid integer, datid oid, datname name, relid oid, index_relid
  oid, command text, phase text, lockers_total bigint, lockers_done bigint, current_locker_pid
  bigint, blocks_total bigint, blocks_done bigint, tuples_total bigint, tuples_done bigint,
  partitions_total bigint, partitions_done bigint
12317 pg_stat_progress_basebackup pid integer, phase text, backup_total bigint, backup_streamed
  bigint, tablespaces_total bigint, tablespaces_streamed bigint
12322 pg_stat_progress_copy pid integer, datid oid, datname name, relid oid, command text, type
  text, bytes_processed bigint, bytes_total bigint, tuples_processed bigint, tuples_excluded
  bigint
12327 pg_user_mappings umid oid, srvid oid, srvname name, umuser oid, usename name, umoptions
  text[]
12332 pg_replication_origin_status local_id oid, external_id text, remote_lsn pg_lsn, local_lsn
  pg_lsn
12336 pg_stat_subscription_stats subid oid, subname name, apply_error_count bigint,
  sync_error_count bigint, stats_reset timestamp with time zone
"""
