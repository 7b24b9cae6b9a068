// Drizzle on node-postgres and on postgres.js: queries, relations, transactions, prepared statements.
import assert from "node:assert/strict";
import { and, asc, count, eq, gte, inArray, relations, sql, sum } from "drizzle-orm";
import { drizzle as onPg } from "drizzle-orm/node-postgres";
import { drizzle as onPostgres } from "drizzle-orm/postgres-js";
import { boolean, integer, jsonb, numeric, pgTable, primaryKey, text, timestamp, uuid, varchar } from "drizzle-orm/pg-core";
import pg from "pg";
import postgres from "postgres";

const author = pgTable("author", {
  id: integer("id").primaryKey(), name: varchar("name", { length: 50 }).notNull(), alive: boolean("alive"),
  born: timestamp("born", { withTimezone: true }), tags: jsonb("tags"), key: uuid("key"), parts: integer("parts").array(),
});
const book = pgTable("book", {
  id: integer("id"), authorId: integer("author_id"), price: numeric("price", { precision: 8, scale: 2 }), title: text("title"),
}, (t) => [primaryKey({ columns: [t.id] })]);
const schema = {
  author, book,
  authorRelations: relations(author, ({ many }) => ({ books: many(book) })),
  bookRelations: relations(book, ({ one }) => ({ author: one(author, { fields: [book.authorId], references: [author.id] }) })),
};

const pool = new pg.Pool({ connectionString: process.argv[2] });
const client = postgres(process.argv[2], { max: 2 });
for (const db of [onPg(pool, { schema }), onPostgres(client, { schema })]) {
  await db.execute(sql`CREATE TABLE author (id int PRIMARY KEY, name varchar(50) NOT NULL, alive bool, born timestamptz,
    tags jsonb, key uuid, parts int[])`);
  await db.execute(sql`CREATE TABLE book (id int PRIMARY KEY, author_id int, price numeric(8, 2), title text)`);
  const lem = {
    id: 1, name: "Lem", alive: false, born: new Date("1921-09-12T00:00:00Z"), tags: { a: [1, null] },
    key: "5b0e3a3e-7a6f-4f36-9d0a-2f6fb0a3f6b1", parts: [1, 2],
  };
  const empty = { alive: null, born: null, tags: null, key: null, parts: null };
  assert.deepEqual(await db.insert(author).values([lem, { id: 2, name: "Le Guin" }]).returning(), [lem, { ...empty, id: 2, name: "Le Guin" }]);
  await db.insert(book).values(Array.from({ length: 10 }, (_, n) => ({ id: n, authorId: 1 + (n % 2), price: `${n}.50`, title: `book ${n}` })));
  assert.deepEqual(
    await db.select({ name: author.name, n: count(), sum: sum(book.price) }).from(book).innerJoin(author, eq(author.id, book.authorId))
      .where(and(gte(book.id, 2), inArray(author.id, [1, 2]))).groupBy(author.name).orderBy(asc(author.name)),
    [{ name: "Le Guin", n: 4, sum: "26.00" }, { name: "Lem", n: 4, sum: "22.00" }],
  );
  const found = await db.query.author.findMany({ with: { books: { columns: { id: true }, orderBy: asc(book.id), limit: 2 } }, orderBy: asc(author.id) });
  assert.deepEqual(found.map((a) => a.books), [[{ id: 0 }, { id: 2 }], [{ id: 1 }, { id: 3 }]]);
  const one = await db.query.book.findFirst({ where: eq(book.id, 3), with: { author: true } });
  assert.equal(one.author.name, "Le Guin");
  const prepared = db.select().from(book).where(eq(book.id, sql.placeholder("id"))).prepare("by_id");
  for (let id = 0; id < 7; id++) assert.equal((await prepared.execute({ id }))[0].title, `book ${id}`);
  await db.insert(author).values({ id: 1, name: "Stanisław" }).onConflictDoUpdate({ target: author.id, set: { name: sql`excluded.name` } });
  await assert.rejects(db.transaction(async (t) => {
    await t.update(book).set({ price: "0" });
    await t.transaction(async (inner) => { await inner.delete(book).where(eq(book.id, 1)); });
    t.rollback();
  }));
  assert.equal((await db.select({ price: book.price }).from(book).where(eq(book.id, 1)))[0].price, "1.50");
  assert.equal((await db.select({ name: author.name }).from(author).where(eq(author.id, 1)))[0].name, "Stanisław");
  await db.execute(sql`DROP TABLE author`);
  await db.execute(sql`DROP TABLE book`);
}
await client.end();
await pool.end();
console.log("done");
