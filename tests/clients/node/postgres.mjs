// postgres.js: tagged templates, described and prepared, pipelined, with helpers, cursors and COPY.
import assert from "node:assert/strict";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import postgres from "postgres";

const notices = [];
const sql = postgres(process.argv[2], { max: 4, onnotice: (notice) => notices.push(notice.message) });

await sql`CREATE TABLE numbers (n int PRIMARY KEY, s text, at timestamptz, j jsonb, a int[])`;
const at = new Date("2024-02-29T01:02:03.004Z");
const [row] = await sql`
  INSERT INTO numbers ${sql({ n: 1, s: "one", at, j: { k: [1, null] }, a: [1, 2] })} RETURNING *`;
assert.deepEqual({ ...row }, { n: 1, s: "one", at, j: { k: [1, null] }, a: [1, 2] });

const rows = Array.from({ length: 99 }, (_, i) => ({ n: i + 2, s: `row ${i + 2}` }));
const inserted = await sql`INSERT INTO numbers ${sql(rows, "n", "s")}`;
assert.equal(inserted.count, 99);
assert.equal(inserted.command, "INSERT");
const found = await sql`SELECT s FROM numbers WHERE n IN ${sql([3, 4])} ORDER BY n`;
assert.deepEqual(found.map((r) => r.s), ["row 3", "row 4"]);
const any = await sql`SELECT n FROM numbers WHERE n = ANY(${[5, 6]}::int[]) ORDER BY n`;
assert.deepEqual(any.map((r) => r.n), [5, 6]);
assert.deepEqual(any.columns.map((c) => [c.name, c.type]), [["n", 23]]);
await sql`UPDATE numbers SET ${sql({ s: "changed", at })} WHERE n = ${2}`;
assert.deepEqual((await sql`SELECT s FROM numbers WHERE n = 2`).map((r) => r.s), ["changed"]);

const described = await sql`SELECT n, s FROM numbers WHERE at > ${at} AND n < ${7}`.describe();
assert.deepEqual(described.types, [1184, 23]);
assert.deepEqual(described.columns.map((c) => [c.name, c.type]), [["n", 23], ["s", 25]]);

const pieces = [];
for await (const batch of sql`SELECT n FROM numbers ORDER BY n`.cursor(30)) pieces.push(batch.map((r) => r.n));
assert.deepEqual(pieces.map((p) => p.length), [30, 30, 30, 10]);
assert.deepEqual(pieces.flat(), Array.from({ length: 100 }, (_, i) => i + 1));

const seen = [];
await sql`SELECT n FROM numbers WHERE n <= 5 ORDER BY n`.forEach((r) => seen.push(r.n));
assert.deepEqual(seen, [1, 2, 3, 4, 5]);

await pipeline(Readable.from(["200\ttwo\n", "201\t\\N\n"]), await sql`COPY numbers (n, s) FROM STDIN`.writable());
const copied = await text(await sql`COPY (SELECT n, s FROM numbers WHERE n >= 200 ORDER BY n) TO STDOUT`.readable());
assert.equal(copied, "200\ttwo\n201\t\\N\n");

await assert.rejects(sql`SELECT nope FROM numbers`, { code: "42703", position: "8" });
await assert.rejects(sql`SELECT n FROM numbers WHERE n = ${"x"}`, (e) => e.code === "22P02");

await assert.rejects(
  sql.begin(async (t) => {
    await t`INSERT INTO numbers (n) VALUES (300)`;
    await t.savepoint(async (inner) => inner`INSERT INTO numbers (n) VALUES (301)`);
    await t`SELECT 1/0`;
  }),
  { code: "22012" },
);
const [{ n: left }] = await sql`SELECT count(*)::int AS n FROM numbers WHERE n >= 300`;
assert.equal(left, 0);

const doubled = await Promise.all(Array.from({ length: 50 }, (_, i) => sql`SELECT ${i}::int * 2 AS d`));
assert.deepEqual(doubled.map(([r]) => r.d), Array.from({ length: 50 }, (_, i) => i * 2));
const many = await sql`SELECT 1 AS a; SELECT 2 AS b`.simple();
assert.deepEqual(many.map(([r]) => ({ ...r })), [{ a: 1 }, { b: 2 }]);
const heard = new Promise((resolve) => sql.listen("news", resolve).then(() => sql.notify("news", "hello")));
assert.equal(await heard, "hello");
await sql`DROP TABLE IF EXISTS nothing`;
assert.deepEqual(notices, ['table "nothing" does not exist, skipping']);
await sql.end();
console.log("done");
