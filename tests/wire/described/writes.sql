INSERT INTO t (id) VALUES ($1)
INSERT INTO t (id, s) VALUES ($1, $2)
INSERT INTO t (id, i2, i8, f4, f8, n, s, v, b, by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
INSERT INTO t (id, d, tm, ts, tz, iv, u, j, jb, ia, ta) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
INSERT INTO t (id, s) VALUES ($1, $2), ($3, $4)
INSERT INTO t (id, s) VALUES ($1, 'x'), (2, $2)
INSERT INTO t (id, s) VALUES ($1, $2), ($1, $3)
INSERT INTO t (id, i8) VALUES ($1, $1)
INSERT INTO t (id, s) VALUES ($1, $1)
INSERT INTO t (s, v) VALUES ($1, $1)
INSERT INTO t (id, s) VALUES ($1, DEFAULT)
INSERT INTO t (id, s) VALUES ($1 + 1, $2 || 'x')
INSERT INTO t (id, s) VALUES ($1::int, $2::text)
INSERT INTO t (id, d) VALUES ($1, $2::date)
INSERT INTO t (id, ts) VALUES ($1, coalesce($2, now()))
INSERT INTO t (id, s) VALUES ($1, upper($2))
INSERT INTO t (id, s) VALUES ($1, (SELECT $2))
INSERT INTO t (id, i8) VALUES ($1, CASE WHEN $2 THEN $3 ELSE 0 END)
INSERT INTO t VALUES ($1, $2, $3)
INSERT INTO t (id, s) VALUES ($2, $1)
INSERT INTO t (id, s) VALUES ($1, $3)
INSERT INTO t (id, s) SELECT $1, $2
INSERT INTO t (id, d) SELECT $1, $2
INSERT INTO t (id, s) SELECT id, $1 FROM t
INSERT INTO t (id, d) SELECT id, $1 FROM t WHERE s = $2
INSERT INTO t (id, s) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM t WHERE id = $1)
INSERT INTO t (id, s) SELECT $1, $2 UNION ALL SELECT $3, $4
INSERT INTO t (id, s) SELECT $1::int, $2::text UNION ALL SELECT $3, $4
INSERT INTO t (id, d) SELECT DISTINCT $1, $2
INSERT INTO t (id, s) SELECT * FROM (VALUES ($1, $2)) v
INSERT INTO t (id, s) SELECT * FROM (VALUES ($1::int, $2)) v
INSERT INTO t (id, s) SELECT a, b FROM unnest($1::int[], $2::text[]) AS q (a, b)
INSERT INTO t (id) SELECT unnest($1::int[])
INSERT INTO t (id) SELECT generate_series($1, $2)
INSERT INTO t (id, s) VALUES ($1, $2) RETURNING id
INSERT INTO t (id, s) VALUES ($1, $2) RETURNING *
INSERT INTO t (id, s) VALUES ($1, $2) RETURNING id + $3, s || $4, $5
INSERT INTO t (id, s) VALUES ($1, $2) RETURNING id AS key, t.s
INSERT INTO t (id, s) VALUES ($1, $2) ON CONFLICT DO NOTHING
INSERT INTO t (id, s) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id
INSERT INTO t (id, s) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET s = $3
INSERT INTO t (id, s) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET s = EXCLUDED.s || $3
INSERT INTO t (id, s) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET i8 = t.i8 + $3 WHERE t.s <> $4 RETURNING *
INSERT INTO t (id, s) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET (s, d) = ($3, $4)
WITH q AS (SELECT $1::int AS a) INSERT INTO t (id) SELECT a FROM q
INSERT INTO t DEFAULT VALUES
INSERT INTO t (id, no_such) VALUES ($1, $2)
INSERT INTO t (id) VALUES ($1, $2)
INSERT INTO t (id, s) VALUES ($1)
UPDATE t SET s = $1
UPDATE t SET s = $1 WHERE id = $2
UPDATE t SET i2 = $1, n = $2, d = $3, jb = $4, ia = $5 WHERE id = $6
UPDATE t SET id = id + $1
UPDATE t SET n = n * $1, f4 = f4 + $2 WHERE s = $3
UPDATE t SET v = $1
UPDATE t SET s = v || $1
UPDATE t SET s = coalesce($1, s)
UPDATE t SET d = d + $1
UPDATE t SET ts = ts - $1
UPDATE t SET b = NOT $1
UPDATE t SET b = id = $1
UPDATE t SET s = CASE WHEN id = $1 THEN $2 ELSE s END
UPDATE t SET (id, s) = ($1, $2)
UPDATE t SET (id, s) = (SELECT $1, $2)
UPDATE t SET (id, s) = (SELECT $1::int, $2::text)
UPDATE t SET s = (SELECT $1)
UPDATE t SET d = (SELECT $1)
UPDATE t SET s = DEFAULT WHERE id = $1
UPDATE t SET jb = jsonb_set(jb, $1, $2) WHERE id = $3
UPDATE t SET ia = array_append(ia, $1)
UPDATE t SET s = $1 WHERE s = $1
UPDATE t SET id = $1 WHERE s = $1
UPDATE t SET i8 = $1 WHERE id = $1
UPDATE t SET s = $1 WHERE id = $2 RETURNING *
UPDATE t SET s = $1 WHERE id = $2 RETURNING id, s, $3
UPDATE t AS x SET s = $1 WHERE x.id = $2 RETURNING x.id
UPDATE t SET s = u.a FROM u WHERE u.b = $1 AND t.id = $2
UPDATE t SET s = v.s FROM (VALUES ($1::int, $2::text)) AS v (id, s) WHERE t.id = v.id
UPDATE t SET s = v.s FROM (VALUES ($1, $2)) AS v (id, s) WHERE t.id = v.id
UPDATE t SET s = v.s FROM unnest($1::int[], $2::text[]) AS v (id, s) WHERE t.id = v.id
UPDATE t SET no_such = $1
DELETE FROM t WHERE id = $1
DELETE FROM t WHERE id = $1 AND s = $2
DELETE FROM t WHERE id = ANY($1)
DELETE FROM t WHERE id IN ($1, $2, $3)
DELETE FROM t WHERE ts < now() - $1
DELETE FROM t WHERE id = $1 RETURNING *
DELETE FROM t WHERE id = $1 RETURNING id, upper(s)
DELETE FROM t USING u WHERE t.s = u.a AND u.b = $1
DELETE FROM t WHERE id IN (SELECT id FROM t WHERE s = $1 LIMIT $2)
DELETE FROM t WHERE (id, s) = ($1, $2)
DELETE FROM t
INSERT INTO t (id) SELECT unnest($1)
