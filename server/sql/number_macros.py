"""Macros of mathematics (see ``macros``)."""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from typing import Final

from server.sql.macro import macro, once

NUMBER_MACROS: Final = (
    # Functions whose domain PostgreSQL guards.
    once(
        "tg_sqrt(x)",
        "CASE WHEN x < 0 THEN error('2201F:cannot take square root of a negative number') ELSE sqrt(x) END",
    ),
    once(
        "tg_positive(x)",
        "CASE WHEN x > 0 OR x IS NULL THEN x "
        "WHEN x = 0 THEN error('2201E:cannot take logarithm of zero') "
        "ELSE error('2201E:cannot take logarithm of a negative number') END",
    ),
    once(
        "tg_power(a, b)",
        "CASE WHEN a = 0 AND b < 0 THEN error('2201F:zero raised to a negative power is undefined') "
        "WHEN a < 0 AND b <> trunc(b) AND NOT isinf(b) "
        "THEN error('2201F:a negative number raised to a non-integer power yields a complex result') "
        "WHEN isinf(power(a, b)) AND NOT isinf(a) AND NOT isinf(b) "
        "THEN error('22003:value out of range: overflow') "
        "WHEN power(a, b) = 0 AND a <> 0 AND NOT isinf(a) AND NOT isinf(b) "
        "THEN error('22003:value out of range: underflow') ELSE power(a, b) END",
    ),
    # From half a step beyond the largest real, and to half the smallest.
    macro(
        "tg_real(x)",
        "CASE WHEN abs(x) >= 3.4028235677973366e38 AND NOT isinf(x) AND NOT isnan(x) "
        "THEN error('22003:value out of range: overflow') "
        "WHEN x <> 0 AND abs(x) <= 7.006492321624085e-46 THEN error('22003:value out of range: underflow') "
        "ELSE CAST(x AS FLOAT) END",
    ),
    once("tg_once_real(x)", "tg_real(x)"),
    once(
        "tg_written_real(x, shown)",
        "CASE WHEN abs(x) >= 3.4028235677973366e38 AND NOT isinf(x) AND NOT isnan(x) "
        "OR x <> 0 AND abs(x) <= 7.006492321624085e-46 "
        "THEN error('22003:\"' || shown || '\" is out of range for type real') ELSE CAST(x AS FLOAT) END",
    ),
    macro(
        "tg_divisor(a, b)",
        "CASE WHEN b = 0 AND NOT isnan(a) THEN error('22012:division by zero') ELSE b END",
    ),
    macro("tg_log10(x)", "log10(x)"),
    # How far n whole numbers are from their mean, squared, given their sum and that of their squares.
    macro(
        "tg_squares_apart(n, s, q)",
        "(CAST(q - (s // n) * (s + s % n) AS DOUBLE) * n - CAST((s % n) * (s % n) AS DOUBLE)) / n",
    ),
    once(
        "tg_log(b, x)",
        "CASE WHEN b IS NULL OR x IS NULL THEN NULL WHEN tg_positive(b) = 1 AND tg_positive(x) > 0 THEN error('22012:division by zero') "
        "ELSE ln(tg_positive(x)) / ln(b) END",
    ),
    *(
        macro(
            f"tg_{name}(x)",
            f"CASE WHEN {outside} AND NOT isnan(x) THEN error('22003:input is out of range') ELSE {name}(x) END",
        )
        for name, outside in (
            ("asin", "abs(x) > 1"),
            ("acos", "abs(x) > 1"),
            ("acosh", "x < 1"),
            ("atanh", "abs(x) > 1"),
        )
    ),
    macro(
        "tg_finite(x)", "CASE WHEN isinf(x) THEN error('22003:input is out of range') ELSE x END"
    ),
    # The engine rounds to a constant number of places.
    *(
        once(
            f"tg_{name}(x, n)",
            "CASE WHEN n IS NULL THEN NULL WHEN n >= 16 THEN CAST(x AS DECIMAL(38, 16)) "
            + " ".join(
                f"WHEN n = {places} THEN CAST({name}(CAST(x AS DECIMAL(38, 16)), {places}) AS DECIMAL(38, 16))"
                for places in range(-21, 16)
            )
            + " ELSE CAST(0 AS DECIMAL(38, 16)) END",
        )
        for name in ("round", "trunc")
    ),
    once(
        "tg_exp(x)",
        "CASE WHEN isinf(exp(x)) AND NOT isinf(x) THEN error('22003:value out of range: overflow') "
        "WHEN exp(x) = 0 AND NOT isinf(x) THEN error('22003:value out of range: underflow') ELSE exp(x) END",
    ),
    macro(
        "tg_factorial(n)",
        "CASE WHEN n < 0 THEN error('22003:factorial of a negative number is undefined') "
        "WHEN n > 33 THEN error('22003:value overflows numeric format') ELSE factorial(CAST(n AS INTEGER)) END",
    ),
    once(
        "tg_width_bucket_float(x, lo, hi, n)",
        "CASE WHEN isnan(x) OR isnan(lo) OR isnan(hi) THEN error('2201G:operand, lower bound, and upper bound cannot be NaN') "
        "WHEN isinf(lo) OR isinf(hi) THEN error('2201G:lower and upper bounds must be finite') "
        "ELSE tg_width_bucket(x, lo, hi, n) END",
    ),
    once(
        "tg_width_bucket(x, lo, hi, n)",
        "CASE WHEN x IS NULL OR lo IS NULL OR hi IS NULL OR n IS NULL THEN NULL "
        "WHEN n <= 0 THEN error('2201G:count must be greater than zero') "
        "WHEN lo = hi THEN error('2201G:lower bound cannot equal upper bound') "
        "WHEN lo < hi THEN CASE WHEN x < lo THEN 0 WHEN x >= hi THEN n + 1 ELSE CAST(floor((x - lo) / (hi - lo) * n) AS INTEGER) + 1 END "
        "ELSE CASE WHEN x > lo THEN 0 WHEN x <= hi THEN n + 1 ELSE CAST(floor((lo - x) / (lo - hi) * n) AS INTEGER) + 1 END END",
    ),
)
