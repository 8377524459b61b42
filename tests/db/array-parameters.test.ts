import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import pg from "pg";
import { toKyselyQuery } from "../../src/db/kysely/to-kysely-query.js";
import { toParameter, toQuery } from "../../src/db/pool/to-query.js";
import { parameterTypes } from "../../src/db/statements/statement.js";
import { runs } from "../../test-support/runs.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

/** Text that Postgres can store. */
const text = fc.string({ unit: "binary" }).filter((value) => !value.includes("\0"));
const bytes = fc.uint8Array({ maxLength: 64 });

describeServer("an array that is sent", (target) => {
  let database: TestDatabase<string>;
  let pool: pg.Pool;

  beforeAll(async () => {
    database = await target.createDatabase();
    pool = new pg.Pool({ connectionString: database.source });
    pool.on("error", () => undefined);
  });
  afterAll(() => pool.end());

  /** The items as the server received them, as JSON; bytes in hexadecimal. */
  async function received(type: string, element: string, items: unknown[]): Promise<unknown> {
    const array = toParameter(items);
    const query = `select coalesce(json_agg(${element} order by n), '[]') as items
      from unnest($1::${type}[]) with ordinality as entry(item, n)`;
    const { rows } = await pool.query<{ items: unknown }>(query, [array]);
    return rows[0]?.items;
  }

  it("arrives as the same texts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text), async (items) => {
        expect(await received("text", "item", items)).toEqual(items);
      }),
      runs(100),
    );
  });

  it("arrives as the same bytes and NULLs", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(bytes)), async (items) => {
        const hex = items.map((item) => item && Buffer.from(item).toString("hex"));
        expect(await received("bytea", "encode(item, 'hex')", items)).toEqual(hex);
      }),
      runs(100),
    );
  });

  it("arrives as the same integers", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer()), async (items) => {
        expect(await received("integer", "item", items)).toEqual(items);
      }),
      runs(100),
    );
  });

  it("is in the binary format if it has text, bytes or integers", () => {
    for (const known of [["a"], ["a", null], [new Uint8Array(1), null], [1, -1]]) {
      expect(Buffer.isBuffer(toParameter(known))).toBe(true);
    }
  });

  it.each([
    { type: "text", items: [] },
    { type: "bytea", items: [null, null] },
    { type: "text", items: ["a", null, "NULL", "{,}"] },
    { type: "text", items: [undefined, "a"], arrived: [null, "a"] },
    { type: "double precision", items: [1.5, null] },
    { type: "bigint", items: [2 ** 31, 1, null] },
    { type: "boolean", items: [true, false, null] },
  ])("arrives with items of several kinds: $items", async ({ type, items, arrived = items }) => {
    expect(await received(type, "item", items)).toEqual(arrived);
  });

  it.each([
    { type: "text", items: [null, "NULL", "null", null, String.raw`"\'{}`, ""] },
    { type: "text", items: [null] },
    { type: "bytea", items: [null, null] },
    { type: "bytea", items: [new Uint8Array([0, 255]), null, new Uint8Array()], arrived: ["00ff", null, ""] },
    { type: "integer", items: [null, 1, -1] },
    { type: "boolean", items: [true, null, false] },
  ])("keeps its NULLs with array_nulls = off: $type, $items", async ({ type, items, arrived = items }) => {
    const element = type === "bytea" ? "encode(item, 'hex')" : "item";
    const text = `select json_agg(${element} order by n) as items from unnest($1::${type}[]) with ordinality as entry(item, n)`;
    const statement = { name: "", sql: text, parameters: [items], types: parameterTypes(text) };
    const { sql, parameters } = toKyselyQuery(statement);
    const client = await pool.connect();
    await client.query("set array_nulls = off");
    const received = [
      await client.query<{ items: unknown }>(toQuery(statement)),
      await client.query<{ items: unknown }>(sql, [...parameters]),
    ];
    client.release(true);
    expect(received.map(({ rows }) => rows)).toEqual([[{ items: arrived }], [{ items: arrived }]]);
  });

  it("is refused if Postgres has no type for an item", () => {
    expect(() => toParameter([{}])).toThrow(TypeError);
    expect(() => toParameter(new Date())).toThrow(TypeError);
  });
});
