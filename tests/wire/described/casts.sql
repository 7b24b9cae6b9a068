SELECT $1::int
SELECT $1::int2
SELECT $1::smallint
SELECT $1::bigint
SELECT $1::text
SELECT $1::varchar
SELECT $1::varchar(10)
SELECT $1::char(3)
SELECT $1::numeric
SELECT $1::numeric(10,2)
SELECT $1::float4
SELECT $1::float8
SELECT $1::bool
SELECT $1::bytea
SELECT $1::uuid
SELECT $1::json
SELECT $1::jsonb
SELECT $1::time
SELECT $1::interval
SELECT $1::timestamp
SELECT $1::timestamptz
SELECT $1::timestamp(3)
SELECT $1::int[]
SELECT $1::text[]
SELECT $1::varchar[]
SELECT $1::numeric[]
SELECT $1::timestamptz[]
SELECT $1::uuid[]
SELECT $1::oid
SELECT $1::regclass
SELECT $1::regtype
SELECT $1::name
SELECT $1::"char"
SELECT CAST($1 AS date)
SELECT CAST($1 AS int) + 1
SELECT CAST($1 AS decimal(5,1))
SELECT CAST($1 AS double precision)
SELECT CAST($1 AS timestamp with time zone)
SELECT CAST($1 AS pg_catalog.int8)
SELECT ($1)::int
SELECT (($1))::int
SELECT ($1 + 1)::int
SELECT ($1::text)::int
SELECT $1::text::int
SELECT $1::int::text
SELECT $1::date::timestamptz
SELECT ($1 || '')::int
SELECT id FROM t WHERE d = $1::date
SELECT id FROM t WHERE id = $1::bigint
SELECT id FROM t WHERE id = $1::text::int
SELECT id FROM t WHERE ts >= $1::date
SELECT id FROM t WHERE s = $1::varchar
SELECT $1::int AS a, $2::text AS b, $3::date AS c
SELECT $1::int, $1::int
SELECT $1::int, $1::bigint
SELECT $1::int, $1
SELECT $1, $1::int
SELECT $1::int, $1::text
SELECT $1::text, $1
SELECT $1 = 1, $1 = 'a'
SELECT $1 + 1, $1 || 'x'
SELECT id FROM t WHERE id = $1 AND i8 = $1
SELECT id FROM t WHERE i8 = $1 AND id = $1
SELECT id FROM t WHERE id = $1 AND s = $1
SELECT id FROM t WHERE s = $1 AND v = $1
SELECT id FROM t WHERE v = $1 AND s = $1
SELECT id FROM t WHERE d = $1 AND ts = $1
SELECT id FROM t WHERE ts = $1 AND tz = $1
SELECT id FROM t WHERE f8 = $1 AND n = $1
SELECT id FROM t WHERE n = $1 AND f8 = $1
SELECT id FROM t WHERE id = $1 LIMIT $1
SELECT $2::int
SELECT $1::int, $3::text
SELECT $2::text, $1::int
SELECT $3::int, $2::int, $1::int
SELECT $0
SELECT 1
SELECT $1, $2, $3
SELECT $1 AS x
SELECT ($1)
SELECT $1 FROM t
SELECT DISTINCT $1
SELECT DISTINCT $1 FROM t
SELECT $1 GROUP BY 1
SELECT $1 FROM t GROUP BY $1
SELECT count(*) FROM t GROUP BY $1
SELECT $1 ORDER BY 1
SELECT id FROM t ORDER BY $1
SELECT id, $1 FROM t ORDER BY 2
[23] SELECT $1
[21] SELECT $1
[20] SELECT $1
[25] SELECT $1
[1043] SELECT $1
[1042] SELECT $1
[16] SELECT $1
[17] SELECT $1
[700] SELECT $1
[701] SELECT $1
[1700] SELECT $1
[1082] SELECT $1
[1083] SELECT $1
[1114] SELECT $1
[1184] SELECT $1
[1186] SELECT $1
[2950] SELECT $1
[114] SELECT $1
[3802] SELECT $1
[1007] SELECT $1
[1009] SELECT $1
[1015] SELECT $1
[26] SELECT $1
[19] SELECT $1
[18] SELECT $1
[2205] SELECT $1
[705] SELECT $1
[0] SELECT $1
[0] SELECT $1 IS NULL
[705] SELECT $1 IS NULL
[23] SELECT $1 IS NULL
[25] SELECT 1
[0] SELECT 1
[705] SELECT 1
[23, 0] SELECT $1
[0, 23] SELECT $1, $2
[0, 23] SELECT $2
[21] SELECT id FROM t WHERE id = $1
[21] SELECT id FROM t WHERE i2 = $1
[20] SELECT id FROM t WHERE id = $1
[25] SELECT id FROM t WHERE id = $1
[1043] SELECT id FROM t WHERE s = $1
[1043] SELECT id FROM t WHERE id = $1
[1700] SELECT id FROM t WHERE id = $1
[701] SELECT id FROM t WHERE n = $1
[1082] SELECT id FROM t WHERE ts = $1
[1114] SELECT id FROM t WHERE tz = $1
[1184] SELECT id FROM t WHERE d = $1
[25] SELECT id FROM t WHERE d = $1
[25] SELECT id FROM t WHERE d = $1::date
[25] SELECT $1::int
[21] SELECT $1::int
[20] SELECT $1 + 1
[21] SELECT $1 + 1
[21, 21] SELECT $1 + $2
[23, 1700] SELECT $1 + $2
[21] INSERT INTO t (id) VALUES ($1)
[20] INSERT INTO t (id) VALUES ($1)
[25] INSERT INTO t (id) VALUES ($1)
[23] INSERT INTO t (s) VALUES ($1)
[705] INSERT INTO t (d) VALUES ($1)
[0, 25] INSERT INTO t (id, s) VALUES ($1, $2)
[1043] INSERT INTO t (s) VALUES ($1)
[25] INSERT INTO t (v) VALUES ($1)
[1043] INSERT INTO t (jb) VALUES ($1)
[25] INSERT INTO t (jb) VALUES ($1)
[25] UPDATE t SET d = $1
[701] UPDATE t SET n = $1
[20] UPDATE t SET id = $1
[20] SELECT id FROM t LIMIT $1
[23] SELECT id FROM t LIMIT $1
[25] SELECT id FROM t LIMIT $1
[1700] SELECT id FROM t LIMIT $1
[21] SELECT id FROM t WHERE id = ANY($1)
[1007] SELECT id FROM t WHERE id = ANY($1)
[1016] SELECT id FROM t WHERE id = ANY($1)
[1009] SELECT id FROM t WHERE id = ANY($1)
[1009] SELECT id FROM t WHERE s = ANY($1)
[1015] SELECT id FROM t WHERE s = ANY($1)
[1005] SELECT id FROM t WHERE id = ANY($1)
[21] SELECT jb -> $1 FROM t
[25] SELECT jb -> $1 FROM t
[23] SELECT $1 || 'a'
[25] SELECT $1 || 1
[1043] SELECT $1 || $2
[1082] SELECT $1 + 1
[1082, 1082] SELECT $1 - $2
[1114, 1114] SELECT $1 - $2
[2249] SELECT $1
[23, 25] SELECT CASE WHEN $1 = 1 THEN $2 END
SELECT $1
