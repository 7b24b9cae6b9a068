"""Macros of times and intervals (see ``macros``)."""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from typing import Final

from server.sql.macro import macro, once

MOMENT_MACROS: Final = (
    # Periods that may be given from their end, and of which one side may be unknown.
    once(
        "tg_overlaps(a, b, c, d)",
        "tg_overlapping(least(a, b), CASE WHEN b IS NOT NULL AND a IS NOT NULL THEN greatest(a, b) END, "
        "least(c, d), CASE WHEN d IS NOT NULL AND c IS NOT NULL THEN greatest(c, d) END)",
    ),
    once(
        "tg_overlapping(s, e, t, f)",
        "CASE WHEN s IS NULL OR t IS NULL THEN NULL "
        "WHEN s > t THEN CASE WHEN f IS NULL THEN NULL WHEN s < f THEN TRUE WHEN e IS NOT NULL THEN FALSE END "
        "WHEN s < t THEN CASE WHEN e IS NULL THEN NULL WHEN t < e THEN TRUE WHEN f IS NOT NULL THEN FALSE END "
        "WHEN e IS NOT NULL AND f IS NOT NULL THEN TRUE END",
    ),
    macro(
        "tg_timestamp_text(m, template)",
        "CASE WHEN isfinite(m) AND template <> '' THEN tg_moment_text(epoch_us(m), CAST(0 AS BIGINT), '', template) END",
    ),
    macro(
        "tg_timestamptz_text(m, template)",
        "CASE WHEN isfinite(m) AND template <> '' THEN tg_moment_text(epoch_us(CAST(m AS TIMESTAMP)), "
        "CAST(datepart('timezone', m) AS BIGINT), strftime(m, '%Z'), template) END",
    ),
    once(
        "tg_timestamp_of(x)",
        "CASE WHEN isnan(x) THEN error('22008:timestamp cannot be NaN') "
        "WHEN isinf(x) THEN CASE WHEN x > 0 THEN CAST('infinity' AS TIMESTAMPTZ) ELSE CAST('-infinity' AS TIMESTAMPTZ) END "
        "WHEN abs(x) > 9.2e12 THEN error('22008:timestamp out of range') ELSE to_timestamp(x) END",
    ),
    *(
        once(
            f"tg_trunc_{unit}(m)",
            "CASE WHEN NOT isfinite(m) THEN CAST(m AS TIMESTAMP) ELSE make_timestamp(CAST(CASE WHEN datepart('year', m) > 0 "
            f"THEN {after} ELSE {before} END AS BIGINT), 1, 1, 0, 0, 0) END",
        )
        for unit, after, before in (
            ("decade", "datepart('year', m) // 10 * 10", "-((9 - datepart('year', m)) // 10 * 10)"),
            (
                "century",
                "(datepart('year', m) + 99) // 100 * 100 - 99",
                "-((100 - datepart('year', m)) // 100 * 100) + 1",
            ),
            (
                "millennium",
                "(datepart('year', m) + 999) // 1000 * 1000 - 999",
                "-((1000 - datepart('year', m)) // 1000 * 1000) + 1",
            ),
        )
    ),
    # A zone that is an offset is POSIX's, which counts to the west: -4:30, UTC+4, <+03>-3.
    macro(
        "tg_zone(z)",
        r"CASE WHEN regexp_full_match(z, '([A-Za-z]{3,}|<[A-Za-z0-9+-]+>)?[+-]?\d{1,2}(:\d{2})?') "
        r"THEN 'GMT' || CASE WHEN regexp_extract(z, '([+-])\d{1,2}(:\d{2})?$', 1) = '-' THEN '+' ELSE '-' END "
        r"|| lpad(regexp_extract(z, '(\d{1,2})(:\d{2})?$', 1), 2, '0') || ':' "
        r"|| lpad(regexp_extract(z, ':(\d{2})$', 1), 2, '0') ELSE z END",
    ),
    # Months first, then days, then the rest: the same time of day where clocks are set meanwhile.
    macro(
        "tg_moved(t, i)",
        "CASE WHEN datepart('year', i) = 0 AND datepart('month', i) = 0 AND datepart('day', i) = 0 OR NOT isfinite(t) THEN t + i "
        "ELSE CAST(CAST(CAST(CAST(t AS TIMESTAMP) + to_months(CAST(datepart('year', i) * 12 + datepart('month', i) AS INTEGER)) AS TIMESTAMPTZ) AS TIMESTAMP) "
        "+ to_days(CAST(datepart('day', i) AS INTEGER)) AS TIMESTAMPTZ) + to_microseconds(CAST(tg_interval_us(i) AS BIGINT)) END",
    ),
    # Microseconds since 1970, infinity as the greatest of integers.
    once(
        "tg_finite_us(m)",
        "CASE WHEN isfinite(m) THEN epoch_us(m) WHEN m IS NULL THEN NULL "
        "WHEN m > CAST('2000-01-01' AS TIMESTAMP) THEN 9223372036854775807 ELSE -9223372036854775808 END",
    ),
    # A unit of a day or less: clocks that were set meanwhile do not matter to it.
    *(
        once(
            f"tg_trunc_{unit}_in(m, zone)",
            f"CASE WHEN isfinite(m) THEN m - to_microseconds(epoch_us(m AT TIME ZONE tg_zone(zone)) "
            f"- epoch_us(date_trunc('{unit}', m AT TIME ZONE tg_zone(zone)))) ELSE m END",
        )
        for unit in ("hour", "minute", "second", "milliseconds", "microseconds")
    ),
    # Moments of their fields. A year before 1 BC is counted from it.
    once(
        "tg_make_date(y, m, d)",
        "CASE WHEN y IS NULL OR m IS NULL OR d IS NULL THEN NULL "
        "ELSE coalesce(CASE WHEN y <> 0 THEN TRY(make_date(CAST(y + CAST(y < 0 AS INTEGER) AS BIGINT), CAST(m AS BIGINT), CAST(d AS BIGINT))) END, "
        "error(printf('22008:date field value out of range: %d-%02d-%02d', y, m, d))) END",
    ),
    once(
        "tg_clock_us(h, m, s)",
        "CASE WHEN h IS NULL OR m IS NULL OR s IS NULL THEN NULL "
        "WHEN h BETWEEN 0 AND 24 AND m BETWEEN 0 AND 59 AND s BETWEEN 0 AND 60 AND (h * 60 + m) * 60 + s <= 86400 "
        "THEN CAST(h * 60 + m AS BIGINT) * 60000000 + CAST(round_even(s * 1000000, 0) AS BIGINT) "
        "ELSE error(printf('22008:time field value out of range: %d:%02d:%02g', h, m, s)) END",
    ),
    once(
        "tg_time_at(us)",
        "CASE WHEN us = 86400000000 THEN CAST('24:00:00' AS TIME) ELSE CAST('00:00:00' AS TIME) + to_microseconds(us) END",
    ),
    macro("tg_make_time(h, m, s)", "tg_time_at(tg_clock_us(h, m, s))"),
    once(
        "tg_make_timestamp(y, m, d, h, mi, s)",
        "CASE WHEN y IS NULL OR m IS NULL OR d IS NULL OR h IS NULL OR mi IS NULL OR s IS NULL THEN NULL "
        "ELSE CAST(tg_make_date(y, m, d) AS TIMESTAMP) + to_microseconds(tg_clock_us(h, mi, s)) END",
    ),
    # Times and intervals.
    once(
        "tg_interval_us(i)",
        "CAST(datepart('hour', i) AS HUGEINT) * 3600000000 + datepart('minute', i) * 60000000 "
        "+ datepart('microsecond', i)",
    ),
    once(
        "tg_interval_months(i, unit)",
        "to_months(CAST((datepart('year', i) * 12 + datepart('month', i)) // unit * unit AS INTEGER))",
    ),
    once(
        "tg_interval_part(n)",
        "CASE WHEN n NOT BETWEEN -2147483648 AND 2147483647 THEN error('22008:interval out of range') ELSE CAST(n AS INTEGER) END",
    ),
    macro(
        "tg_interval_of(months, days, us)",
        "to_months(tg_interval_part(months)) + to_days(tg_interval_part(days)) + to_microseconds(CAST(us AS BIGINT))",
    ),
    macro("tg_interval_m(i)", "(datepart('year', i) * 12 + datepart('month', i))"),
    macro(
        "tg_zone_interval(i)",
        "CASE WHEN tg_interval_m(i) <> 0 OR datepart('day', i) <> 0 "
        "THEN error('22023:interval time zone \"' || CAST(i AS VARCHAR) || '\" must not include months or days') ELSE i END",
    ),
    macro(
        "tg_int4_of(x)",
        "CASE WHEN isnan(x) OR abs(x) > 2147483647 THEN error('22008:interval out of range') ELSE CAST(trunc(x) AS INTEGER) END",
    ),
    macro("tg_micro_rounded(x)", "round_even(x * 1000000, 0) / 1000000"),
    # What is left of months goes to days of which a month has 30, what is left of these to seconds.
    once("tg_cascade_1(m, d, t)", "tg_cascade_2(tg_int4_of(m), m, tg_int4_of(d), d, t)"),
    once(
        "tg_cascade_2(months, m, days, d, t)",
        "tg_cascade_3(months, days, d, t, tg_micro_rounded((m - months) * 30))",
    ),
    once(
        "tg_cascade_3(months, days, d, t, left_days)",
        "tg_cascade_4(months, days, t, CAST(trunc(left_days) AS INTEGER), "
        "tg_micro_rounded((d - days + left_days - trunc(left_days)) * 86400))",
    ),
    once(
        "tg_cascade_4(months, days, t, more_days, seconds)",
        "tg_interval_of(months, tg_int4_of(CAST(days AS DOUBLE) + more_days + trunc(seconds / 86400)), "
        "tg_interval_time(t + (seconds - trunc(seconds / 86400) * 86400) * 1000000))",
    ),
    macro(
        "tg_interval_time(us)",
        "CASE WHEN isnan(us) OR abs(us) >= 9223372036854775807 THEN error('22008:interval out of range') ELSE round_even(us, 0) END",
    ),
    once(
        "tg_interval_times(i, f)",
        "tg_cascade_1(CAST(tg_interval_m(i) AS DOUBLE) * f, CAST(datepart('day', i) AS DOUBLE) * f, CAST(tg_interval_us(i) AS DOUBLE) * f)",
    ),
    once(
        "tg_interval_divided(i, f)",
        "CASE WHEN i IS NULL THEN NULL WHEN f = 0 THEN error('22012:division by zero') "
        "ELSE tg_cascade_1(CAST(tg_interval_m(i) AS DOUBLE) / f, CAST(datepart('day', i) AS DOUBLE) / f, CAST(tg_interval_us(i) AS DOUBLE) / f) END",
    ),
    # RisingWave rounds what is left to whole microseconds, not to millionths of months and days.
    macro("tg_us_rounded(x, unit)", "round_even(x * unit, 0) / unit"),
    once(
        "tg_peer_cascade_1(m, d, t)",
        "tg_peer_cascade_2(tg_us_rounded(m, 2592000000000), tg_us_rounded(d, 86400000000), t)",
    ),
    once(
        "tg_peer_cascade_2(m, d, t)",
        "tg_peer_cascade_3(tg_int4_of(m), tg_int4_of(d), d, t, tg_us_rounded((m - trunc(m)) * 30, 86400000000))",
    ),
    once(
        "tg_peer_cascade_3(months, days, d, t, more)",
        "tg_peer_cascade_4(months, CAST(days AS DOUBLE) + trunc(more), t, tg_us_rounded(d - days + more - trunc(more), 86400000000))",
    ),
    once(
        "tg_peer_cascade_4(months, days, t, part)",
        "tg_interval_of(months, tg_int4_of(days + trunc(part)), tg_interval_time(round_even(t, 0) + round_even((part - trunc(part)) * 86400000000, 0)))",
    ),
    once(
        "tg_peer_interval_times(i, f)",
        "tg_peer_cascade_1(CAST(tg_interval_m(i) AS DOUBLE) * f, CAST(datepart('day', i) AS DOUBLE) * f, CAST(tg_interval_us(i) AS DOUBLE) * f)",
    ),
    once(
        "tg_peer_interval_divided(i, f)",
        "CASE WHEN i IS NULL THEN NULL WHEN f = 0 THEN error('22012:division by zero') "
        "ELSE tg_peer_cascade_1(CAST(tg_interval_m(i) AS DOUBLE) / f, CAST(datepart('day', i) AS DOUBLE) / f, CAST(tg_interval_us(i) AS DOUBLE) / f) END",
    ),
    # Days and months of one sign with what is smaller.
    once(
        "tg_one_sign(months, days, us)",
        "CASE WHEN months > 0 AND (days < 0 OR days = 0 AND us < 0) THEN tg_day_sign(months - 1, days + 30, us) "
        "WHEN months < 0 AND (days > 0 OR days = 0 AND us > 0) THEN tg_day_sign(months + 1, days - 30, us) "
        "ELSE tg_day_sign(months, days, us) END",
    ),
    once(
        "tg_day_sign(months, days, us)",
        "CASE WHEN days > 0 AND us < 0 THEN tg_interval_of(months, days - 1, us + 86400000000) "
        "WHEN days < 0 AND us > 0 THEN tg_interval_of(months, days + 1, us - 86400000000) "
        "ELSE tg_interval_of(months, days, us) END",
    ),
    once(
        "tg_justify_hours(i)",
        "tg_day_sign(tg_interval_m(i), CAST(datepart('day', i) AS BIGINT) + tg_interval_us(i) // 86400000000, tg_interval_us(i) % 86400000000)",
    ),
    once(
        "tg_justify_days(i)",
        "tg_month_sign(tg_interval_m(i) + datepart('day', i) // 30, datepart('day', i) % 30, tg_interval_us(i))",
    ),
    once(
        "tg_month_sign(months, days, us)",
        "CASE WHEN months > 0 AND days < 0 THEN tg_interval_of(months - 1, days + 30, us) "
        "WHEN months < 0 AND days > 0 THEN tg_interval_of(months + 1, days - 30, us) "
        "ELSE tg_interval_of(months, days, us) END",
    ),
    once(
        "tg_justify_interval(i)",
        "tg_justified(tg_interval_m(i), datepart('day', i) + tg_interval_us(i) // 86400000000, tg_interval_us(i) % 86400000000)",
    ),
    once("tg_justified(months, days, us)", "tg_one_sign(months + days // 30, days % 30, us)"),
    once(
        "tg_interval_epoch(i)",
        "CAST(datepart('year', i) * 31557600 + datepart('month', i) * 2592000 + datepart('day', i) * 86400 "
        "AS DECIMAL(18, 6)) + CAST(tg_interval_us(i) AS DECIMAL(18, 0)) * 0.000001",
    ),
    macro(
        "tg_time_us(t)",
        "CAST(datepart('hour', t) AS BIGINT) * 3600000000 + datepart('minute', t) * 60000000 "
        "+ datepart('microsecond', t)",
    ),
    once(
        "tg_date_bin(stride, moment, origin)",
        "CASE WHEN stride IS NULL OR origin IS NULL THEN NULL WHEN NOT isfinite(moment) THEN moment "
        "WHEN NOT isfinite(origin) THEN error('22008:origin out of range') "
        "WHEN tg_interval_m(stride) <> 0 THEN error('0A000:timestamps cannot be binned into intervals containing months or years') "
        "WHEN tg_stride(stride) <= 0 THEN error('22008:stride must be greater than zero') "
        "ELSE origin + to_microseconds(tg_floored(CAST(epoch_us(moment) AS HUGEINT) - epoch_us(origin), tg_stride(stride))) END",
    ),
    macro(
        "tg_stride(i)", "(datepart('day', i) * CAST(86400000000 AS HUGEINT) + tg_interval_us(i))"
    ),
    once("tg_floored(a, b)", "CAST(a - ((a % b) + b) % b AS BIGINT)"),
    macro(
        "tg_days_between(a, b)",
        "CASE WHEN isfinite(a) AND isfinite(b) THEN CAST(a - b AS INTEGER) "
        "WHEN a IS NOT NULL AND b IS NOT NULL THEN error('22008:cannot subtract infinite dates') END",
    ),
    macro(
        "tg_date_timetz(d, t)",
        "CASE WHEN NOT isfinite(d) THEN CAST(d AS TIMESTAMPTZ) ELSE CAST(CAST(d AS VARCHAR) || ' ' || CAST(t AS VARCHAR) AS TIMESTAMPTZ) END",
    ),
)
