// TypeORM: tables made from entities and compared with what is there, repositories, relations, streams.
import assert from "node:assert/strict";
import "reflect-metadata";
import { DataSource, EntitySchema, In, Like, MoreThan } from "typeorm";

const Author = new EntitySchema({
  name: "Author", tableName: "author",
  columns: {
    id: { type: "int", primary: true }, name: { type: "varchar", length: 50 }, born: { type: "timestamptz", nullable: true },
    tags: { type: "jsonb", nullable: true }, parts: { type: "int", array: true, nullable: true },
  },
  relations: { books: { type: "one-to-many", target: "Book", inverseSide: "author" } },
});
const Book = new EntitySchema({
  name: "Book", tableName: "book",
  columns: { id: { type: "int", primary: true }, title: { type: "text" }, price: { type: "numeric", precision: 8, scale: 2 }, author_id: { type: "int" } },
  relations: {
    author: { type: "many-to-one", target: "Author", inverseSide: "books", joinColumn: { name: "author_id" }, createForeignKeyConstraints: false },
  },
  indices: [{ name: "book_title", columns: ["title"] }],
});
const source = () => new DataSource({ type: "postgres", url: process.argv[2], entities: [Author, Book], synchronize: true, installExtensions: false });

const db = await source().initialize();
const authors = db.getRepository("Author"), books = db.getRepository("Book");
await authors.save([{ id: 1, name: "Lem", born: new Date("1921-09-12T00:00:00Z"), tags: { a: [1] }, parts: [1, 2] }, { id: 2, name: "Le Guin" }]);
await books.insert(Array.from({ length: 10 }, (_, n) => ({ id: n, title: `book ${n}`, price: n, author_id: 1 + (n % 2) })));
const lem = await authors.findOne({ where: { id: 1 }, relations: { books: true }, order: { books: { id: "ASC" } } });
assert.deepEqual([lem.parts, lem.tags, lem.books.map((b) => b.id)], [[1, 2], { a: [1] }, [0, 2, 4, 6, 8]]);
assert.equal(await books.countBy({ title: Like("book%"), price: MoreThan(6), id: In([7, 8, 9, 1]) }), 3);
const [page, total] = await books.findAndCount({ order: { id: "DESC" }, skip: 2, take: 3 });
assert.deepEqual([page.map((b) => b.id), total], [[7, 6, 5], 10]);
const sums = await books.createQueryBuilder("b").innerJoin("b.author", "a").select("a.name", "name").addSelect("SUM(b.price)", "sum")
  .groupBy("a.name").having("SUM(b.price) > :least", { least: 1 }).orderBy("a.name").getRawMany();
assert.deepEqual(sums, [{ name: "Le Guin", sum: "25.00" }, { name: "Lem", sum: "20.00" }]);
await books.upsert({ id: 1, title: "new", price: 1, author_id: 2 }, ["id"]);
assert.equal((await books.findOneBy({ id: 1 })).title, "new");
await assert.rejects(db.transaction(async (manager) => {
  await manager.delete("Book", { id: 2 });
  throw new Error("undone");
}), /undone/);
await db.transaction("REPEATABLE READ", (manager) => manager.remove("Book", { id: 3 }).catch(() => manager.delete("Book", 3)));
assert.equal(await books.count(), 9);
await db.destroy();

const again = await source().initialize(); // What is there is as the entities want it: nothing is altered.
const runner = again.createQueryRunner();
const table = await runner.getTable("book");
assert.deepEqual(table.columns.map((c) => c.name), ["id", "title", "price", "author_id"]);
assert.deepEqual(table.primaryColumns.map((c) => c.name), ["id"]);
assert.deepEqual(table.indices.map((i) => i.name), ["book_title"]);
assert.equal(await runner.hasTable("nothing"), false);
const log = await again.driver.createSchemaBuilder().log();
assert.deepEqual(log.upQueries.map((q) => q.query), []);
assert.equal(await again.getRepository("Book").count(), 9);
await runner.release();
await again.destroy();
console.log("done");
