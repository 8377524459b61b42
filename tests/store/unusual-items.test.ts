import { isDeepStrictEqual } from "node:util";
import { expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { runs } from "../../test-support/runs.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { matches } from "./model/matches.js";
import { useStore } from "./stored.js";

type Json = Record<string, unknown>;

/** A message as JSON, as an application gets it from elsewhere. */
const SERIALIZED = JSON.parse(JSON.stringify(new HumanMessage({ id: "m1", content: "nuts" }))) as Json;

const FIELDS = { userId: "7", deleted: true, age: 37, tags: ["a"] };

/** Values that have the same fields beside what JSONB or a reader of records would change. */
const UNUSUAL: Readonly<Record<string, Json>> = {
  serialized: { ...SERIALIZED, ...FIELDS },
  secret: { lc: 1, type: "secret", id: ["KEY"], ...FIELDS },
  set: { lc: 2, type: "constructor", id: ["Set"], args: [[1]], ...FIELDS },
  nothing: { lc: 2, type: "undefined", ...FIELDS },
  snapshot: { lc: 2, type: "delta_snapshot", value: 1, ...FIELDS },
  wrapped: { message: SERIALIZED, list: [SERIALIZED], ...FIELDS },
  proto: { ["__proto__"]: "x", ...FIELDS },
  protoObject: { ["__proto__"]: { userId: "8" }, ...FIELDS },
  zero: { "a\0": 1, ...FIELDS },
  surrogate: { "\ud800": { "\udc00": 1 }, ...FIELDS },
  inherited: { constructor: 1, prototype: 2, toString: 3, hasOwnProperty: 4, ...FIELDS },
  numbers: { "": 0, "0": 1, "-1": 2, "1.5": 3, ...FIELDS },
  escaped: { __escaped__: true, '__escaped__"a\\u0000"': 1, __lc_escaped__: { lc: 1 }, ...FIELDS },
};

const ALL = Object.keys(UNUSUAL).sort();

/** Filters, and the items of {@link UNUSUAL} that they find. */
const FOUND: readonly [filter: Json, keys: readonly string[]][] = [
  [{ userId: "7" }, ALL],
  [{ userId: { $eq: "7" } }, ALL],
  [{ deleted: { $ne: true } }, []],
  [{ userId: { $in: ["6", "7"] }, deleted: { $nin: [false] } }, ALL],
  [{ age: { $gt: 36, $lte: 37 }, userId: { $gte: "7" } }, ALL],
  [{ tags: ["a"] }, ALL],
  [{ $not: { tags: { $exists: true } } }, []],
  [{ lc: 1 }, ["secret", "serialized"]],
  [{ lc: { $gte: 2 } }, ["nothing", "set", "snapshot"]],
  [{ type: { $in: ["constructor", "secret"] } }, ["secret", "serialized", "set"]],
  [{ kwargs: { content: "nuts" } }, ["serialized"]],
  [{ message: { kwargs: { id: "m1" } } }, ["wrapped"]],
  [{ message: SERIALIZED }, ["wrapped"]],
  [{ message: { $eq: SERIALIZED } }, ["wrapped"]],
  [{ message: { $ne: SERIALIZED }, list: { $exists: true } }, []],
  [{ list: [SERIALIZED] }, ["wrapped"]],
  [{ ["__proto__"]: "x" }, ["proto"]],
  [{ ["__proto__"]: { $exists: true } }, ["proto", "protoObject"]],
  [{ ["__proto__"]: { userId: "8" } }, ["protoObject"]],
  [{ "a\0": { $gt: 0 } }, ["zero"]],
  [{ "a\0": 1 }, ["zero"]],
  [{ "\ud800": { "\udc00": 1 } }, ["surrogate"]],
  [{ "\ud800": { "\udc00": undefined } }, []],
  [{ "\ud800": { other: undefined } }, ["surrogate"]],
  [{ constructor: 1, toString: { $lt: 4 } }, ["inherited"]],
  [{ "": 0, "0": 1, "-1": { $exists: true } }, ["numbers"]],
  [{ __escaped__: true }, ["escaped"]],
  [{ '__escaped__"a\\u0000"': 1 }, ["escaped"]],
];

const SERIALIZED_TEXT = JSON.stringify(SERIALIZED);

/** Few, so that a filter meets the keys of a value. */
const key = fc.constantFrom(
  ...["a", "b", "lc", "type", "id", "args", "kwargs", "", "0", "__proto__", "constructor", "toString"],
  ...["a\0", "\ud800", "__escaped__", '__escaped__"a\\u0000"'],
);
const scalar = fc.constantFrom<unknown>(
  ...[null, true, 0, 1, 2, 10, 0.5, 1n, 10n, 2n ** 64n, NaN, Infinity, -Infinity],
  ...["", "a", "b", "a\0", "a\0b", "b\0a", "\ud800", "constructor", "undefined"],
);
const recordShape = fc.record<Json>(
  {
    lc: fc.constantFrom(1, 2),
    type: fc.constantFrom("constructor", "undefined", "secret"),
    id: fc.constantFrom(["Set"], ["BigInt"], ["String"], SERIALIZED.id),
    method: fc.constant(null),
    args: fc.constantFrom(["10"], [[97, 0]], [[1]]),
    kwargs: fc.constantFrom({}, SERIALIZED.kwargs),
    a: fc.constant(1),
  },
  { requiredKeys: ["lc", "type"], noNullPrototype: true },
);
const { object, part } = fc.letrec<{ object: Json; part: unknown }>((tie) => ({
  object: fc.oneof(
    { weight: 3, arbitrary: fc.array(fc.tuple(key, tie("part")), { maxLength: 3 }).map(objectOf) },
    { weight: 1, arbitrary: recordShape },
  ),
  part: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    tie("object"),
    fc.array(tie("part"), { maxLength: 2 }),
  ),
}));

