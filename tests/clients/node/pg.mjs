// node-postgres: statements, parameters, cursors, streams, COPY, errors, notices, notifications.
import assert from "node:assert/strict";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import pg from "pg";
import Cursor from "pg-cursor";
import QueryStream from "pg-query-stream";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";

const connectionString = process.argv[2];
const client = new pg.Client({ connectionString });
const notices = [];
client.on("notice", (notice) => notices.push(notice.message));
await client.connect();

await client.query("DROP TABLE IF EXISTS nothing");
assert.deepEqual(notices, ['table "nothing" does not exist, skipping']);

await client.query("CREATE TABLE numbers (n int PRIMARY KEY, s text, at timestamptz, x numeric(8,2), j jsonb, a int[])");
const insert = "INSERT INTO numbers VALUES ($1, $2, $3, $4, $5, $6) RETURNING *";
const at = new Date("2024-02-29T01:02:03.004Z");
const first = await client.query(insert, [1, "one ☃", at, "12.50", { k: [1, null] }, [1, 2]]);
assert.equal(first.command, "INSERT");
assert.equal(first.rowCount, 1);
assert.deepEqual(first.rows[0], { n: 1, s: "one ☃", at, x: "12.50", j: { k: [1, null] }, a: [1, 2] });
assert.deepEqual(first.fields.map((f) => [f.name, f.dataTypeID]), [
  ["n", 23], ["s", 25], ["at", 1184], ["x", 1700], ["j", 3802], ["a", 1007],
]);

for (let n = 2; n <= 100; n++) {
  await client.query({ name: "insert number", text: "INSERT INTO numbers (n, s) VALUES ($1, $2)", values: [n, `row ${n}`] });
}
const named = { name: "by number", text: "SELECT s FROM numbers WHERE n = ANY($1) ORDER BY n" };
for (let i = 2; i < 12; i++) {
  const { rows } = await client.query({ ...named, values: [[i, i + 1]] });
  assert.deepEqual(rows.map((r) => r.s), [`row ${i}`, `row ${i + 1}`]);
}

const many = await client.query("SELECT 1 AS a; SELECT 2 AS b, 3 AS c");
assert.deepEqual(many.map((r) => r.rows), [[{ a: 1 }], [{ b: 2, c: 3 }]]);
const arrays = await client.query({ text: "SELECT n, n > 1 FROM numbers ORDER BY n LIMIT $1", values: [2], rowMode: "array" });
assert.deepEqual(arrays.rows, [[1, false], [2, true]]);
const binary = await client.query({ text: "SELECT $1::int AS n, true AS b", values: [70000], binary: true });
assert.deepEqual(binary.rows, [{ n: 70000, b: true }]);

const cursor = client.query(new Cursor("SELECT n FROM numbers WHERE n > $1 ORDER BY n", [10]));
assert.deepEqual((await cursor.read(3)).map((r) => r.n), [11, 12, 13]);
assert.deepEqual((await cursor.read(2)).map((r) => r.n), [14, 15]);
await cursor.close();

const streamed = [];
for await (const row of client.query(new QueryStream("SELECT n FROM numbers ORDER BY n", [], { batchSize: 7 }))) {
  streamed.push(row.n);
}
assert.deepEqual(streamed, Array.from({ length: 100 }, (_, i) => i + 1));

await pipeline(Readable.from(["200\ttwo\n", "201\t\\N\n"]), client.query(copyFrom("COPY numbers (n, s) FROM STDIN")));
const csv = await text(client.query(copyTo("COPY (SELECT n, s FROM numbers WHERE n >= 200 ORDER BY n) TO STDOUT CSV")));
assert.equal(csv, "200,two\n201,\n");

await assert.rejects(client.query("SELECT n, nope FROM numbers"), (e) => e.code === "42703" && e.position === "11");
await assert.rejects(client.query("INSERT INTO numbers (s) VALUES ($1)", ["x"]), { code: "23502", table: "numbers", column: "n" });
await assert.rejects(client.query("SELECT $1 IS NULL", [null]), { code: "42P18" });
await assert.rejects(client.query("SELECT n FROM numbers WHERE n = $1", ["x"]), { code: "22P02" });

await client.query("BEGIN");
await client.query("INSERT INTO numbers (n) VALUES (300)");
await assert.rejects(client.query("SELECT 1/0"), { code: "22012" });
await assert.rejects(client.query("SELECT 1"), { code: "25P02" });
await client.query("ROLLBACK");
assert.deepEqual((await client.query("SELECT count(*) AS c FROM numbers WHERE n = 300")).rows, [{ c: "0" }]);

await client.query("LISTEN news");
const heard = new Promise((resolve) => client.on("notification", resolve));
const pool = new pg.Pool({ connectionString, max: 4 });
await pool.query("SELECT pg_notify($1, $2)", ["news", "hello"]);
assert.equal((await heard).payload, "hello");
const doubled = await Promise.all(Array.from({ length: 30 }, (_, i) => pool.query("SELECT $1::int * 2 AS d", [i])));
assert.deepEqual(doubled.map((r) => r.rows[0].d), Array.from({ length: 30 }, (_, i) => i * 2));
const day = await pool.query("SELECT date_trunc($1, $2::timestamp) AS day", ["day", "2024-05-06 07:08:09"]);
assert.equal(day.rows[0].day.getDate(), 6);
await pool.end();
await client.end();
console.log("done");
