"""PostgreSQL 15's own numbers of what there is for enums, domains and rows."""

from __future__ import annotations

from typing import Final

#: As ``FUNCTIONS`` of ``fact_functions``.
MADE_TYPE_FUNCTIONS: Final = """
2597 domain_in f-s-- 2276 2275 26 23; 2598 domain_recv f-s-- 2276 2281 26 23; 3506 enum_in fss--
3500 2275 26; 3507 enum_out fss-- 2275 3500; 3508 enum_eq fsi-- 16 3500 3500; 3509 enum_ne fsi-- 16
3500 3500; 3510 enum_lt fsi-- 16 3500 3500; 3511 enum_gt fsi-- 16 3500 3500; 3512 enum_le fsi-- 16
3500 3500; 3513 enum_ge fsi-- 16 3500 3500; 3514 enum_cmp fsi-- 23 3500 3500; 3524 enum_smaller
fsi-- 3500 3500 3500; 3525 enum_larger fsi-- 3500 3500 3500; 3526 max a-i-- 3500 3500; 3527 min
a-i-- 3500 3500; 3528 enum_first f-s-- 3500 3500; 3529 enum_last f-s-- 3500 3500; 3530 enum_range
f-s-- 2277 3500 3500; 3531 enum_range f-s-- 2277 3500; 3532 enum_recv fss-- 3500 2281 26; 3533
enum_send fss-- 17 3500
"""

#: As ``OPERATORS`` of ``fact_operators``.
MADE_TYPE_OPERATORS: Final = """
3516 = b 3500 3500 16 3516 3517 3508; 3517 <> b 3500 3500 16 3517 3516 3509; 3518 < b 3500 3500 16
3519 3521 3510; 3519 > b 3500 3500 16 3518 3520 3511; 3520 <= b 3500 3500 16 3521 3519 3512; 3521 >=
b 3500 3500 16 3520 3518 3513
"""
