// Knex: schema builder, queries, transactions, streams, migrations' tables.
import assert from "node:assert/strict";
import knex from "knex";

const db = knex({ client: "pg", connection: process.argv[2], pool: { min: 0, max: 3 } });

await db.schema.createTable("author", (table) => {
  table.integer("id").primary();
  table.string("name", 50).notNullable();
  table.jsonb("tags");
  table.timestamp("born", { useTz: true });
});
await db.schema.createTable("book", (table) => {
  table.integer("id").primary();
  table.integer("author_id").notNullable().index();
  table.decimal("price", 8, 2);
  table.text("title");
});
assert.equal(await db.schema.hasTable("author"), true);
assert.equal(await db.schema.hasTable("nothing"), false);
assert.equal(await db.schema.hasColumn("author", "name"), true);
const info = await db("author").columnInfo();
assert.deepEqual(info.name, { type: "character varying", maxLength: 50, nullable: false, defaultValue: null });
assert.equal(info.born.type, "timestamp with time zone");

const born = new Date("1921-09-12T00:00:00Z");
assert.deepEqual(
  await db("author").insert([{ id: 1, name: "Lem", tags: { a: [1] }, born }, { id: 2, name: "Le Guin" }]).returning("id"),
  [{ id: 1 }, { id: 2 }],
);
await db.batchInsert("book", Array.from({ length: 20 }, (_, n) => ({ id: n, author_id: 1 + (n % 2), price: n, title: `book ${n}` })), 7);
assert.deepEqual(await db("author").where({ id: 1 }).first(), { id: 1, name: "Lem", tags: { a: [1] }, born });
const sums = await db("book").join("author", "author.id", "book.author_id").groupBy("author.name")
  .select("author.name").sum({ sum: "price" }).count({ n: "*" }).orderBy("author.name");
assert.deepEqual(sums, [{ name: "Le Guin", sum: "100.00", n: "10" }, { name: "Lem", sum: "90.00", n: "10" }]);
assert.deepEqual(await db("book").whereIn("id", [1, 2]).orWhereBetween("price", [18, 19]).orderBy("id").pluck("id"), [1, 2, 18, 19]);
assert.equal(await db("book").where("price", "<", 3).update({ price: db.raw("price + ?", [100]) }), 3);
await db("author").insert({ id: 2, name: "Ursula" }).onConflict("id").merge();
assert.equal((await db("author").where("id", 2).first()).name, "Ursula");
await assert.rejects(db.transaction(async (t) => {
  await t("author").insert({ id: 3, name: "gone" });
  throw new Error("undone");
}), /undone/);
assert.equal((await db("author").count("*").first()).count, "2");
await db.transaction(async (t) => {
  await t("book").where("author_id", 2).del();
  await t.transaction(async (inner) => inner("author").insert({ id: 4, name: "inner" }));
});
assert.equal((await db("book").count("*").first()).count, "10");
let seen = 0;
for await (const row of db("book").select("id").orderBy("id").stream({ highWaterMark: 3 })) seen += row.id;
assert.equal(seen, 90);
const ranked = await db.with("r", db("book").select("id").rank("place", "price")).from("r").where("place", 1);
assert.equal(ranked[0].id, 4);
await db.schema.alterTable("book", (table) => table.integer("stars").defaultTo(3));
assert.equal((await db("book").first("stars")).stars, 3);
await db.schema.renameTable("book", "volume");
await assert.rejects(db("book").select(), (error) => error.code === "42P01");
await db.schema.dropTable("volume");
await db.schema.dropTableIfExists("nothing");
await db.destroy();
console.log("done");