/** An object in a filter contains another object; what of an array is contained, no model says. */
const contained = object.filter((value) => !holdsArray(value));
const comparable = fc.constantFrom<unknown>(0, 1, 5, 10n, "", "a", "b");
const condition = fc.oneof(
  scalar,
  contained,
  fc.array(part, { maxLength: 2 }),
  fc.record({ $eq: part }),
  fc.record({ $ne: part }),
  fc.record({ $in: fc.array(part, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(part, { maxLength: 3 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $gt: comparable }),
  fc.record({ $gte: comparable }),
  fc.record({ $lt: comparable }),
  fc.record({ $not: fc.record({ $lte: comparable }) }),
);
const filters = fc.array(fc.tuple(key, condition), { minLength: 1, maxLength: 2 }).map(objectOf);

describeEachTarget("an item whose keys or shape JSON or a reader would change", (target) => {
  const suite = useStore(target);
  const keysOf = async (filter: Json) =>
    (await suite.store.search(["u"], { filter, limit: 99 })).map((item) => item.key).sort();

  it("is found by every filter, comes back equal, and is not found by its opposite", async () => {
    const { store } = suite;
    await store.putMany(ALL.map((name) => ({ namespace: ["u"], key: name, value: UNUSUAL[name] ?? {} })));
    for (const [filter, keys] of FOUND) {
      expect([filter, await keysOf(filter)]).toEqual([filter, keys]);
      const others = ALL.filter((name) => !keys.includes(name));
      expect([filter, await keysOf({ $not: filter })]).toEqual([filter, others]);
      expect(await store.count(["u"], { filter })).toBe(keys.length);
    }
    for (const item of await store.search(["u"], { limit: 99 }))
      expect(item.value).toEqual(UNUSUAL[item.key]);
  });

  it("is in a backup, and found where that is restored", async () => {
    const { store, database } = suite;
    await store.putMany(ALL.map((name) => ({ namespace: ["u"], key: name, value: UNUSUAL[name] ?? {} })));
    const lines: string[] = [];
    for await (const line of store.exportItems()) lines.push(line);
    await database.exec("delete from store");
    await store.importItems(lines);
    expect(await keysOf({ userId: "7" })).toEqual(ALL);
    expect((await store.get(["u"], "zero"))?.value).toEqual(UNUSUAL.zero);
  });

  it("has its keys as they are in the row, so that programs in other languages read them", async () => {
    const { store, database } = suite;
    await store.put(["u"], "1", UNUSUAL.serialized ?? {});
    await store.put(["u"], "2", UNUSUAL.protoObject ?? {});
    const rows = await database.query("select value::text from store order by key");
    expect(rows.map(({ value }) => JSON.parse(String(value)) as Json)).toEqual([
      UNUSUAL.serialized,
      UNUSUAL.protoObject,
    ]);
  });

  it("that another program stored keeps its fields", async () => {
    const { store, database } = suite;
    const fields = { ...SERIALIZED, ...FIELDS };
    const json = JSON.stringify({ ...fields, message: fields, exact: SERIALIZED }).replaceAll("'", "''");
    await database.exec(`insert into store (prefix, key, value) values ('u', '1', '${json}')`);
    const [item] = await store.search(["u"], { filter: { userId: "7", message: { userId: "7" } } });
    const { exact, ...others } = item?.value ?? {};
    expect(others).toEqual({ ...fields, message: fields });
    // As it is all that a record has, it is the message itself.
    expect(exact).toBeInstanceOf(HumanMessage);
    expect(
      await keysOf({ message: { $exists: true }, exact: new HumanMessage({ id: "m1", content: "nuts" }) }),
    ).toEqual(["1"]);
  });

  it("that an earlier build stored as entries comes back equal", async () => {
    const { store, database } = suite;
    const entries = JSON.stringify(Object.entries({ ...SERIALIZED, ...FIELDS }));
    const record = `{"lc":2,"type":"constructor","id":["Object"],"method":null,"args":[${entries}],"kwargs":{}}`;
    await database.exec(`insert into store (prefix, key, value) values ('u', '1', '${record}')`);
    expect((await store.get(["u"], "1"))?.value).toEqual({ ...FIELDS, ...JSON.parse(SERIALIZED_TEXT) });
  });

  it("is found exactly where a model in memory finds it", async () => {
    const { store } = suite;
    const property = fc.asyncProperty(
      fc.array(object, { minLength: 1, maxLength: 8 }),
      fc.array(filters, { minLength: 1, maxLength: 8 }),
      async (values, conditions) => {
        await store.deleteNamespace(["u"]);
        await store.putMany(values.map((value, nth) => ({ namespace: ["u"], key: String(nth), value })));
        const found = await store.batch(
          conditions.map((filter) => ({ namespacePrefix: ["u"], filter, limit: values.length })),
        );
        for (const [nth, filter] of conditions.entries()) {
          const expected = values.flatMap((value, at) => (matches(value, filter) ? [String(at)] : []));
          expect([filter, found[nth]?.map((item) => item.key).sort()]).toEqual([filter, expected]);
        }
        const read = await store.getMany(values.map((_, nth) => ({ namespace: ["u"], key: String(nth) })));
        // Jest would take a key `constructor` for the class of an object.
        const changed = values.filter((value, nth) => !isDeepStrictEqual(read[nth]?.value, value));
        expect(changed).toEqual([]);
      },
    );
    await fc.assert(property, runs(target.name === "pglite" ? 60 : 150));
  });
});

function objectOf(entries: [string, unknown][]): Json {
  return Object.fromEntries(entries);
}

function holdsArray(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsArray);
}
