"""PostgreSQL 15's own numbers of the functions that there are here too, and what they take."""

from __future__ import annotations

from typing import Final

#: Separated by semicolons: OID, name, kind with strictness, volatility, whether it gives rows and
#: whether it is variadic, the type of the result, the types of the arguments.
FUNCTIONS: Final = """
3 heap_tableam_handler fsv-- 269 2281; 31 byteaout fsi-- 2275 17; 33 charout fsi-- 2275 18; 34
namein fsi-- 19 2275; 35 nameout fsi-- 2275 19; 38 int2in fsi-- 21 2275; 39 int2out fsi-- 2275 21;
40 int2vectorin fsi-- 22 2275; 41 int2vectorout fsi-- 2275 22; 42 int4in fsi-- 23 2275; 43 int4out
fsi-- 2275 23; 44 regprocin fss-- 24 2275; 45 regprocout fss-- 2275 24; 46 textin fsi-- 25 2275; 47
textout fsi-- 2275 25; 48 tidin fsi-- 27 2275; 49 tidout fsi-- 2275 27; 50 xidin fsi-- 28 2275; 51
xidout fsi-- 2275 28; 52 cidin fsi-- 29 2275; 53 cidout fsi-- 2275 29; 54 oidvectorin fsi-- 30
2275; 55 oidvectorout fsi-- 2275 30; 56 boollt fsi-- 16 16 16; 57 boolgt fsi-- 16 16 16; 60 booleq
fsi-- 16 16 16; 61 chareq fsi-- 16 18 18; 62 nameeq fsi-- 16 19 19; 63 int2eq fsi-- 16 21 21; 64
int2lt fsi-- 16 21 21; 65 int4eq fsi-- 16 23 23; 66 int4lt fsi-- 16 23 23; 67 texteq fsi-- 16 25
25; 68 xideq fsi-- 16 28 28; 70 charne fsi-- 16 18 18; 72 charle fsi-- 16 18 18; 73 chargt fsi-- 16
18 18; 74 charge fsi-- 16 18 18; 77 int4 fsi-- 23 18; 78 char fsi-- 18 23; 79 nameregexeq fsi-- 16
19 25; 84 boolne fsi-- 16 16 16; 89 version fss-- 25; 109 unknownin fsi-- 705 2275; 110 unknownout
fsi-- 2275 705; 141 int4mul fsi-- 23 23 23; 144 int4ne fsi-- 16 23 23; 145 int2ne fsi-- 16 21 21;
146 int2gt fsi-- 16 21 21; 147 int4gt fsi-- 16 23 23; 148 int2le fsi-- 16 21 21; 149 int4le fsi--
16 23 23; 150 int4ge fsi-- 16 23 23; 151 int2ge fsi-- 16 21 21; 152 int2mul fsi-- 21 21 21; 153
int2div fsi-- 21 21 21; 154 int4div fsi-- 23 23 23; 155 int2mod fsi-- 21 21 21; 156 int4mod fsi--
23 23 23; 157 textne fsi-- 16 25 25; 158 int24eq fsi-- 16 21 23; 159 int42eq fsi-- 16 23 21; 160
int24lt fsi-- 16 21 23; 161 int42lt fsi-- 16 23 21; 162 int24gt fsi-- 16 21 23; 163 int42gt fsi--
16 23 21; 164 int24ne fsi-- 16 21 23; 165 int42ne fsi-- 16 23 21; 166 int24le fsi-- 16 21 23; 167
int42le fsi-- 16 23 21; 168 int24ge fsi-- 16 21 23; 169 int42ge fsi-- 16 23 21; 170 int24mul fsi--
23 21 23; 171 int42mul fsi-- 23 23 21; 172 int24div fsi-- 23 21 23; 173 int42div fsi-- 23 23 21;
176 int2pl fsi-- 21 21 21; 177 int4pl fsi-- 23 23 23; 178 int24pl fsi-- 23 21 23; 179 int42pl fsi--
23 23 21; 180 int2mi fsi-- 21 21 21; 181 int4mi fsi-- 23 23 23; 182 int24mi fsi-- 23 21 23; 183
int42mi fsi-- 23 23 21; 184 oideq fsi-- 16 26 26; 185 oidne fsi-- 16 26 26; 195 pg_node_tree_in
fsi-- 194 2275; 196 pg_node_tree_out fsi-- 2275 194; 197 pg_node_tree_recv fss-- 194 2281; 198
pg_node_tree_send fss-- 17 194; 200 float4in fsi-- 700 2275; 201 float4out fsi-- 2275 700; 202
float4mul fsi-- 700 700 700; 203 float4div fsi-- 700 700 700; 204 float4pl fsi-- 700 700 700; 205
float4mi fsi-- 700 700 700; 206 float4um fsi-- 700 700; 207 float4abs fsi-- 700 700; 212 int4um
fsi-- 23 23; 213 int2um fsi-- 21 21; 214 float8in fsi-- 701 2275; 215 float8out fsi-- 2275 701; 216
float8mul fsi-- 701 701 701; 217 float8div fsi-- 701 701 701; 218 float8pl fsi-- 701 701 701; 219
float8mi fsi-- 701 701 701; 220 float8um fsi-- 701 701; 221 float8abs fsi-- 701 701; 230 dsqrt
fsi-- 701 701; 231 dcbrt fsi-- 701 701; 232 dpow fsi-- 701 701 701; 235 float8 fsi-- 701 21; 236
float4 fsi-- 700 21; 237 int2 fsi-- 21 701; 238 int2 fsi-- 21 700; 240 nameeqtext fsi-- 16 19 25;
241 namelttext fsi-- 16 19 25; 242 nameletext fsi-- 16 19 25; 243 namegetext fsi-- 16 19 25; 244
namegttext fsi-- 16 19 25; 245 namenetext fsi-- 16 19 25; 247 texteqname fsi-- 16 25 19; 248
textltname fsi-- 16 25 19; 249 textlename fsi-- 16 25 19; 250 textgename fsi-- 16 25 19; 251
textgtname fsi-- 16 25 19; 252 textnename fsi-- 16 25 19; 267 table_am_handler_in f-i-- 269 2275;
268 table_am_handler_out fsi-- 2275 269; 274 timeofday fsv-- 25;
279 float48mul fsi-- 701 700 701; 280 float48div fsi-- 701
700 701; 281 float48pl fsi-- 701 700 701; 282 float48mi fsi-- 701 700 701; 283 float84mul fsi-- 701
701 700; 284 float84div fsi-- 701 701 700; 285 float84pl fsi-- 701 701 700; 286 float84mi fsi-- 701
701 700; 287 float4eq fsi-- 16 700 700; 288 float4ne fsi-- 16 700 700; 289 float4lt fsi-- 16 700
700; 290 float4le fsi-- 16 700 700; 291 float4gt fsi-- 16 700 700; 292 float4ge fsi-- 16 700 700;
293 float8eq fsi-- 16 701 701; 294 float8ne fsi-- 16 701 701; 295 float8lt fsi-- 16 701 701; 296
float8le fsi-- 16 701 701; 297 float8gt fsi-- 16 701 701; 298 float8ge fsi-- 16 701 701; 299
float48eq fsi-- 16 700 701; 300 float48ne fsi-- 16 700 701; 301 float48lt fsi-- 16 700 701; 302
float48le fsi-- 16 700 701; 303 float48gt fsi-- 16 700 701; 304 float48ge fsi-- 16 700 701; 305
float84eq fsi-- 16 701 700; 306 float84ne fsi-- 16 701 700; 307 float84lt fsi-- 16 701 700; 308
float84le fsi-- 16 701 700; 309 float84gt fsi-- 16 701 700; 310 float84ge fsi-- 16 701 700; 311
float8 fsi-- 701 700; 312 float4 fsi-- 700 701; 313 int4 fsi-- 23 21; 314 int2 fsi-- 21 23; 315
pg_jit_available fsv-- 16; 316 float8 fsi-- 701 23; 317 int4 fsi-- 23 701; 318 float4 fsi-- 700 23;
319 int4 fsi-- 23 700; 320 width_bucket fsi-- 23 701 701 701 23; 321 json_in fsi-- 114 2275; 322
json_out fsi-- 2275 114; 323 json_recv fsi-- 114 2281; 324 json_send fsi-- 17 114; 326
index_am_handler_in f-i-- 325 2275; 327 index_am_handler_out fsi-- 2275 325; 330 bthandler fsv--
325 2281; 376 string_to_array f-i-- 1009 25 25 25; 378 array_append f-i-- 5078 5078 5077; 379
array_prepend f-i-- 5078 5077 5078; 383 array_cat f-i-- 5078 5078 5078; 384 array_to_string f-s--
25 2277 25 25; 390 array_ne fsi-- 16 2277 2277; 391 array_lt fsi-- 16 2277 2277; 392 array_gt fsi--
16 2277 2277; 393 array_le fsi-- 16 2277 2277; 394 string_to_array f-i-- 1009 25 25; 395
array_to_string fss-- 25 2277 25; 396 array_ge fsi-- 16 2277 2277; 401 text fsi-- 25 1042; 406 text
fsi-- 25 19; 407 name fsi-- 19 25; 408 bpchar fsi-- 1042 19; 409 name fsi-- 19 1042; 438 num_nulls
f-i-v 23 2276; 440 num_nonnulls f-i-v 23 2276; 460 int8in fsi-- 20 2275; 461 int8out fsi-- 2275 20;
462 int8um fsi-- 20 20; 463 int8pl fsi-- 20 20 20; 464 int8mi fsi-- 20 20 20; 465 int8mul fsi-- 20
20 20; 466 int8div fsi-- 20 20 20; 467 int8eq fsi-- 16 20 20; 468 int8ne fsi-- 16 20 20; 469 int8lt
fsi-- 16 20 20; 470 int8gt fsi-- 16 20 20; 471 int8le fsi-- 16 20 20; 472 int8ge fsi-- 16 20 20;
474 int84eq fsi-- 16 20 23; 475 int84ne fsi-- 16 20 23; 476 int84lt fsi-- 16 20 23; 477 int84gt
fsi-- 16 20 23; 478 int84le fsi-- 16 20 23; 479 int84ge fsi-- 16 20 23; 480 int4 fsi-- 23 20; 481
int8 fsi-- 20 23; 482 float8 fsi-- 701 20; 483 int8 fsi-- 20 701; 619 oidvectorne fsi-- 16 30 30;
652 float4 fsi-- 700 20; 653 int8 fsi-- 20 700; 655 namelt fsi-- 16 19 19; 656 namele fsi-- 16 19
19; 657 namegt fsi-- 16 19 19; 658 namege fsi-- 16 19 19; 659 namene fsi-- 16 19 19; 668 bpchar
fsi-- 1042 1042 23 16; 669 varchar fsi-- 1043 1043 23 16; 677 oidvectorlt fsi-- 16 30 30; 678
oidvectorle fsi-- 16 30 30; 679 oidvectoreq fsi-- 16 30 30; 680 oidvectorge fsi-- 16 30 30; 681
oidvectorgt fsi-- 16 30 30; 714 int2 fsi-- 21 20; 716 oidlt fsi-- 16 26 26; 717 oidle fsi-- 16 26
26; 720 octet_length fsi-- 23 17; 721 get_byte fsi-- 23 17 23; 722 set_byte fsi-- 17 17 23 23; 723
get_bit fsi-- 23 17 20; 724 set_bit fsi-- 17 17 20 23; 740 text_lt fsi-- 16 25 25; 741 text_le
fsi-- 16 25 25; 742 text_gt fsi-- 16 25 25; 743 text_ge fsi-- 16 25 25; 744 array_eq fsi-- 16 2277
2277; 745 current_user fss-- 19; 746 session_user fss-- 19; 747 array_dims fsi-- 25 2277; 748
array_ndims fsi-- 23 2277; 749 overlay fsi-- 17 17 17 23 23; 750 array_in fss-- 2277 2275 26 23;
751 array_out fss-- 2275 2277; 752 overlay fsi-- 17 17 17 23; 754 int8 fsi-- 20 21; 810
pg_client_encoding fss-- 19; 817 current_query f-v-- 25;
837 int82pl fsi-- 20 20 21; 838 int82mi fsi-- 20 20 21; 839 int82mul
fsi-- 20 20 21; 840 int82div fsi-- 20 20 21; 841 int28pl fsi-- 20 21 20; 849 position fsi-- 23 25
25; 850 textlike fsi-- 16 25 25; 851 textnlike fsi-- 16 25 25; 852 int48eq fsi-- 16 23 20; 853
int48ne fsi-- 16 23 20; 854 int48lt fsi-- 16 23 20; 855 int48gt fsi-- 16 23 20; 856 int48le fsi--
16 23 20; 857 int48ge fsi-- 16 23 20; 858 namelike fsi-- 16 19 25; 859 namenlike fsi-- 16 19 25;
860 bpchar fsi-- 1042 18; 861 current_database fss-- 19; 868 strpos fsi-- 23 25 25; 870 lower fsi--
25 25; 871 upper fsi-- 25 25; 872 initcap fsi-- 25 25; 873 lpad fsi-- 25 25 23 25; 874 rpad fsi--
25 25 23 25; 875 ltrim fsi-- 25 25 25; 876 rtrim fsi-- 25 25 25; 877 substr fsi-- 25 25 23 23; 878
translate fsi-- 25 25 25 25; 879 lpad fsi-- 25 25 23; 880 rpad fsi-- 25 25 23; 881 ltrim fsi-- 25
25; 882 rtrim fsi-- 25 25; 883 substr fsi-- 25 25 23; 884 btrim fsi-- 25 25 25; 885 btrim fsi-- 25
25; 910 inet_in fsi-- 869 2275; 911 inet_out fsi-- 2275 869; 936 substring fsi-- 25 25 23 23; 937
substring fsi-- 25 25 23; 938 generate_series fsir- 1114 1114 1114 1186; 939 generate_series fssr-
1184 1184 1184 1186; 940 mod fsi-- 21 21 21; 941 mod fsi-- 23 23 23; 942 int28mi fsi-- 20 21 20;
943 int28mul fsi-- 20 21 20; 944 char fsi-- 18 25; 945 int8mod fsi-- 20 20 20; 946 text fsi-- 25
18; 947 mod fsi-- 20 20 20; 948 int28div fsi-- 20 21 20; 1026 timezone fsi-- 1114 1186 1184; 1031
aclitemin fss-- 1033 2275; 1032 aclitemout fss-- 2275 1033; 1039 getdatabaseencoding fss-- 19; 1044
bpcharin fsi-- 1042 2275 26 23; 1045 bpcharout fsi-- 2275 1042; 1046 varcharin fsi-- 1043 2275 26
23; 1047 varcharout fsi-- 2275 1043; 1048 bpchareq fsi-- 16 1042 1042; 1049 bpcharlt fsi-- 16 1042
1042; 1050 bpcharle fsi-- 16 1042 1042; 1051 bpchargt fsi-- 16 1042 1042; 1052 bpcharge fsi-- 16
1042 1042; 1053 bpcharne fsi-- 16 1042 1042; 1066 generate_series fsir- 23 23 23 23; 1067
generate_series fsir- 23 23 23; 1068 generate_series fsir- 20 20 20 20; 1069 generate_series fsir-
20 20 20; 1079 regclass fss-- 2205 25; 1081 format_type f-s-- 25 26 23; 1084 date_in fss-- 1082
2275; 1085 date_out fss-- 2275 1082; 1086 date_eq fsi-- 16 1082 1082; 1087 date_lt fsi-- 16 1082
1082; 1088 date_le fsi-- 16 1082 1082; 1089 date_gt fsi-- 16 1082 1082; 1090 date_ge fsi-- 16 1082
1082; 1091 date_ne fsi-- 16 1082 1082; 1102 time_lt fsi-- 16 1083 1083; 1103 time_le fsi-- 16 1083
1083; 1104 time_gt fsi-- 16 1083 1083; 1105 time_ge fsi-- 16 1083 1083; 1106 time_ne fsi-- 16 1083
1083; 1140 date_mi fsi-- 23 1082 1082; 1141 date_pli fsi-- 1082 1082 23; 1142 date_mii fsi-- 1082
1082 23; 1143 time_in fss-- 1083 2275 26 23; 1144 time_out fsi-- 2275 1083; 1145 time_eq fsi-- 16
1083 1083; 1150 timestamptz_in fss-- 1184 2275 26 23; 1151 timestamptz_out fss-- 2275 1184; 1152
timestamptz_eq fsi-- 16 1184 1184; 1153 timestamptz_ne fsi-- 16 1184 1184; 1154 timestamptz_lt
fsi-- 16 1184 1184; 1155 timestamptz_le fsi-- 16 1184 1184; 1156 timestamptz_ge fsi-- 16 1184 1184;
1157 timestamptz_gt fsi-- 16 1184 1184; 1158 to_timestamp fsi-- 1184 701; 1159 timezone fsi-- 1114
25 1184; 1160 interval_in fss-- 1186 2275 26 23; 1161 interval_out fss-- 2275 1186; 1162
interval_eq fsi-- 16 1186 1186; 1163 interval_ne fsi-- 16 1186 1186; 1164 interval_lt fsi-- 16 1186
1186; 1165 interval_le fsi-- 16 1186 1186; 1166 interval_ge fsi-- 16 1186 1186; 1167 interval_gt
fsi-- 16 1186 1186; 1168 interval_um fsi-- 1186 1186; 1169 interval_pl fsi-- 1186 1186 1186; 1170
interval_mi fsi-- 1186 1186 1186; 1171 date_part fss-- 701 25 1184; 1172 date_part fsi-- 701 25
1186; 1174 timestamptz fss-- 1184 1082; 1175 justify_hours fsi-- 1186 1186; 1176 timestamptz fss--
1184 1082 1083; 1177 jsonb_path_exists_tz fss-- 16 3802 4072 3802 16; 1178 date fss-- 1082 1184;
1179 jsonb_path_query_tz fssr- 3802 3802 4072 3802 16; 1180 jsonb_path_query_array_tz fss-- 3802
3802 4072 3802 16; 1181 age fss-- 23 28; 1188 timestamptz_mi fsi-- 1186 1184 1184; 1189
timestamptz_pl_interval fss-- 1184 1184 1186; 1190 timestamptz_mi_interval fss-- 1184 1184 1186;
1191 generate_subscripts fsir- 23 2277 23 16; 1192 generate_subscripts fsir- 23 2277 23; 1193
array_fill f-i-- 2277 2283 1007; 1194 log10 fsi-- 701 701; 1199 age fsi-- 1186 1184 1184; 1200
interval fsi-- 1186 1186 23; 1215 obj_description fss-- 25 26 19; 1216 col_description fss-- 25 26
23; 1217 date_trunc fss-- 1184 25 1184; 1218 date_trunc fsi-- 1186 25 1186; 1230 int8abs fsi-- 20
20; 1238 texticregexeq fsi-- 16 25 25; 1239 texticregexne fsi-- 16 25 25; 1240 nameicregexeq fsi--
16 19 25; 1241 nameicregexne fsi-- 16 19 25; 1242 boolin fsi-- 16 2275; 1243 boolout fsi-- 2275 16;
1244 byteain fsi-- 17 2275; 1245 charin fsi-- 18 2275; 1246 charlt fsi-- 16 18 18; 1251 int4abs
fsi-- 23 23; 1252 nameregexne fsi-- 16 19 25; 1253 int2abs fsi-- 21 21; 1254 textregexeq fsi-- 16
25 25; 1256 textregexne fsi-- 16 25 25; 1258 textcat fsi-- 25 25 25; 1264 pg_char_to_encoding fss--
23 19; 1265 tidne fsi-- 16 27 27; 1267 cidr_in fsi-- 650 2275; 1268 parse_ident fsi-- 1009 25 16;
1271 overlaps f-i-- 16 1266 1266 1266 1266; 1272 datetime_pl fsi-- 1114 1082 1083; 1273 date_part
fsi-- 701 25 1266; 1274 int84pl fsi-- 20 20 23; 1275 int84mi fsi-- 20 20 23; 1276 int84mul fsi-- 20
20 23; 1277 int84div fsi-- 20 20 23; 1278 int48pl fsi-- 20 23 20; 1279 int48mi fsi-- 20 23 20; 1280
int48mul fsi-- 20 23 20; 1281 int48div fsi-- 20 23 20; 1282 quote_ident fsi-- 25 25; 1283
quote_literal fsi-- 25 25; 1284 date_trunc fss-- 1184 25 1184 25; 1285 quote_literal fss-- 25 2283;
1286 array_fill f-i-- 2277 2283 1007 1007; 1287 oid fsi-- 26 20; 1288 int8 fsi-- 20 26; 1289
quote_nullable f-i-- 25 25; 1290 quote_nullable f-s-- 25 2283; 1292 tideq fsi-- 16 27 27; 1295
justify_days fsi-- 1186 1186; 1296 timedate_pl fsi-- 1114 1083 1082; 1297 datetimetz_pl fsi-- 1184
1082 1266; 1298 timetzdate_pl fsi-- 1184 1266 1082; 1299 now fss-- 1184; 1304 overlaps f-i-- 16
1184 1184 1184 1184; 1305 overlaps f-s-- 16 1184 1186 1184 1186; 1306 overlaps f-s-- 16 1184 1184
1184 1186; 1307 overlaps f-s-- 16 1184 1186 1184 1184; 1308 overlaps f-i-- 16 1083 1083 1083 1083;
1309 overlaps f-i-- 16 1083 1186 1083 1186; 1310 overlaps f-i-- 16 1083 1083 1083 1186; 1311
overlaps f-i-- 16 1083 1186 1083 1083; 1312 timestamp_in fss-- 1114 2275 26 23; 1313 timestamp_out
fss-- 2275 1114; 1316 time fsi-- 1083 1114; 1317 length fsi-- 23 25; 1318 length fsi-- 23 1042;
1319 xideqint4 fsi-- 16 28 23; 1326 interval_div fsi-- 1186 1186 701; 1340 log fsi-- 701 701; 1341
ln fsi-- 701 701; 1342 round fsi-- 701 701; 1343 trunc fsi-- 701 701; 1344 sqrt fsi-- 701 701; 1345
cbrt fsi-- 701 701; 1346 pow fsi-- 701 701 701; 1347 exp fsi-- 701 701; 1348 obj_description fss--
25 26; 1350 timetz_in fss-- 1266 2275 26 23; 1351 timetz_out fsi-- 2275 1266; 1352 timetz_eq fsi--
16 1266 1266; 1353 timetz_ne fsi-- 16 1266 1266; 1354 timetz_lt fsi-- 16 1266 1266; 1355 timetz_le
fsi-- 16 1266 1266; 1356 timetz_ge fsi-- 16 1266 1266; 1357 timetz_gt fsi-- 16 1266 1266; 1359
timestamptz fsi-- 1184 1082 1266; 1367 character_length fsi-- 23 1042; 1368 power fsi-- 701 701
701; 1369 character_length fsi-- 23 25; 1370 interval fsi-- 1186 1083; 1371 pg_lock_status fsvr-
2249; 1372 char_length fsi-- 23 1042; 1373 isfinite fsi-- 16 1082; 1374 octet_length fsi-- 23 25;
1375 octet_length fsi-- 23 1042; 1376 factorial fsi-- 1700 20; 1381 char_length fsi-- 23 25; 1384
date_part fsi-- 701 25 1082; 1385 date_part fsi-- 701 25 1083; 1386 age fss-- 1186 1184; 1387
pg_get_constraintdef fss-- 25 26; 1388 timetz fss-- 1266 1184; 1389 isfinite fsi-- 16 1184; 1390
isfinite fsi-- 16 1186; 1394 abs fsi-- 700 700; 1395 abs fsi-- 701 701; 1396 abs fsi-- 20 20; 1397
abs fsi-- 23 23; 1398 abs fsi-- 21 21; 1400 name fsi-- 19 1043; 1401 varchar fsi-- 1043 19; 1402
current_schema fss-- 19; 1403 current_schemas fss-- 1003 16; 1404 overlay fsi-- 25 25 25 23 23;
1405 overlay fsi-- 25 25 25 23; 1419 time fsi-- 1083 1186; 1427 cidr_out fsi-- 2275 650; 1481 log10
fsi-- 1700 1700; 1564 bit_in fsi-- 1560 2275 26 23; 1565 bit_out fsi-- 2275 1560; 1569
like fsi-- 16 25 25; 1570 notlike fsi-- 16 25 25; 1571 like fsi-- 16 19 25; 1572
notlike fsi-- 16 19 25; 1573
pg_get_ruledef fss-- 25 26; 1574 nextval fsv-- 20 2205; 1575 currval fsv-- 20 2205; 1576 setval
fsv-- 20 2205 20; 1579 varbit_in fsi-- 1562 2275 26 23; 1580 varbit_out fsi-- 2275 1562; 1581 biteq
fsi-- 16 1560 1560; 1582 bitne fsi-- 16 1560 1560; 1592 bitge fsi-- 16 1560 1560; 1593 bitgt fsi--
16 1560 1560; 1594 bitle fsi-- 16 1560 1560; 1595 bitlt fsi-- 16 1560 1560; 1596 bitcmp fsi-- 23
1560 1560; 1597 pg_encoding_to_char fss-- 19 23; 1598 random fsv-- 701; 1600 asin fsi-- 701 701;
1601 acos fsi-- 701 701; 1602 atan fsi-- 701 701; 1603 atan2 fsi-- 701 701 701; 1604 sin fsi-- 701
701; 1605 cos fsi-- 701 701; 1606 tan fsi-- 701 701; 1607 cot fsi-- 701 701; 1608 degrees fsi-- 701
701; 1609 radians fsi-- 701 701; 1610 pi fsi-- 701; 1618 interval_mul fsi-- 1186 1186 701; 1619
pg_typeof f-s-- 2206 2276; 1620 ascii fsi-- 23 25; 1621 chr fsi-- 25 23; 1622 repeat fsi-- 25 25
23; 1623 similar_escape f-i-- 25 25 25; 1624 mul_d_interval fsi-- 1186 701 1186; 1631 bpcharlike
fsi-- 16 1042 25; 1632 bpcharnlike fsi-- 16 1042 25; 1633 texticlike fsi-- 16 25 25; 1634
texticnlike fsi-- 16 25 25; 1635 nameiclike fsi-- 16 19 25; 1636 nameicnlike fsi-- 16 19 25; 1637
like_escape fsi-- 25 25 25; 1638 oidgt fsi-- 16 26 26; 1639 oidge fsi-- 16 26 26; 1640
pg_get_viewdef fss-- 25 25; 1641 pg_get_viewdef fss-- 25 26; 1642 pg_get_userbyid fss-- 19 26; 1643
pg_get_indexdef fss-- 25 26; 1656 bpcharicregexeq fsi-- 16 1042 25; 1657 bpcharicregexne fsi-- 16
1042 25; 1658 bpcharregexeq fsi-- 16 1042 25; 1659 bpcharregexne fsi-- 16 1042 25; 1660
bpchariclike fsi-- 16 1042 25; 1661 bpcharicnlike fsi-- 16 1042 25; 1662 pg_get_triggerdef fss-- 25
26; 1665 pg_get_serial_sequence fss-- 25 25 25; 1666 varbiteq fsi-- 16 1562 1562; 1667 varbitne
fsi-- 16 1562 1562; 1668 varbitge fsi-- 16 1562 1562; 1669 varbitgt fsi-- 16 1562 1562; 1670
varbitle fsi-- 16 1562 1562; 1671 varbitlt fsi-- 16 1562 1562; 1672 varbitcmp fsi-- 23 1562 1562;
1673 bitand fsi-- 1560 1560 1560; 1674 bitor fsi-- 1560 1560 1560; 1675 bitxor fsi-- 1560 1560
1560; 1676 bitnot fsi-- 1560 1560; 1677 bitshiftleft fsi-- 1560 1560 23; 1678 bitshiftright fsi--
1560 1560 23; 1679 bitcat fsi-- 1562 1562 1562; 1680 substring fsi-- 1560 1560 23 23; 1681 length
fsi-- 23 1560; 1682 octet_length fsi-- 23 1560; 1683 bit fsi-- 1560 23 23; 1684 int4 fsi-- 23 1560;
1685 bit fsi-- 1560 1560 23 16; 1686 pg_get_keywords fssr- 2249; 1687 varbit fsi-- 1562 1562 23 16;
1690 time_mi_time fsi-- 1186 1083 1083; 1691 boolle fsi-- 16 16 16; 1692 boolge fsi-- 16 16 16;
1698 position fsi-- 23 1560 1560; 1699 substring fsi-- 1560 1560 23; 1701 numeric_in fsi-- 1700
2275 26 23; 1702 numeric_out fsi-- 2275 1700; 1703 numeric fsi-- 1700 1700 23; 1704 numeric_abs
fsi-- 1700 1700; 1705 abs fsi-- 1700 1700; 1706 sign fsi-- 1700 1700; 1707 round fsi-- 1700 1700
23; 1708 round fsi-- 1700 1700; 1709 trunc fsi-- 1700 1700 23; 1710 trunc fsi-- 1700 1700; 1711
ceil fsi-- 1700 1700; 1712 floor fsi-- 1700 1700; 1713 length fss-- 23 17 19; 1714 convert_from
fss-- 25 17 19; 1716 pg_get_expr fss-- 25 194 26; 1717 convert_to fss-- 17 25 19; 1718 numeric_eq
fsi-- 16 1700 1700; 1719 numeric_ne fsi-- 16 1700 1700; 1720 numeric_gt fsi-- 16 1700 1700; 1721
numeric_ge fsi-- 16 1700 1700; 1722 numeric_lt fsi-- 16 1700 1700; 1723 numeric_le fsi-- 16 1700
1700; 1724 numeric_add fsi-- 1700 1700 1700; 1725 numeric_sub fsi-- 1700 1700 1700; 1726
numeric_mul fsi-- 1700 1700 1700; 1727 numeric_div fsi-- 1700 1700 1700; 1728 mod fsi-- 1700 1700
1700; 1729 numeric_mod fsi-- 1700 1700 1700; 1730 sqrt fsi-- 1700 1700; 1732 exp fsi-- 1700 1700;
1734 ln fsi-- 1700 1700; 1736 log fsi-- 1700 1700 1700; 1738 pow fsi-- 1700 1700 1700; 1739
numeric_power fsi-- 1700 1700 1700; 1740 numeric fsi-- 1700 23; 1741 log fsi-- 1700 1700; 1742
numeric fsi-- 1700 700; 1743 numeric fsi-- 1700 701; 1744 int4 fsi-- 23 1700; 1745 float4 fsi-- 700
1700; 1746 float8 fsi-- 701 1700; 1747 time_pl_interval fsi-- 1083 1083 1186; 1748 time_mi_interval
fsi-- 1083 1083 1186; 1749 timetz_pl_interval fsi-- 1266 1266 1186; 1750 timetz_mi_interval fsi--
1266 1266 1186; 1765 setval fsv-- 20 2205 20 16; 1768 to_char fss-- 25 1186 25; 1770 to_char fss--
25 1184 25; 1771 numeric_uminus fsi-- 1700 1700; 1772 to_char fss-- 25 1700 25; 1773 to_char fss--
25 23 25; 1774 to_char fss-- 25 20 25; 1775 to_char fss-- 25 700 25; 1776 to_char fss-- 25 701 25;
1777 to_number fss-- 1700 25 25; 1778 to_timestamp fss-- 1184 25 25; 1779 int8 fsi-- 20 1700; 1780
to_date fss-- 1082 25 25; 1781 numeric fsi-- 1700 20; 1782 numeric fsi-- 1700 21; 1783 int2 fsi--
21 1700; 1798 oidin fsi-- 26 2275; 1799 oidout fsi-- 2275 26; 1810 bit_length fsi-- 23 17; 1811
bit_length fsi-- 23 25; 1812 bit_length fsi-- 23 1560; 1813 convert fss-- 17 17 19 19; 1848
interval_pl_time fsi-- 1083 1186 1083; 1850 int28eq fsi-- 16 21 20; 1851 int28ne fsi-- 16 21 20;
1852 int28lt fsi-- 16 21 20; 1853 int28gt fsi-- 16 21 20; 1854 int28le fsi-- 16 21 20; 1855 int28ge
fsi-- 16 21 20; 1856 int82eq fsi-- 16 20 21; 1857 int82ne fsi-- 16 20 21; 1858 int82lt fsi-- 16 20
21; 1859 int82gt fsi-- 16 20 21; 1860 int82le fsi-- 16 20 21; 1861 int82ge fsi-- 16 20 21; 1892
int2and fsi-- 21 21 21; 1893 int2or fsi-- 21 21 21; 1894 int2xor fsi-- 21 21 21; 1895 int2not fsi--
21 21; 1896 int2shl fsi-- 21 21 23; 1897 int2shr fsi-- 21 21 23; 1898 int4and fsi-- 23 23 23; 1899
int4or fsi-- 23 23 23; 1900 int4xor fsi-- 23 23 23; 1901 int4not fsi-- 23 23; 1902 int4shl fsi-- 23
23 23; 1903 int4shr fsi-- 23 23 23; 1904 int8and fsi-- 20 20 20; 1905 int8or fsi-- 20 20 20; 1906
int8xor fsi-- 20 20 20; 1907 int8not fsi-- 20 20; 1908 int8shl fsi-- 20 20 23; 1909 int8shr fsi--
20 20 23; 1910 int8up fsi-- 20 20; 1911 int2up fsi-- 21 21; 1912 int4up fsi-- 23 23; 1913 float4up
fsi-- 700 700; 1914 float8up fsi-- 701 701; 1915 numeric_uplus fsi-- 1700 1700; 1922
has_table_privilege fss-- 16 19 25 25; 1923 has_table_privilege fss-- 16 19 26 25; 1924
has_table_privilege fss-- 16 26 25 25; 1925 has_table_privilege fss-- 16 26 26 25; 1926
has_table_privilege fss-- 16 25 25; 1927 has_table_privilege fss-- 16 26 25; 1928
pg_stat_get_numscans fss-- 20 26; 1946 encode fsi-- 25 17 25; 1947 decode fsi-- 17 25 25; 1948
byteaeq fsi-- 16 17 17; 1949 bytealt fsi-- 16 17 17; 1950 byteale fsi-- 16 17 17; 1951 byteagt
fsi-- 16 17 17; 1952 byteage fsi-- 16 17 17; 1953 byteane fsi-- 16 17 17; 1961 timestamp fsi-- 1114
1114 23; 1967 timestamptz fsi-- 1184 1184 23; 1968 time fsi-- 1083 1083 23; 1969 timetz fsi-- 1266
1266 23; 1973 div fsi-- 1700 1700 1700; 1986 similar_to_escape fsi-- 25 25 25; 1987
similar_to_escape fsi-- 25 25; 1993 shobj_description fss-- 25 26 19
"""
