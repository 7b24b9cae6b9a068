"""The tables of pg_catalog as PostgreSQL 15 has them (chapter 53)."""

from __future__ import annotations

from typing import Final

#: A line each, those that go on are indented: OID, name, then columns as in CREATE TABLE.
TABLES: Final = """
826 pg_default_acl oid oid, defaclrole oid, defaclnamespace oid, defaclobjtype "char", defaclacl
  aclitem[]
1213 pg_tablespace oid oid, spcname name, spcowner oid, spcacl aclitem[], spcoptions text[]
1214 pg_shdepend dbid oid, classid oid, objid oid, objsubid integer, refclassid oid, refobjid oid,
  deptype "char"
1247 pg_type oid oid, typname name, typnamespace oid, typowner oid, typlen smallint, typbyval
  boolean, typtype "char", typcategory "char", typispreferred boolean, typisdefined boolean,
  typdelim "char", typrelid oid, typsubscript regproc, typelem oid, typarray oid, typinput
  regproc, typoutput regproc, typreceive regproc, typsend regproc, typmodin regproc, typmodout
  regproc, typanalyze regproc, typalign "char", typstorage "char", typnotnull boolean, typbasetype
  oid, typtypmod integer, typndims integer, typcollation oid, typdefaultbin pg_node_tree,
  typdefault text, typacl aclitem[]
1249 pg_attribute attrelid oid, attname name, atttypid oid, attstattarget integer, attlen
  smallint, attnum smallint, attndims integer, attcacheoff integer, atttypmod integer, attbyval
  boolean, attalign "char", attstorage "char", attcompression "char", attnotnull boolean,
  atthasdef boolean, atthasmissing boolean, attidentity "char", attgenerated "char", attisdropped
  boolean, attislocal boolean, attinhcount integer, attcollation oid, attacl aclitem[], attoptions
  text[], attfdwoptions text[], attmissingval anyarray
1255 pg_proc oid oid, proname name, pronamespace oid, proowner oid, prolang oid, procost real,
  prorows real, provariadic oid, prosupport regproc, prokind "char", prosecdef boolean,
  proleakproof boolean, proisstrict boolean, proretset boolean, provolatile "char", proparallel
  "char", pronargs smallint, pronargdefaults smallint, prorettype oid, proargtypes oidvector,
  proallargtypes oid[], proargmodes "char"[], proargnames text[], proargdefaults pg_node_tree,
  protrftypes oid[], prosrc text, probin text, prosqlbody pg_node_tree, proconfig text[], proacl
  aclitem[]
1259 pg_class oid oid, relname name, relnamespace oid, reltype oid, reloftype oid, relowner oid,
  relam oid, relfilenode oid, reltablespace oid, relpages integer, reltuples real, relallvisible
  integer, reltoastrelid oid, relhasindex boolean, relisshared boolean, relpersistence "char",
  relkind "char", relnatts smallint, relchecks smallint, relhasrules boolean, relhastriggers
  boolean, relhassubclass boolean, relrowsecurity boolean, relforcerowsecurity boolean,
  relispopulated boolean, relreplident "char", relispartition boolean, relrewrite oid,
  relfrozenxid xid, relminmxid xid, relacl aclitem[], reloptions text[], relpartbound pg_node_tree
1260 pg_authid oid oid, rolname name, rolsuper boolean, rolinherit boolean, rolcreaterole boolean,
  rolcreatedb boolean, rolcanlogin boolean, rolreplication boolean, rolbypassrls boolean,
  rolconnlimit integer, rolpassword text, rolvaliduntil timestamp with time zone
1261 pg_auth_members roleid oid, member oid, grantor oid, admin_option boolean
1262 pg_database oid oid, datname name, datdba oid, encoding integer, datlocprovider "char",
  datistemplate boolean, datallowconn boolean, datconnlimit integer, datfrozenxid xid, datminmxid
  xid, dattablespace oid, datcollate text, datctype text, daticulocale text, datcollversion text,
  datacl aclitem[]
1417 pg_foreign_server oid oid, srvname name, srvowner oid, srvfdw oid, srvtype text, srvversion
  text, srvacl aclitem[], srvoptions text[]
1418 pg_user_mapping oid oid, umuser oid, umserver oid, umoptions text[]
2224 pg_sequence seqrelid oid, seqtypid oid, seqstart bigint, seqincrement bigint, seqmax bigint,
  seqmin bigint, seqcache bigint, seqcycle boolean
2328 pg_foreign_data_wrapper oid oid, fdwname name, fdwowner oid, fdwhandler oid, fdwvalidator
  oid, fdwacl aclitem[], fdwoptions text[]
2396 pg_shdescription objoid oid, classoid oid, description text
2600 pg_aggregate aggfnoid regproc, aggkind "char", aggnumdirectargs smallint, aggtransfn regproc,
  aggfinalfn regproc, aggcombinefn regproc, aggserialfn regproc, aggdeserialfn regproc,
  aggmtransfn regproc, aggminvtransfn regproc, aggmfinalfn regproc, aggfinalextra boolean,
  aggmfinalextra boolean, aggfinalmodify "char", aggmfinalmodify "char", aggsortop oid,
  aggtranstype oid, aggtransspace integer, aggmtranstype oid, aggmtransspace integer, agginitval
  text, aggminitval text
2601 pg_am oid oid, amname name, amhandler regproc, amtype "char"
2602 pg_amop oid oid, amopfamily oid, amoplefttype oid, amoprighttype oid, amopstrategy smallint,
  amoppurpose "char", amopopr oid, amopmethod oid, amopsortfamily oid
2603 pg_amproc oid oid, amprocfamily oid, amproclefttype oid, amprocrighttype oid, amprocnum
  smallint, amproc regproc
2604 pg_attrdef oid oid, adrelid oid, adnum smallint, adbin pg_node_tree
2605 pg_cast oid oid, castsource oid, casttarget oid, castfunc oid, castcontext "char", castmethod
  "char"
2606 pg_constraint oid oid, conname name, connamespace oid, contype "char", condeferrable boolean,
  condeferred boolean, convalidated boolean, conrelid oid, contypid oid, conindid oid, conparentid
  oid, confrelid oid, confupdtype "char", confdeltype "char", confmatchtype "char", conislocal
  boolean, coninhcount integer, connoinherit boolean, conkey smallint[], confkey smallint[],
  conpfeqop oid[], conppeqop oid[], conffeqop oid[], confdelsetcols smallint[], conexclop oid[],
  conbin pg_node_tree
2607 pg_conversion oid oid, conname name, connamespace oid, conowner oid, conforencoding integer,
  contoencoding integer, conproc regproc, condefault boolean
2608 pg_depend classid oid, objid oid, objsubid integer, refclassid oid, refobjid oid, refobjsubid
  integer, deptype "char"
2609 pg_description objoid oid, classoid oid, objsubid integer, description text
2610 pg_index indexrelid oid, indrelid oid, indnatts smallint, indnkeyatts smallint, indisunique
  boolean, indnullsnotdistinct boolean, indisprimary boolean, indisexclusion boolean, indimmediate
  boolean, indisclustered boolean, indisvalid boolean, indcheckxmin boolean, indisready boolean,
  indislive boolean, indisreplident boolean, indkey int2vector, indcollation oidvector, indclass
  oidvector, indoption int2vector, indexprs pg_node_tree, indpred pg_node_tree
2611 pg_inherits inhrelid oid, inhparent oid, inhseqno integer, inhdetachpending boolean
2612 pg_language oid oid, lanname name, lanowner oid, lanispl boolean, lanpltrusted boolean,
  lanplcallfoid oid, laninline oid, lanvalidator oid, lanacl aclitem[]
2613 pg_largeobject loid oid, pageno integer, data bytea
2615 pg_namespace oid oid, nspname name, nspowner oid, nspacl aclitem[]
2616 pg_opclass oid oid, opcmethod oid, opcname name, opcnamespace oid, opcowner oid, opcfamily
  oid, opcintype oid, opcdefault boolean, opckeytype oid
2617 pg_operator oid oid, oprname name, oprnamespace oid, oprowner oid, oprkind "char",
  oprcanmerge boolean, oprcanhash boolean, oprleft oid, oprright oid, oprresult oid, oprcom oid,
  oprnegate oid, oprcode regproc, oprrest regproc, oprjoin regproc
2618 pg_rewrite oid oid, rulename name, ev_class oid, ev_type "char", ev_enabled "char",
  is_instead boolean, ev_qual pg_node_tree, ev_action pg_node_tree
2619 pg_statistic starelid oid, staattnum smallint, stainherit boolean, stanullfrac real, stawidth
  integer, stadistinct real, stakind1 smallint, stakind2 smallint, stakind3 smallint, stakind4
  smallint, stakind5 smallint, staop1 oid, staop2 oid, staop3 oid, staop4 oid, staop5 oid,
  stacoll1 oid, stacoll2 oid, stacoll3 oid, stacoll4 oid, stacoll5 oid, stanumbers1 real[],
  stanumbers2 real[], stanumbers3 real[], stanumbers4 real[], stanumbers5 real[], stavalues1
  anyarray, stavalues2 anyarray, stavalues3 anyarray, stavalues4 anyarray, stavalues5 anyarray
2620 pg_trigger oid oid, tgrelid oid, tgparentid oid, tgname name, tgfoid oid, tgtype smallint,
  tgenabled "char", tgisinternal boolean, tgconstrrelid oid, tgconstrindid oid, tgconstraint oid,
  tgdeferrable boolean, tginitdeferred boolean, tgnargs smallint, tgattr int2vector, tgargs bytea,
  tgqual pg_node_tree, tgoldtable name, tgnewtable name
2753 pg_opfamily oid oid, opfmethod oid, opfname name, opfnamespace oid, opfowner oid
2964 pg_db_role_setting setdatabase oid, setrole oid, setconfig text[]
2995 pg_largeobject_metadata oid oid, lomowner oid, lomacl aclitem[]
3079 pg_extension oid oid, extname name, extowner oid, extnamespace oid, extrelocatable boolean,
  extversion text, extconfig oid[], extcondition text[]
3118 pg_foreign_table ftrelid oid, ftserver oid, ftoptions text[]
3256 pg_policy oid oid, polname name, polrelid oid, polcmd "char", polpermissive boolean, polroles
  oid[], polqual pg_node_tree, polwithcheck pg_node_tree
3350 pg_partitioned_table partrelid oid, partstrat "char", partnatts smallint, partdefid oid,
  partattrs int2vector, partclass oidvector, partcollation oidvector, partexprs pg_node_tree
3381 pg_statistic_ext oid oid, stxrelid oid, stxname name, stxnamespace oid, stxowner oid,
  stxstattarget integer, stxkeys int2vector, stxkind "char"[], stxexprs pg_node_tree
3394 pg_init_privs objoid oid, classoid oid, objsubid integer, privtype "char", initprivs
  aclitem[]
3429 pg_statistic_ext_data stxoid oid, stxdinherit boolean, stxdndistinct pg_ndistinct,
  stxddependencies pg_dependencies, stxdmcv pg_mcv_list, stxdexpr record[]
3456 pg_collation oid oid, collname name, collnamespace oid, collowner oid, collprovider "char",
  collisdeterministic boolean, collencoding integer, collcollate text, collctype text,
  colliculocale text, collversion text
3466 pg_event_trigger oid oid, evtname name, evtevent name, evtowner oid, evtfoid oid, evtenabled
  "char", evttags text[]
3501 pg_enum oid oid, enumtypid oid, enumsortorder real, enumlabel name
3541 pg_range rngtypid oid, rngsubtype oid, rngmultitypid oid, rngcollation oid, rngsubopc oid,
  rngcanonical regproc, rngsubdiff regproc
3576 pg_transform oid oid, trftype oid, trflang oid, trffromsql regproc, trftosql regproc
3592 pg_shseclabel objoid oid, classoid oid, provider text, label text
3596 pg_seclabel objoid oid, classoid oid, objsubid integer, provider text, label text
3600 pg_ts_dict oid oid, dictname name, dictnamespace oid, dictowner oid, dicttemplate oid,
  dictinitoption text
3601 pg_ts_parser oid oid, prsname name, prsnamespace oid, prsstart regproc, prstoken regproc,
  prsend regproc, prsheadline regproc, prslextype regproc
3602 pg_ts_config oid oid, cfgname name, cfgnamespace oid, cfgowner oid, cfgparser oid
3603 pg_ts_config_map mapcfg oid, maptokentype integer, mapseqno integer, mapdict oid
3764 pg_ts_template oid oid, tmplname name, tmplnamespace oid, tmplinit regproc, tmpllexize
  regproc
6000 pg_replication_origin roident oid, roname text
6100 pg_subscription oid oid, subdbid oid, subskiplsn pg_lsn, subname name, subowner oid,
  subenabled boolean, subbinary boolean, substream boolean, subtwophasestate "char",
  subdisableonerr boolean, subconninfo text, subslotname name, subsynccommit text, subpublications
  text[]
6102 pg_subscription_rel srsubid oid, srrelid oid, srsubstate "char", srsublsn pg_lsn
6104 pg_publication oid oid, pubname name, pubowner oid, puballtables boolean, pubinsert boolean,
  pubupdate boolean, pubdelete boolean, pubtruncate boolean, pubviaroot boolean
6106 pg_publication_rel oid oid, prpubid oid, prrelid oid, prqual pg_node_tree, prattrs int2vector
6237 pg_publication_namespace oid oid, pnpubid oid, pnnspid oid
6243 pg_parameter_acl oid oid, parname text, paracl aclitem[]
"""
