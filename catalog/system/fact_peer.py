"""What there is of RisingWave's own: functions and casts of its types, under numbers of our own."""

from __future__ import annotations

from typing import Final

#: As ``FUNCTIONS`` of ``fact_functions``.
PEER_FUNCTIONS: Final = """
9901 rw_int256_in fsi-- 1301 2275; 9902 rw_int256_out fsi-- 2275 1301;
9903 rw_int256_recv fsi-- 1301 2281; 9904 rw_int256_send fsi-- 17 1301;
9905 hex_to_int256 fsi-- 1301 25; 9906 abs fsi-- 1301 1301; 9907 sum a-i-- 1301 1301;
9908 min a-i-- 1301 1301; 9909 max a-i-- 1301 1301; 9910 avg a-i-- 701 1301;
9911 stddev a-i-- 701 1301; 9912 stddev_pop a-i-- 701 1301; 9913 stddev_samp a-i-- 701 1301;
9914 variance a-i-- 701 1301; 9915 var_pop a-i-- 701 1301; 9916 var_samp a-i-- 701 1301;
9917 map_in fsi-- 1303 2275; 9918 map_out fsi-- 2275 1303; 9919 map_recv fsi-- 1303 2281;
9920 map_send fsi-- 17 1303; 9921 map_from_key_values fsi-- 1303 2277 2277;
9922 map_from_entries fsi-- 1303 2277; 9923 map_keys fsi-- 2277 1303; 9924 map_values fsi-- 2277
1303; 9925 map_entries fsi-- 2277 1303; 9926
map_length fsi-- 23 1303; 9927 cardinality fsi-- 23 1303;
9928 map_access fsi-- 2283 1303 2276; 9929 map_contains fsi-- 16 1303 2276;
9930 map_cat f-i-- 1303 1303 1303; 9931 map_insert f-i-- 1303 1303 2276 2276;
9932 map_delete f-i-- 1303 1303 2276; 9933 rw_recovery_status fss-- 25;
9934 rw_cluster_id fss-- 1043
"""

#: As ``CASTS`` of ``fact_casts``.
PEER_CASTS: Final = """
9951 21 1301 0 i f; 9952 23 1301 0 i f; 9953 20 1301 0 i f; 9954 1301 701 0 e f
"""
