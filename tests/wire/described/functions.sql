SELECT upper($1)
SELECT lower($1) = s FROM t
SELECT length($1)
SELECT char_length($1)
SELECT octet_length($1)
SELECT abs($1)
SELECT round($1)
SELECT round($1, 2)
SELECT round(n, $1) FROM t
SELECT ceil($1)
SELECT sqrt($1)
SELECT power($1, 2)
SELECT power(f8, $1) FROM t
SELECT mod($1, 2)
SELECT mod(id, $1) FROM t
SELECT substring($1, 1)
SELECT substring(s, $1) FROM t
SELECT substring($1 FROM 1 FOR 2)
SELECT substr($1, $2, $3)
SELECT left($1, $2)
SELECT right(s, $1) FROM t
SELECT lpad($1, $2, $3)
SELECT repeat($1, $2)
SELECT replace($1, $2, $3)
SELECT position($1 IN s) FROM t
SELECT strpos(s, $1) FROM t
SELECT split_part($1, $2, $3)
SELECT trim($1)
SELECT trim(BOTH $1 FROM s) FROM t
SELECT ltrim($1, $2)
SELECT overlay(s PLACING $1 FROM $2) FROM t
SELECT starts_with(s, $1) FROM t
SELECT regexp_replace($1, $2, $3)
SELECT regexp_match(s, $1) FROM t
SELECT md5($1)
SELECT ascii($1)
SELECT chr($1)
SELECT initcap($1)
SELECT reverse($1)
SELECT concat($1)
SELECT concat($1, $2)
SELECT concat(s, $1) FROM t
SELECT concat('a', $1::text)
SELECT concat_ws($1, s, 'x') FROM t
SELECT concat_ws(',', $1)
SELECT format($1, 1)
SELECT format('%s', $1)
SELECT format('%s', $1::text)
SELECT quote_ident($1)
SELECT quote_literal($1)
SELECT quote_nullable($1)
SELECT to_char($1, 'YYYY')
SELECT to_char(tz, $1) FROM t
SELECT to_char($1::timestamp, $2)
SELECT to_date($1, $2)
SELECT to_timestamp($1)
SELECT to_timestamp($1, $2)
SELECT to_number($1, $2)
SELECT date_trunc('day', $1)
SELECT date_trunc($1, ts) FROM t
SELECT date_trunc($1, $2)
SELECT date_trunc('day', $1::timestamptz)
SELECT date_trunc('day', tz, $1) FROM t
SELECT date_part($1, ts) FROM t
SELECT date_part('year', $1)
SELECT extract(year FROM $1)
SELECT extract(year FROM $1::date)
SELECT extract(epoch FROM $1::timestamptz)
SELECT age($1, $2)
SELECT age(tz, $1) FROM t
SELECT make_date($1, $2, $3)
SELECT make_timestamp($1, $2, $3, $4, $5, $6)
SELECT justify_days($1)
SELECT generate_series($1, $2)
SELECT generate_series($1, 10)
SELECT generate_series(1, $1)
SELECT generate_series($1::int, $2::int)
SELECT generate_series($1, $2, $3)
SELECT generate_series($1, $2, interval '1 day')
SELECT generate_series($1::timestamptz, $2, $3)
SELECT * FROM generate_series(1, $1)
SELECT * FROM generate_series($1, $2)
SELECT * FROM generate_series($1, $2, '1 day')
SELECT n FROM generate_series(1, $1) AS g (n) WHERE n > $2
SELECT unnest($1::int[])
SELECT unnest($1::text[])
SELECT * FROM unnest($1::int[])
SELECT * FROM unnest($1::int[]) AS q
SELECT * FROM unnest($1::int[]) AS q (a)
SELECT * FROM unnest($1::int[], $2::text[]) AS q (a, b)
SELECT array_length(ia, $1) FROM t
SELECT array_append(ia, $1) FROM t
SELECT array_prepend($1, ia) FROM t
SELECT array_cat(ia, $1) FROM t
SELECT array_position(ia, $1) FROM t
SELECT array_remove(ta, $1) FROM t
SELECT array_replace(ia, $1, $2) FROM t
SELECT array_to_string(ia, $1) FROM t
SELECT array_to_string($1::text[], $2)
SELECT string_to_array($1, $2)
SELECT cardinality(ia) = $1 FROM t
SELECT to_jsonb($1::text)
SELECT json_build_object('a', $1)
SELECT jsonb_build_object($1, 1)
SELECT jsonb_build_object('a', $1::text)
SELECT jsonb_build_array($1)
SELECT jsonb_set(jb, $1, $2) FROM t
SELECT jsonb_extract_path_text(jb, $1) FROM t
SELECT jsonb_array_elements($1)
SELECT * FROM jsonb_array_elements($1)
SELECT * FROM jsonb_array_elements_text($1)
SELECT * FROM jsonb_each($1)
SELECT * FROM json_array_elements($1::json)
SELECT jsonb_array_length($1)
SELECT jsonb_typeof($1)
SELECT encode($1, $2)
SELECT decode($1, 'hex')
SELECT sha256($1)
SELECT pg_typeof($1)
SELECT pg_typeof($1::int)
SELECT random() < $1
SELECT sign($1)
SELECT exp($1)
SELECT ln($1)
SELECT log($1)
SELECT log($1, 2)
SELECT width_bucket($1, 0, 10, 5)
SELECT isfinite($1)
SELECT timezone($1, $2)
SELECT relname FROM pg_class WHERE oid = $1
SELECT relname FROM pg_class WHERE oid = $1::regclass
SELECT typname FROM pg_type WHERE oid = ANY($1)
SELECT pg_cancel_backend($1)
SELECT pg_sleep($1)
SELECT set_config($1, $2, $3)
SELECT current_setting($1)
SELECT current_setting($1, $2)
SELECT to_regclass($1)
SELECT to_regtype($1)
SELECT format_type($1, $2)
SELECT obj_description($1, 'pg_class')
SELECT pg_get_userbyid($1)
SELECT pg_table_is_visible($1)
SELECT unnest($1)
SELECT * FROM unnest($1)
SELECT array_length($1, 1)
SELECT array_append($1, 1)
SELECT array_append($1, $2)
SELECT array_to_string($1, ',')
SELECT cardinality($1)
