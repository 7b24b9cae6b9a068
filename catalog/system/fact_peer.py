"""What there is of RisingWave's own types: functions and casts, under numbers of our own."""

from __future__ import annotations

from typing import Final

#: As ``FUNCTIONS`` of ``fact_functions``.
PEER_FUNCTIONS: Final = """
9901 rw_int256_in fsi-- 1301 2275; 9902 rw_int256_out fsi-- 2275 1301;
9903 rw_int256_recv fsi-- 1301 2281; 9904 rw_int256_send fsi-- 17 1301;
9905 hex_to_int256 fsi-- 1301 25; 9906 abs fsi-- 1301 1301; 9907 sum a-i-- 1301 1301;
9908 min a-i-- 1301 1301; 9909 max a-i-- 1301 1301; 9910 avg a-i-- 701 1301;
9911 stddev a-i-- 701 1301; 9912 stddev_pop a-i-- 701 1301; 9913 stddev_samp a-i-- 701 1301;
9914 variance a-i-- 701 1301; 9915 var_pop a-i-- 701 1301; 9916 var_samp a-i-- 701 1301
"""

#: As ``CASTS`` of ``fact_casts``.
PEER_CASTS: Final = """
9951 21 1301 0 i f; 9952 23 1301 0 i f; 9953 20 1301 0 i f; 9954 1301 701 0 e f
"""
