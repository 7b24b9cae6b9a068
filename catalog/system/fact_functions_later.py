"""The rest of ``fact_functions``: what PostgreSQL got later, with higher numbers."""

from __future__ import annotations

from typing import Final

#: As in ``fact_functions``.
LATER_FUNCTIONS: Final = """
2003 textanycat fss-- 25 25 2776; 2004 anytextcat fss-- 25 2776 25; 2005 bytealike fsi-- 16 17 17;
2006 byteanlike fsi-- 16 17 17; 2007 like fsi-- 16 17 17; 2008 notlike fsi-- 16 17 17; 2009
like_escape fsi-- 17 17 17; 2010 length fsi-- 23 17; 2011
byteacat fsi-- 17 17 17; 2012 substring fsi-- 17 17 23 23; 2013 substring fsi-- 17 17 23; 2014
position fsi-- 23 17 17; 2015 btrim fsi-- 17 17 17; 2019 time fss-- 1083 1184; 2020 date_trunc
fsi-- 1114 25 1114; 2021 date_part fsi-- 701 25 1114; 2023 jsonb_path_query_first_tz fss-- 3802
3802 4072 3802 16; 2024 timestamp fsi-- 1114 1082; 2025 timestamp fsi-- 1114 1082 1083; 2026
pg_backend_pid fss-- 23; 2027 timestamp fss-- 1114 1184; 2028 timestamptz fss-- 1184 1114; 2029
date fsi-- 1082 1114; 2030 jsonb_path_match_tz fss-- 16 3802 4072 3802 16; 2031 timestamp_mi fsi--
1186 1114 1114; 2032 timestamp_pl_interval fsi-- 1114 1114 1186; 2033 timestamp_mi_interval fsi--
1114 1114 1186; 2034 pg_conf_load_time fss-- 1184; 2037 timezone fss-- 1266 25 1266; 2038 timezone
fsi-- 1266 1186 1266; 2041 overlaps f-i-- 16 1114 1114 1114 1114; 2042 overlaps f-i-- 16 1114 1186
1114 1186; 2043 overlaps f-i-- 16 1114 1114 1114 1186; 2044 overlaps f-i-- 16 1114 1186 1114 1114;
2046 time fsi-- 1083 1266; 2047 timetz fss-- 1266 1083; 2048 isfinite fsi-- 16 1114; 2049 to_char
fss-- 25 1114 25; 2050 max a-i-- 2277 2277; 2051 min a-i-- 2277 2277; 2052 timestamp_eq fsi-- 16
1114 1114; 2053 timestamp_ne fsi-- 16 1114 1114; 2054 timestamp_lt fsi-- 16 1114 1114; 2055
timestamp_le fsi-- 16 1114 1114; 2056 timestamp_ge fsi-- 16 1114 1114; 2057 timestamp_gt fsi-- 16
1114 1114; 2058 age fsi-- 1186 1114 1114; 2059 age fss-- 1186 1114; 2069 timezone fsi-- 1184 25
1114; 2070 timezone fsi-- 1184 1186 1114; 2071 date_pl_interval fsi-- 1114 1082 1186; 2072
date_mi_interval fsi-- 1114 1082 1186; 2073 substring fsi-- 25 25 25; 2074 substring fsi-- 25 25 25
25; 2075 bit fsi-- 1560 20 23; 2076 int8 fsi-- 20 1560; 2077 current_setting fss-- 25 25; 2078
set_config f-v-- 25 25 25 16; 2079 pg_table_is_visible fss-- 16 26; 2080 pg_type_is_visible fss--
16 26; 2081 pg_function_is_visible fss-- 16 26; 2082 pg_operator_is_visible fss-- 16 26; 2083
pg_opclass_is_visible fss-- 16 26; 2084 pg_show_all_settings fssr- 2249; 2085 substr fsi-- 17 17 23
23; 2086 substr fsi-- 17 17 23; 2087 replace fsi-- 25 25 25 25; 2088 split_part fsi-- 25 25 25 23;
2089 to_hex fsi-- 25 23; 2090 to_hex fsi-- 25 20; 2091 array_lower fsi-- 23 2277 23; 2092
array_upper fsi-- 23 2277 23; 2093 pg_conversion_is_visible fss-- 16 26; 2096 pg_terminate_backend
fsv-- 16 23 20; 2098 pg_get_functiondef fss-- 25 26; 2100 avg a-i-- 1700 20; 2101 avg a-i-- 1700
23; 2102 avg a-i-- 1700 21; 2103 avg a-i-- 1700 1700; 2104 avg a-i-- 701 700; 2105 avg a-i-- 701
701; 2106 avg a-i-- 1186 1186; 2107 sum a-i-- 1700 20; 2108 sum a-i-- 20 23; 2109 sum a-i-- 20 21;
2110 sum a-i-- 700 700; 2111 sum a-i-- 701 701; 2113 sum a-i-- 1186 1186; 2114 sum a-i-- 1700 1700;
2115 max a-i-- 20 20; 2116 max a-i-- 23 23; 2117 max a-i-- 21 21; 2118 max a-i-- 26 26; 2119 max
a-i-- 700 700; 2120 max a-i-- 701 701; 2122 max a-i-- 1082 1082; 2123 max a-i-- 1083 1083; 2124 max
a-i-- 1266 1266; 2126 max a-i-- 1114 1114; 2127 max a-i-- 1184 1184; 2128 max a-i-- 1186 1186; 2129
max a-i-- 25 25; 2130 max a-i-- 1700 1700; 2131 min a-i-- 20 20; 2132 min a-i-- 23 23; 2133 min
a-i-- 21 21; 2134 min a-i-- 26 26; 2135 min a-i-- 700 700; 2136 min a-i-- 701 701; 2138 min a-i--
1082 1082; 2139 min a-i-- 1083 1083; 2140 min a-i-- 1266 1266; 2142 min a-i-- 1114 1114; 2143 min
a-i-- 1184 1184; 2144 min a-i-- 1186 1186; 2145 min a-i-- 25 25; 2146 min a-i-- 1700 1700; 2147
count a-i-- 20 2276; 2148 variance a-i-- 1700 20; 2149 variance a-i-- 1700 23; 2150 variance a-i--
1700 21; 2151 variance a-i-- 701 700; 2152 variance a-i-- 701 701; 2153 variance a-i-- 1700 1700;
2154 stddev a-i-- 1700 20; 2155 stddev a-i-- 1700 23; 2156 stddev a-i-- 1700 21; 2157 stddev a-i--
701 700; 2158 stddev a-i-- 701 701; 2159 stddev a-i-- 1700 1700; 2162 pg_get_function_arguments
fss-- 25 26; 2165 pg_get_function_result fss-- 25 26; 2167 ceiling fsi-- 1700 1700; 2168
pg_database_size fsv-- 20 19; 2169 power fsi-- 1700 1700 1700; 2170 width_bucket fsi-- 23 1700 1700
1700 23; 2171 pg_cancel_backend fsv-- 16 23; 2176 array_length fsi-- 23 2277 23; 2181
has_sequence_privilege fss-- 16 19 25 25; 2182 has_sequence_privilege fss-- 16 19 26 25; 2183
has_sequence_privilege fss-- 16 26 25 25; 2184 has_sequence_privilege fss-- 16 26 26 25; 2185
has_sequence_privilege fss-- 16 25 25; 2186 has_sequence_privilege fss-- 16 26 25; 2212
regprocedurein fss-- 2202 2275; 2213 regprocedureout fss-- 2275 2202; 2214 regoperin fss-- 2203
2275; 2215 regoperout fss-- 2275 2203; 2216 regoperatorin fss-- 2204 2275; 2217 regoperatorout
fss-- 2275 2204; 2218 regclassin fss-- 2205 2275; 2219 regclassout fss-- 2275 2205; 2220 regtypein
fss-- 2206 2275; 2221 regtypeout fss-- 2275 2206; 2232 pg_get_function_identity_arguments fss-- 25
26; 2236 bit_and a-i-- 21 21; 2237 bit_or a-i-- 21 21; 2238 bit_and a-i-- 23 23; 2239 bit_or a-i--
23 23; 2240 bit_and a-i-- 20 20; 2241 bit_or a-i-- 20 20; 2242 bit_and a-i-- 1560 1560; 2243 bit_or
a-i-- 1560 1560; 2244 max a-i-- 1042 1042; 2245 min a-i-- 1042 1042; 2250 has_database_privilege
fss-- 16 19 25 25; 2251 has_database_privilege fss-- 16 19 26 25; 2252 has_database_privilege fss--
16 26 25 25; 2253 has_database_privilege fss-- 16 26 26 25; 2254 has_database_privilege fss-- 16 25
25; 2255 has_database_privilege fss-- 16 26 25; 2256 has_function_privilege fss-- 16 19 25 25; 2257
has_function_privilege fss-- 16 19 26 25; 2258 has_function_privilege fss-- 16 26 25 25; 2259
has_function_privilege fss-- 16 26 26 25; 2260 has_function_privilege fss-- 16 25 25; 2261
has_function_privilege fss-- 16 26 25; 2262 has_language_privilege fss-- 16 19 25 25; 2263
has_language_privilege fss-- 16 19 26 25; 2264 has_language_privilege fss-- 16 26 25 25; 2265
has_language_privilege fss-- 16 26 26 25; 2266 has_language_privilege fss-- 16 25 25; 2267
has_language_privilege fss-- 16 26 25; 2268 has_schema_privilege fss-- 16 19 25 25; 2269
has_schema_privilege fss-- 16 19 26 25; 2270 has_schema_privilege fss-- 16 26 25 25; 2271
has_schema_privilege fss-- 16 26 26 25; 2272 has_schema_privilege fss-- 16 25 25; 2273
has_schema_privilege fss-- 16 26 25; 2284 regexp_replace fsi-- 25 25 25 25; 2285 regexp_replace
fsi-- 25 25 25 25 25; 2286 pg_total_relation_size fsv-- 20 2205; 2288 pg_size_pretty fsi-- 25 20;
2289 pg_options_to_table fssr- 2249 1009; 2290 record_in fss-- 2249 2275 26 23; 2291 record_out
fss-- 2275 2249; 2292 cstring_in fsi-- 2275 2275; 2293 cstring_out fsi-- 2275 2275; 2294 any_in
fsi-- 2276 2275; 2295 any_out fsi-- 2275 2276; 2296 anyarray_in fsi-- 2277 2275; 2297 anyarray_out
fss-- 2275 2277; 2298 void_in fsi-- 2278 2275; 2299 void_out fsi-- 2275 2278; 2300 trigger_in f-i--
2279 2275; 2301 trigger_out fsi-- 2275 2279; 2302 language_handler_in f-i-- 2280 2275; 2303
language_handler_out fsi-- 2275 2280; 2304 internal_in f-i-- 2281 2275; 2305 internal_out fsi--
2275 2281; 2308 ceil fsi-- 701 701; 2309 floor fsi-- 701 701; 2310 sign fsi-- 701 701; 2311 md5
fsi-- 25 25; 2312 anyelement_in fsi-- 2283 2275; 2313 anyelement_out fsi-- 2275 2283; 2320 ceiling
fsi-- 701 701; 2321 md5 fsi-- 25 17; 2322 pg_tablespace_size fsv-- 20 26; 2323 pg_tablespace_size
fsv-- 20 19; 2324 pg_database_size fsv-- 20 26; 2325 pg_relation_size fsv-- 20 2205; 2331 unnest
fsir- 2283 2277; 2332 pg_relation_size fsv-- 20 2205 25; 2335 array_agg a-i-- 2277 2776; 2338
date_lt_timestamp fsi-- 16 1082 1114; 2339 date_le_timestamp fsi-- 16 1082 1114; 2340
date_eq_timestamp fsi-- 16 1082 1114; 2341 date_gt_timestamp fsi-- 16 1082 1114; 2342
date_ge_timestamp fsi-- 16 1082 1114; 2343 date_ne_timestamp fsi-- 16 1082 1114; 2351
date_lt_timestamptz fss-- 16 1082 1184; 2352 date_le_timestamptz fss-- 16 1082 1184; 2353
date_eq_timestamptz fss-- 16 1082 1184; 2354 date_gt_timestamptz fss-- 16 1082 1184; 2355
date_ge_timestamptz fss-- 16 1082 1184; 2356 date_ne_timestamptz fss-- 16 1082 1184; 2364
timestamp_lt_date fsi-- 16 1114 1082; 2365 timestamp_le_date fsi-- 16 1114 1082; 2366
timestamp_eq_date fsi-- 16 1114 1082; 2367 timestamp_gt_date fsi-- 16 1114 1082; 2368
timestamp_ge_date fsi-- 16 1114 1082; 2369 timestamp_ne_date fsi-- 16 1114 1082; 2377
timestamptz_lt_date fss-- 16 1184 1082; 2378 timestamptz_le_date fss-- 16 1184 1082; 2379
timestamptz_eq_date fss-- 16 1184 1082; 2380 timestamptz_gt_date fss-- 16 1184 1082; 2381
timestamptz_ge_date fss-- 16 1184 1082; 2382 timestamptz_ne_date fss-- 16 1184 1082; 2390
has_tablespace_privilege fss-- 16 19 25 25; 2391 has_tablespace_privilege fss-- 16 19 26 25; 2392
has_tablespace_privilege fss-- 16 26 25 25; 2393 has_tablespace_privilege fss-- 16 26 26 25; 2394
has_tablespace_privilege fss-- 16 25 25; 2395 has_tablespace_privilege fss-- 16 26 25; 2400
array_recv fss-- 2277 2281 26 23; 2401 array_send fss-- 17 2277; 2402 record_recv fss-- 2249 2281
26 23; 2403 record_send fss-- 17 2249; 2404 int2recv fsi-- 21 2281; 2405 int2send fsi-- 17 21; 2406
int4recv fsi-- 23 2281; 2407 int4send fsi-- 17 23; 2408 int8recv fsi-- 20 2281; 2409 int8send fsi--
17 20; 2410 int2vectorrecv fsi-- 22 2281; 2411 int2vectorsend fsi-- 17 22; 2412 bytearecv fsi-- 17
2281; 2413 byteasend fsi-- 17 17; 2414 textrecv fss-- 25 2281; 2415 textsend fss-- 17 25; 2416
unknownrecv fsi-- 705 2281; 2417 unknownsend fsi-- 17 705; 2418 oidrecv fsi-- 26 2281; 2419 oidsend
fsi-- 17 26; 2420 oidvectorrecv fsi-- 30 2281; 2421 oidvectorsend fsi-- 17 30; 2422 namerecv fss--
19 2281; 2423 namesend fss-- 17 19; 2424 float4recv fsi-- 700 2281; 2425 float4send fsi-- 17 700;
2426 float8recv fsi-- 701 2281; 2427 float8send fsi-- 17 701; 2430 bpcharrecv fss-- 1042 2281 26
23; 2431 bpcharsend fss-- 17 1042; 2432 varcharrecv fss-- 1043 2281 26 23; 2433 varcharsend fss--
17 1043; 2434 charrecv fsi-- 18 2281; 2435 charsend fsi-- 17 18; 2436 boolrecv fsi-- 16 2281; 2437
boolsend fsi-- 17 16; 2438 tidrecv fsi-- 27 2281; 2439 tidsend fsi-- 17 27; 2440 xidrecv fsi-- 28
2281; 2441 xidsend fsi-- 17 28; 2442 cidrecv fsi-- 29 2281; 2443 cidsend fsi-- 17 29; 2444
regprocrecv fsi-- 24 2281; 2445 regprocsend fsi-- 17 24; 2446 regprocedurerecv fsi-- 2202 2281;
2447 regproceduresend fsi-- 17 2202; 2448 regoperrecv fsi-- 2203 2281; 2449 regopersend fsi-- 17
2203; 2450 regoperatorrecv fsi-- 2204 2281; 2451 regoperatorsend fsi-- 17 2204; 2452 regclassrecv
fsi-- 2205 2281; 2453 regclasssend fsi-- 17 2205; 2454 regtyperecv fsi-- 2206 2281; 2455
regtypesend fsi-- 17 2206; 2456 bit_recv fsi-- 1560 2281 26 23; 2457 bit_send fsi-- 17 1560; 2458
varbit_recv fsi-- 1562 2281 26 23; 2459 varbit_send fsi-- 17 1562; 2460 numeric_recv fsi-- 1700
2281 26 23; 2461 numeric_send fsi-- 17 1700; 2462 sinh fsi-- 701 701; 2463 cosh fsi-- 701 701; 2464
tanh fsi-- 701 701; 2465 asinh fsi-- 701 701; 2466 acosh fsi-- 701 701; 2467 atanh fsi-- 701 701;
2468 date_recv fsi-- 1082 2281; 2469 date_send fsi-- 17 1082; 2470 time_recv fsi-- 1083 2281 26 23;
2471 time_send fsi-- 17 1083; 2472 timetz_recv fsi-- 1266 2281 26 23; 2473 timetz_send fsi-- 17
1266; 2474 timestamp_recv fsi-- 1114 2281 26 23; 2475 timestamp_send fsi-- 17 1114; 2476
timestamptz_recv fsi-- 1184 2281 26 23; 2477 timestamptz_send fsi-- 17 1184; 2478 interval_recv
fsi-- 1186 2281 26 23; 2479 interval_send fsi-- 17 1186; 2496 inet_recv fsi-- 869 2281; 2497
inet_send fsi-- 17 869; 2498 cidr_recv fsi-- 650 2281; 2499 cidr_send fsi-- 17 650; 2500
cstring_recv fss-- 2275 2281; 2501 cstring_send fss-- 17 2275; 2502 anyarray_recv fss-- 2277 2281;
2503 anyarray_send fss-- 17 2277; 2504 pg_get_ruledef fss-- 25 26 16; 2505 pg_get_viewdef fss-- 25
25 16; 2506 pg_get_viewdef fss-- 25 26 16; 2507 pg_get_indexdef fss-- 25 26 23 16; 2508
pg_get_constraintdef fss-- 25 26 16; 2509 pg_get_expr fss-- 25 194 26 16; 2510
pg_prepared_statement fssr- 2249; 2511 pg_cursor fssr- 2249; 2517 bool_and a-i-- 16 16; 2518
bool_or a-i-- 16 16; 2519 every a-i-- 16 16; 2520 timestamp_lt_timestamptz fss-- 16 1114 1184; 2521
timestamp_le_timestamptz fss-- 16 1114 1184; 2522 timestamp_eq_timestamptz fss-- 16 1114 1184; 2523
timestamp_gt_timestamptz fss-- 16 1114 1184; 2524 timestamp_ge_timestamptz fss-- 16 1114 1184; 2525
timestamp_ne_timestamptz fss-- 16 1114 1184; 2527 timestamptz_lt_timestamp fss-- 16 1184 1114; 2528
timestamptz_le_timestamp fss-- 16 1184 1114; 2529 timestamptz_eq_timestamp fss-- 16 1184 1114; 2530
timestamptz_gt_timestamp fss-- 16 1184 1114; 2531 timestamptz_ge_timestamp fss-- 16 1184 1114; 2532
timestamptz_ne_timestamp fss-- 16 1184 1114; 2546 interval_pl_date fsi-- 1114 1186 1082; 2547
interval_pl_timetz fsi-- 1266 1186 1266; 2548 interval_pl_timestamp fsi-- 1114 1186 1114; 2549
interval_pl_timestamptz fss-- 1184 1186 1184; 2550 integer_pl_date fsi-- 1082 23 1082; 2557 bool
fsi-- 16 23; 2558 int4 fsi-- 23 16; 2559 lastval fsv-- 20; 2560 pg_postmaster_start_time fss--
1184; 2561 pg_blocking_pids fsv-- 1007 23; 2580 float8 fsi-- 701 3802; 2626 pg_sleep fsv-- 2278
701; 2641 var_samp a-i-- 1700 20; 2642 var_samp a-i-- 1700 23; 2643 var_samp a-i-- 1700 21; 2644
var_samp a-i-- 701 700; 2645 var_samp a-i-- 701 701; 2646 var_samp a-i-- 1700 1700; 2647
transaction_timestamp fss-- 1184; 2648 statement_timestamp fss-- 1184; 2649 clock_timestamp fsv--
1184; 2705 pg_has_role fss-- 16 19 19 25; 2706 pg_has_role fss-- 16 19 26 25; 2707 pg_has_role
fss-- 16 26 19 25; 2708 pg_has_role fss-- 16 26 26 25; 2709 pg_has_role fss-- 16 19 25; 2710
pg_has_role fss-- 16 26 25; 2711 justify_interval fsi-- 1186 1186; 2712 stddev_samp a-i-- 1700 20;
2713 stddev_samp a-i-- 1700 23; 2714 stddev_samp a-i-- 1700 21; 2715 stddev_samp a-i-- 701 700;
2716 stddev_samp a-i-- 701 701; 2717 stddev_samp a-i-- 1700 1700; 2718 var_pop a-i-- 1700 20; 2719
var_pop a-i-- 1700 23; 2720 var_pop a-i-- 1700 21; 2721 var_pop a-i-- 701 700; 2722 var_pop a-i--
701 701; 2723 var_pop a-i-- 1700 1700; 2724 stddev_pop a-i-- 1700 20; 2725 stddev_pop a-i-- 1700
23; 2726 stddev_pop a-i-- 1700 21; 2727 stddev_pop a-i-- 701 700; 2728 stddev_pop a-i-- 701 701;
2729 stddev_pop a-i-- 1700 1700; 2730 pg_get_triggerdef fss-- 25 26 16; 2731 asind fsi-- 701 701;
2732 acosd fsi-- 701 701; 2733 atand fsi-- 701 701; 2734 atan2d fsi-- 701 701 701; 2735 sind fsi--
701 701; 2736 cosd fsi-- 701 701; 2737 tand fsi-- 701 701; 2738 cotd fsi-- 701 701; 2747
arrayoverlap fsi-- 16 2277 2277; 2748 arraycontains fsi-- 16 2277 2277; 2749 arraycontained fsi--
16 2277 2277; 2763 regexp_matches fsir- 1009 25 25; 2764 regexp_matches fsir- 1009 25 25 25; 2765
regexp_split_to_table fsir- 25 25 25; 2766 regexp_split_to_table fsir- 25 25 25 25; 2767
regexp_split_to_array fsi-- 1009 25 25; 2768 regexp_split_to_array fsi-- 1009 25 25 25; 2777
anynonarray_in fsi-- 2776 2275; 2778 anynonarray_out fsi-- 2275 2776; 2790 tidgt fsi-- 16 27 27;
2791 tidlt fsi-- 16 27 27; 2792 tidge fsi-- 16 27 27; 2793 tidle fsi-- 16 27 27; 2803 count a-i--
20; 2818 regr_count a-i-- 20 701 701; 2819 regr_sxx a-i-- 701 701 701; 2820 regr_syy a-i-- 701 701
701; 2821 regr_sxy a-i-- 701 701 701; 2822 regr_avgx a-i-- 701 701 701; 2823 regr_avgy a-i-- 701
701 701; 2824 regr_r2 a-i-- 701 701 701; 2825 regr_slope a-i-- 701 701 701; 2826 regr_intercept
a-i-- 701 701 701; 2827 covar_pop a-i-- 701 701 701; 2828 covar_samp a-i-- 701 701 701; 2829 corr
a-i-- 701 701 701; 2854 pg_my_temp_schema fss-- 26; 2855 pg_is_other_temp_schema fss-- 16 26; 2856
pg_timezone_names fssr- 2249; 2880 pg_advisory_lock fsv-- 2278 20; 2881 pg_advisory_lock_shared
fsv-- 2278 20; 2882 pg_try_advisory_lock fsv-- 16 20; 2883 pg_try_advisory_lock_shared fsv-- 16 20;
2884 pg_advisory_unlock fsv-- 16 20; 2885 pg_advisory_unlock_shared fsv-- 16 20; 2886
pg_advisory_lock fsv-- 2278 23 23; 2887 pg_advisory_lock_shared fsv-- 2278 23 23; 2888
pg_try_advisory_lock fsv-- 16 23 23; 2889 pg_try_advisory_lock_shared fsv-- 16 23 23; 2890
pg_advisory_unlock fsv-- 16 23 23; 2891 pg_advisory_unlock_shared fsv-- 16 23 23; 2892
pg_advisory_unlock_all fsv-- 2278; 2902 varbittypmodin fsi-- 23 1263; 2903 intervaltypmodin fsi--
23 1263; 2904 intervaltypmodout fsi-- 2275 23; 2905 timestamptypmodin fsi-- 23 1263; 2906
timestamptypmodout fsi-- 2275 23; 2907 timestamptztypmodin fsi-- 23 1263; 2908 timestamptztypmodout
fsi-- 2275 23; 2909 timetypmodin fsi-- 23 1263; 2910 timetypmodout fsi-- 2275 23; 2911
timetztypmodin fsi-- 23 1263; 2912 timetztypmodout fsi-- 2275 23; 2913 bpchartypmodin fsi-- 23
1263; 2914 bpchartypmodout fsi-- 2275 23; 2915 varchartypmodin fsi-- 23 1263; 2916 varchartypmodout
fsi-- 2275 23; 2917 numerictypmodin fsi-- 23 1263; 2918 numerictypmodout fsi-- 2275 23; 2919
bittypmodin fsi-- 23 1263; 2920 bittypmodout fsi-- 2275 23; 2921 varbittypmodout fsi-- 2275 23;
2943 txid_current fss-- 20; 2952 uuid_in fsi-- 2950 2275; 2953 uuid_out fsi-- 2275 2950; 2954
uuid_lt fsi-- 16 2950 2950; 2955 uuid_le fsi-- 16 2950 2950; 2956 uuid_eq fsi-- 16 2950 2950; 2957
uuid_ge fsi-- 16 2950 2950; 2958 uuid_gt fsi-- 16 2950 2950; 2959 uuid_ne fsi-- 16 2950 2950; 2961
uuid_recv fsi-- 2950 2281; 2962 uuid_send fsi-- 17 2950; 2971 text fsi-- 25 16; 2981 record_eq
fsi-- 16 2249 2249; 2982 record_ne fsi-- 16 2249 2249; 2983 record_lt fsi-- 16 2249 2249; 2984
record_gt fsi-- 16 2249 2249; 2985 record_le fsi-- 16 2249 2249; 2986 record_ge fsi-- 16 2249 2249;
2997 pg_table_size fsv-- 20 2205; 2998 pg_indexes_size fsv-- 20 2205; 2999 pg_relation_filenode
fss-- 26 2205; 3012 has_column_privilege fss-- 16 19 25 25 25; 3013 has_column_privilege fss-- 16
19 25 21 25; 3014 has_column_privilege fss-- 16 19 26 25 25; 3015 has_column_privilege fss-- 16 19
26 21 25; 3016 has_column_privilege fss-- 16 26 25 25 25; 3017 has_column_privilege fss-- 16 26 25
21 25; 3018 has_column_privilege fss-- 16 26 26 25 25; 3019 has_column_privilege fss-- 16 26 26 21
25; 3020 has_column_privilege fss-- 16 25 25 25; 3021 has_column_privilege fss-- 16 25 21 25; 3022
has_column_privilege fss-- 16 26 25 25; 3023 has_column_privilege fss-- 16 26 21 25; 3024
has_any_column_privilege fss-- 16 19 25 25; 3025 has_any_column_privilege fss-- 16 19 26 25; 3026
has_any_column_privilege fss-- 16 26 25 25; 3027 has_any_column_privilege fss-- 16 26 26 25; 3028
has_any_column_privilege fss-- 16 25 25; 3029 has_any_column_privilege fss-- 16 26 25; 3030 overlay
fsi-- 1560 1560 1560 23 23; 3031 overlay fsi-- 1560 1560 1560 23; 3032 get_bit fsi-- 23 1560 23;
3033 set_bit fsi-- 1560 1560 23 23; 3035 pg_listening_channels fssr- 25; 3036 pg_notify f-v-- 2278
25 25; 3058 concat f-s-v 25 2276; 3059 concat_ws f-s-v 25 25 2276; 3060 left fsi-- 25 25 23; 3061
right fsi-- 25 25 23; 3062 reverse fsi-- 25 25; 3073 pg_is_wal_replay_paused fsv-- 16; 3089
pg_advisory_xact_lock fsv-- 2278 20; 3090 pg_advisory_xact_lock_shared fsv-- 2278 20; 3091
pg_try_advisory_xact_lock fsv-- 16 20; 3092 pg_try_advisory_xact_lock_shared fsv-- 16 20; 3093
pg_advisory_xact_lock fsv-- 2278 23 23; 3094 pg_advisory_xact_lock_shared fsv-- 2278 23 23; 3095
pg_try_advisory_xact_lock fsv-- 16 23 23; 3096 pg_try_advisory_xact_lock_shared fsv-- 16 23 23;
3100 row_number w-i-- 20; 3101 rank w-i-- 20; 3102 dense_rank w-i-- 20; 3103 percent_rank w-i--
701; 3104 cume_dist w-i-- 701; 3105 ntile wsi-- 23 23; 3106 lag wsi-- 2283 2283; 3107 lag wsi--
2283 2283 23; 3108 lag wsi-- 5077 5077 23 5077; 3109 lead wsi-- 2283 2283; 3110 lead wsi-- 2283
2283 23; 3111 lead wsi-- 5077 5077 23 5077; 3112 first_value wsi-- 2283 2283; 3113 last_value wsi--
2283 2283; 3114 nth_value wsi-- 2283 2283 23; 3120 void_recv fsi-- 2278 2281; 3121 void_send fsi--
17 2278; 3138 has_type_privilege fss-- 16 19 25 25; 3139 has_type_privilege fss-- 16 19 26 25; 3140
has_type_privilege fss-- 16 26 25 25; 3141 has_type_privilege fss-- 16 26 26 25; 3142
has_type_privilege fss-- 16 25 25; 3143 has_type_privilege fss-- 16 26 25; 3153 array_to_json fss--
114 2277; 3154 array_to_json fss-- 114 2277 16; 3155 row_to_json fss-- 114 2249; 3156 row_to_json
fss-- 114 2249 16; 3159 pg_get_viewdef fss-- 25 26 23; 3162 pg_collation_for f-s-- 25 2276; 3166
pg_size_pretty fsi-- 25 1700; 3167 array_remove f-i-- 5078 5078 5077; 3168 array_replace f-i-- 5078
5078 5077 5077; 3175 json_agg a-s-- 114 2283; 3176 to_json fss-- 114 2283; 3179 cardinality fsi--
23 2277; 3197 json_object_agg a-s-- 114 2276 2276; 3198 json_build_array f-s-v 114 2276; 3199
json_build_array f-s-- 114; 3200 json_build_object f-s-v 114 2276; 3201 json_build_object f-s--
114; 3202 json_object fsi-- 114 1009; 3203 json_object fsi-- 114 1009 1009; 3204 json_to_record
fss-- 2249 114; 3205 json_to_recordset f-sr- 2249 114; 3207 jsonb_array_length fsi-- 23 3802; 3208
jsonb_each fsir- 2249 3802; 3209 jsonb_populate_record f-s-- 2283 2283 3802; 3210 jsonb_typeof
fsi-- 25 3802; 3214 jsonb_object_field_text fsi-- 25 3802 25; 3215 jsonb_array_element fsi-- 3802
3802 23; 3216 jsonb_array_element_text fsi-- 25 3802 23; 3217 jsonb_extract_path fsi-v 3802 3802
1009; 3218 width_bucket fsi-- 23 5077 5078; 3219 jsonb_array_elements fsir- 3802 3802; 3229
pg_lsn_in fsi-- 3220 2275; 3230 pg_lsn_out fsi-- 2275 3220; 3238 pg_lsn_recv fsi-- 3220 2281; 3239
pg_lsn_send fsi-- 17 3220; 3259 generate_series fsir- 1700 1700 1700 1700; 3260 generate_series
fsir- 1700 1700 1700; 3261 json_strip_nulls fsi-- 114 114; 3262 jsonb_strip_nulls fsi-- 3802 3802;
3263 jsonb_object fsi-- 3802 1009; 3264 jsonb_object fsi-- 3802 1009 1009; 3267 jsonb_agg a-s--
3802 2283; 3270 jsonb_object_agg a-i-- 3802 2276 2276; 3271 jsonb_build_array f-s-v 3802 2276; 3272
jsonb_build_array f-s-- 3802; 3273 jsonb_build_object f-s-v 3802 2276; 3274 jsonb_build_object
f-s-- 3802; 3277 array_position f-i-- 23 5078 5077; 3278 array_position f-i-- 23 5078 5077 23; 3279
array_positions f-i-- 1007 5078 5077; 3281 scale fsi-- 23 1700; 3294 current_setting fss-- 25 25
16; 3296 pg_notification_queue_usage fsv-- 701; 3298 row_security_active fss-- 16 26; 3299
row_security_active fss-- 16 25; 3301 jsonb_concat fsi-- 3802 3802 3802; 3302 jsonb_delete fsi--
3802 3802 25; 3303 jsonb_delete fsi-- 3802 3802 23; 3304 jsonb_delete_path fsi-- 3802 3802 1009;
3305 jsonb_set fsi-- 3802 3802 1009 3802 16; 3306 jsonb_pretty fsi-- 25 3802; 3308 xidneq fsi-- 16
28 28; 3309 xidneqint4 fsi-- 16 28 23; 3334 pg_size_bytes fsi-- 20 25; 3343 jsonb_delete fsi-v 3802
3802 1009; 3352 pg_get_partkeydef fss-- 25 26; 3355 pg_ndistinct_in fsi-- 3361 2275; 3356
pg_ndistinct_out fsi-- 2275 3361; 3357 pg_ndistinct_recv fss-- 3361 2281; 3358 pg_ndistinct_send
fss-- 17 3361; 3396 regexp_match fsi-- 1009 25 25; 3397 regexp_match fsi-- 1009 25 25 25; 3403
pg_statistics_obj_is_visible fss-- 16 26; 3404 pg_dependencies_in fsi-- 3402 2275; 3405
pg_dependencies_out fsi-- 2275 3402; 3406 pg_dependencies_recv fss-- 3402 2281; 3407
pg_dependencies_send fss-- 17 3402; 3408 pg_get_partition_constraintdef fss-- 25 26; 3415
pg_get_statisticsobjdef fss-- 25 26; 3419 sha224 fsi-- 17 17; 3420 sha256 fsi-- 17 17; 3421 sha384
fsi-- 17 17; 3422 sha512 fsi-- 17 17; 3423 pg_partition_tree fsvr- 2249 2205; 3425
pg_partition_ancestors fsvr- 2205 2205; 3432 gen_random_uuid fsv-- 2950; 3449 numeric fsi-- 1700
3802; 3450 int2 fsi-- 21 3802; 3451 int4 fsi-- 23 3802; 3452 int8 fsi-- 20 3802; 3453 float4 fsi--
700 3802; 3461 make_timestamp fsi-- 1114 23 23 23 23 23 701; 3462 make_timestamptz fss-- 1184 23 23
23 23 23 701; 3463 make_timestamptz fss-- 1184 23 23 23 23 23 701 25; 3464 make_interval fsi-- 1186
23 23 23 23 23 23 701; 3465 jsonb_array_elements_text fsir- 25 3802; 3475 jsonb_populate_recordset
f-sr- 2283 2283 3802; 3476 to_regoperator fss-- 2204 25; 3478 jsonb_object_field fsi-- 3802 3802
25; 3479 to_regprocedure fss-- 2202 25; 3490 jsonb_to_record fss-- 2249 3802; 3491
jsonb_to_recordset f-sr- 2249 3802; 3492 to_regoper fss-- 2203 25; 3493 to_regtype fss-- 2206 25;
3494 to_regproc fss-- 24 25; 3495 to_regclass fss-- 2205 25; 3504 anyenum_in fsi-- 3500 2275; 3505
anyenum_out fss-- 2275 3500; 3537 pg_describe_object fss-- 25 26 26 23; 3538 string_agg a-i-- 25 25
25; 3539 format f-s-v 25 25 2276; 3540 format f-s-- 25 25; 3545 string_agg a-i-- 17 17 17; 3556
bool fsi-- 16 3802; 3579 jsonb_insert fsi-- 3802 3802 1009 3802 16; 3594 event_trigger_in f-i--
3838 2275; 3595 event_trigger_out fsi-- 2275 3838; 3696 starts_with fsi-- 16 25 25; 3736
regconfigin fss-- 3734 2275; 3737 regconfigout fss-- 2275 3734; 3738 regconfigrecv fsi-- 3734 2281;
3739 regconfigsend fsi-- 17 3734; 3756 pg_ts_parser_is_visible fss-- 16 26; 3757
pg_ts_dict_is_visible fss-- 16 26; 3758 pg_ts_config_is_visible fss-- 16 26; 3768
pg_ts_template_is_visible fss-- 16 26; 3771 regdictionaryin fss-- 3769 2275; 3772 regdictionaryout
fss-- 2275 3769; 3773 regdictionaryrecv fsi-- 3769 2281; 3774 regdictionarysend fsi-- 17 3769; 3778
pg_tablespace_location fss-- 25 26; 3787 to_jsonb fss-- 3802 2283; 3803 jsonb_send fsi-- 17 3802;
3804 jsonb_out fsi-- 2275 3802; 3805 jsonb_recv fsi-- 3802 2281; 3806 jsonb_in fsi-- 3802 2275;
3808 pg_get_function_arg_default fss-- 25 26 23; 3810 pg_is_in_recovery fsv-- 16; 3815
pg_collation_is_visible fss-- 16 26; 3816 array_typanalyze fss-- 16 2281; 3829
pg_opfamily_is_visible fss-- 16 26; 3832 anyrange_in fss-- 3831 2275 26 23; 3833 anyrange_out fss--
2275 3831; 3842 pg_relation_is_updatable fss-- 23 2205 16; 3843 pg_column_is_updatable fss-- 16
2205 21 16; 3846 make_date fsi-- 1082 23 23 23; 3847 make_time fsi-- 1083 23 23 701; 3931
jsonb_object_keys fsir- 25 3802; 3932 jsonb_each_text fsir- 2249 3802; 3935 pg_sleep_for fsv-- 2278
1186; 3936 pg_sleep_until fsv-- 2278 1184; 3940 jsonb_extract_path_text fsi-v 25 3802 1009; 3943
acldefault fsi-- 1034 18 26; 3947 json_object_field fsi-- 114 114 25; 3948 json_object_field_text
fsi-- 25 114 25; 3949 json_array_element fsi-- 114 114 23; 3950 json_array_element_text fsi-- 25
114 23; 3951 json_extract_path fsi-v 114 114 1009; 3953 json_extract_path_text fsi-v 25 114 1009;
3955 json_array_elements fsir- 114 114; 3956 json_array_length fsi-- 23 114; 3957 json_object_keys
fsir- 25 114; 3958 json_each fsir- 2249 114; 3959 json_each_text fsir- 2249 114; 3960
json_populate_record f-s-- 2283 2283 114 16; 3961 json_populate_recordset f-sr- 2283 2283 114 16;
3968 json_typeof fsi-- 25 114; 3969 json_array_elements_text fsir- 25 114; 3972 percentile_disc
a-i-- 2283 701 2283; 3974 percentile_cont a-i-- 701 701 701; 3976 percentile_cont a-i-- 1186 701
1186; 3978 percentile_disc a-i-- 2277 1022 2283; 3980 percentile_cont a-i-- 1022 1022 701; 3982
percentile_cont a-i-- 1187 1022 1186; 3984 mode a-i-- 2283 2283; 3986 rank a-i-v 20 2276; 3988
percent_rank a-i-v 701 2276; 3990 cume_dist a-i-v 701 2276; 3992 dense_rank a-i-v 20 2276; 4001
jsonpath_in fsi-- 4072 2275; 4002 jsonpath_recv fsi-- 4072 2281; 4003 jsonpath_out fsi-- 2275 4072;
4004 jsonpath_send fsi-- 17 4072; 4005 jsonb_path_exists fsi-- 16 3802 4072 3802 16; 4006
jsonb_path_query fsir- 3802 3802 4072 3802 16; 4007 jsonb_path_query_array fsi-- 3802 3802 4072
3802 16; 4008 jsonb_path_query_first fsi-- 3802 3802 4072 3802 16; 4009 jsonb_path_match fsi-- 16
3802 4072 3802 16; 4010 jsonb_path_exists_opr fsi-- 16 3802 4072; 4011 jsonb_path_match_opr fsi--
16 3802 4072; 4032 pg_sequence_last_value fsv-- 20 2205; 4038 jsonb_ne fsi-- 16 3802 3802; 4039
jsonb_lt fsi-- 16 3802 3802; 4040 jsonb_gt fsi-- 16 3802 3802; 4041 jsonb_le fsi-- 16 3802 3802;
4042 jsonb_ge fsi-- 16 3802 3802; 4043 jsonb_eq fsi-- 16 3802 3802; 4046 jsonb_contains fsi-- 16
3802 3802; 4047 jsonb_exists fsi-- 16 3802 25; 4048 jsonb_exists_any fsi-- 16 3802 1009; 4049
jsonb_exists_all fsi-- 16 3802 1009; 4050 jsonb_contained fsi-- 16 3802 3802; 4053 array_agg a-i--
2277 2277; 4084 regnamespacein fss-- 4089 2275; 4085 regnamespaceout fss-- 2275 4089; 4086
to_regnamespace fss-- 4089 25; 4087 regnamespacerecv fsi-- 4089 2281; 4088 regnamespacesend fsi--
17 4089; 4092 regroleout fss-- 2275 4096; 4093 to_regrole fss-- 4096 25; 4094 regrolerecv fsi--
4096 2281; 4095 regrolesend fsi-- 17 4096; 4098 regrolein fss-- 4096 2275; 4193 regcollationin
fss-- 4191 2275; 4194 regcollationout fss-- 2275 4191; 4195 to_regcollation fss-- 4191 25; 4196
regcollationrecv fsi-- 4191 2281; 4197 regcollationsend fsi-- 17 4191; 4350 normalize fsi-- 25 25
25; 4351 is_normalized fsi-- 16 25 25; 5018 pg_mcv_list_in fsi-- 5017 2275; 5019 pg_mcv_list_out
fsi-- 2275 5017; 5020 pg_mcv_list_recv fss-- 5017 2281; 5021 pg_mcv_list_send fss-- 17 5017; 5034
xid8lt fsi-- 16 5069 5069; 5035 xid8gt fsi-- 16 5069 5069; 5036 xid8le fsi-- 16 5069 5069; 5037
xid8ge fsi-- 16 5069 5069; 5042 min_scale fsi-- 23 1700; 5043 trim_scale fsi-- 1700 1700; 5044 gcd
fsi-- 23 23 23; 5045 gcd fsi-- 20 20 20; 5046 lcm fsi-- 23 23 23; 5047 lcm fsi-- 20 20 20; 5048 gcd
fsi-- 1700 1700 1700; 5049 lcm fsi-- 1700 1700 1700; 5054 jsonb_set_lax f-i-- 3802 3802 1009 3802
16 25; 5059 pg_current_xact_id fss-- 5069; 5070 xid8in fsi-- 5069 2275; 5081 xid8out fsi-- 2275
5069; 5082 xid8recv fsi-- 5069 2281; 5083 xid8send fsi-- 17 5069; 5084 xid8eq fsi-- 16 5069 5069;
5085 xid8ne fsi-- 16 5069 5069; 5086 anycompatible_in fsi-- 5077 2275; 5087 anycompatible_out fsi--
2275 5077; 5088 anycompatiblearray_in fsi-- 5078 2275; 5089 anycompatiblearray_out fss-- 2275 5078;
5090 anycompatiblearray_recv fss-- 5078 2281; 5091 anycompatiblearray_send fss-- 17 5078; 5099 max
a-i-- 5069 5069; 5100 min a-i-- 5069 5069; 6098 jsonb_subscript_handler fsi-- 2281 2281; 6121
pg_relation_is_publishable fss-- 16 2205; 6160 string_to_table f-ir- 25 25 25; 6161 string_to_table
f-ir- 25 25 25 25; 6162 bit_count fsi-- 20 1560; 6163 bit_count fsi-- 20 17; 6164 bit_xor a-i-- 21
21; 6165 bit_xor a-i-- 23 23; 6166 bit_xor a-i-- 20 20; 6167 bit_xor a-i-- 1560 1560; 6172
trim_array fsi-- 2277 2277 23; 6173 pg_get_statisticsobjdef_expressions fss-- 1009 26; 6174
pg_get_statisticsobjdef_columns fss-- 25 26; 6177 date_bin fsi-- 1114 1186 1114 1114; 6178 date_bin
fsi-- 1184 1186 1184 1184; 6179 array_subscript_handler fsi-- 2281 2281; 6180
raw_array_subscript_handler fsi-- 2281 2281; 6195 ltrim fsi-- 17 17 17; 6196 rtrim fsi-- 17 17 17;
6197 pg_get_function_sqlbody fss-- 25 26; 6198 unistr fsi-- 25 25; 6199 extract fsi-- 1700 25 1082;
6200 extract fsi-- 1700 25 1083; 6201 extract fsi-- 1700 25 1266; 6202 extract fsi-- 1700 25 1114;
6203 extract fss-- 1700 25 1184; 6204 extract fsi-- 1700 25 1186; 6251 regexp_replace fsi-- 25 25
25 25 23 23 25; 6252 regexp_replace fsi-- 25 25 25 25 23 23; 6253 regexp_replace fsi-- 25 25 25 25
23; 6254 regexp_count fsi-- 23 25 25; 6255 regexp_count fsi-- 23 25 25 23; 6256 regexp_count fsi--
23 25 25 23 25; 6257 regexp_instr fsi-- 23 25 25; 6258 regexp_instr fsi-- 23 25 25 23; 6259
regexp_instr fsi-- 23 25 25 23 23; 6260 regexp_instr fsi-- 23 25 25 23 23 23; 6261 regexp_instr
fsi-- 23 25 25 23 23 23 25; 6262 regexp_instr fsi-- 23 25 25 23 23 23 25 23; 6263 regexp_like fsi--
16 25 25; 6264 regexp_like fsi-- 16 25 25 25; 6265 regexp_substr fsi-- 25 25 25; 6266 regexp_substr
fsi-- 25 25 25 23; 6267 regexp_substr fsi-- 25 25 25 23 23; 6268 regexp_substr fsi-- 25 25 25 23 23
25; 6269 regexp_substr fsi-- 25 25 25 23 23 25 23
"""
