"""PostgreSQL 15's classes of operators of the types that there are here too."""

from __future__ import annotations

from typing import Final

#: Separated by semicolons: OID, method, name, family, type, whether it is the default, key type.
CLASSES: Final = """
1978 403 int4_ops 1976 23 1 0; 1979 403 int2_ops 1976 21 1 0; 1981 403 oid_ops 1989 26 1 0; 3122
403 date_ops 434 1082 1 0; 3123 403 float8_ops 1970 701 1 0; 3124 403 int8_ops 1976 20 1 0; 3125
403 numeric_ops 1988 1700 1 0; 3126 403 text_ops 1994 25 1 0; 3127 403 timestamptz_ops 434 1184 1
0; 3128 403 timestamp_ops 434 1114 1 0; 4217 403 text_pattern_ops 2095 25 0 0; 4218 403
varchar_pattern_ops 2095 25 0 0; 4219 403 bpchar_pattern_ops 2097 1042 0 0; 10000 403 array_ops 397
2277 1 0; 10002 403 bit_ops 423 1560 1 0; 10003 403 bool_ops 424 16 1 0; 10004 403 bpchar_ops 426
1042 1 0; 10006 403 bytea_ops 428 17 1 0; 10007 403 char_ops 429 18 1 0; 10012 403 float4_ops 1970
700 1 0; 10022 403 interval_ops 1982 1186 1 0; 10028 403 name_ops 1994 19 1 2275; 10032 403
oidvector_ops 1991 30 1 0; 10034 403 record_ops 2994 2249 1 0; 10036 403 record_image_ops 3194 2249
0 0; 10038 403 time_ops 1996 1083 1 0; 10041 403 timetz_ops 2000 1266 1 0; 10043 403 varbit_ops
2002 1562 1 0; 10044 403 varchar_ops 1994 25 0 0; 10065 403 uuid_ops 2968 2950 1 0; 10088 403
jsonb_ops 4033 3802 1 0
"""

#: Separated by semicolons: OID, method, name.
FAMILIES: Final = """
397 403 array_ops; 423 403 bit_ops; 424 403 bool_ops; 426 403 bpchar_ops; 428 403 bytea_ops; 429
403 char_ops; 434 403 datetime_ops; 1970 403 float_ops; 1976 403 integer_ops; 1982 403
interval_ops; 1988 403 numeric_ops; 1989 403 oid_ops; 1991 403 oidvector_ops; 1994 403 text_ops;
1996 403 time_ops; 2000 403 timetz_ops; 2002 403 varbit_ops; 2095 403 text_pattern_ops; 2097 403
bpchar_pattern_ops; 2968 403 uuid_ops; 2994 403 record_ops; 3194 403 record_image_ops; 4033 403
jsonb_ops
"""
