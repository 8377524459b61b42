import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import { InvalidConfigError, PostgresSaver } from "../../src/index.js";
import { containsValue } from "../model/contains-value.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  newThread,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget } from "../../test-support/targets.js";

type Metadata = Record<string, unknown>;

const odd = fc.constantFrom(
  "\0",
  "a\0b",
  "b\0a",
  "ab\0",
  "\0\0a",
  "\ud800",
  "\udc00",
  "\ufffd",
  "a\ud800",
  "a\ufffd",
);
const byte = fc.integer({ min: 0, max: 2 });
const bytes = fc.array(byte, { maxLength: 3 });

/** Values that JSON represents exactly. */
const json = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "a",
    "ab",
    "constructor",
    "from",
    "2",
    "undefined",
    0,
    1,
    2,
    1.5,
    1e20,
    true,
    false,
    null,
  ),
);

/** Values that JSON lacks, only a few different ones, so that equal and rearranged ones occur. */
const special = fc.oneof<fc.Arbitrary<unknown>[]>(
  odd,
  fc.constantFrom<unknown>(-0, NaN, Infinity, 1e21, 1n, -1n, 2n ** 70n),
  bytes.map((items) => Uint8Array.from(items)),
  bytes.map((items) => Buffer.from(items)),
  bytes.map((items) => Uint16Array.from(items)),
  bytes.map((items) => Uint8Array.from(items).buffer),
  fc.array(byte, { maxLength: 2 }).map((items) => new Set(items)),
  fc.array(fc.tuple(byte, byte), { maxLength: 2 }).map((items) => new Map(items)),
  fc.constantFrom<unknown>(/i/g, /g/i, /g/, new Date(0), new Date(1), new Date(NaN), new URL("https://a.b")),
  fc.constantFrom<unknown>({ lc: 2, type: "undefined" }, { lc: 2, type: "constructor", id: ["Date"] }),
  odd.map((key) => ({ [key]: 1 })),
);

const key = fc.constantFrom("a", "b", "lc", "type", "id", "method", "args", "kwargs");

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: json, weight: 4 },
    { arbitrary: special, weight: 4 },
    { arbitrary: fc.array(tie("value"), { maxLength: 3 }), weight: 2 },
    { arbitrary: fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }), weight: 3 },
  ),
}));

const metadata = fc.dictionary(fc.constantFrom("a", "b"), value, { minKeys: 1, noNullPrototype: true });

/** Filters that mostly match: parts of the stored metadata, and parts of these. */
const filterOf = (stored: readonly Metadata[]): fc.Arbitrary<Metadata> =>
  fc.oneof(
    metadata,
    fc.constantFrom(...stored),
    fc
      .tuple(fc.constantFrom(...stored), fc.infiniteStream(fc.integer({ min: 0, max: 5 })))
      .map(([whole, choices]) => {
        const narrowed = narrow(whole, choices);
        return typeof narrowed === "object" && narrowed !== null ? { ...narrowed } : {};
      }),
  );

/** The same values, with some entries and items left out, and items in another order. */
function narrow(whole: unknown, choices: Iterator<number>): unknown {
  const keeps = (): boolean => choices.next().value !== 0;
  if (Array.isArray(whole))
    return whole
      .filter(keeps)
      .map((item) => narrow(item, choices))
      .reverse();
  if (typeof whole === "string" && !keeps()) return Array.from(whole).reverse().join("");
  if (whole instanceof Uint8Array && !Buffer.isBuffer(whole) && !keeps())
    return Uint8Array.from(whole).reverse();
  if (typeof whole !== "object" || whole === null || Object.getPrototypeOf(whole) !== Object.prototype)
    return whole;
  return Object.fromEntries(
    Object.entries(whole)
      .filter(keeps)
      .map(([name, inner]) => [name, narrow(inner, choices)]),
  );
}

/** Whether JSON represents the value exactly, and no object in it has a key that our records use. */
function isPlainJson(filter: Metadata): boolean {
  const text = JSON.stringify(filter, (_name, inner: unknown) =>
    typeof inner === "bigint" || Object.is(inner, -0) ? NaN : inner,
  );
  const isSame = isDeepStrictEqual(JSON.parse(text), filter);
  return isSame && !/\\u|"(?:lc|type|id|method|args|kwargs)":/.test(text);
}

describeAnyTarget("a filter by metadata", (target) => {
  let saver: PostgresSaver;

  beforeAll(async () => {
    saver = new PostgresSaver((await target.migratedDatabase()).source);
  });
  afterAll(() => saver.end());

  async function store(rows: readonly Metadata[], mark: string): Promise<void> {
    await saver.batch(async (batch) => {
      for (const [index, row] of rows.entries()) {
        const checkpoint = checkpointOf(saver, {});
        const config = threadConfig(`${mark} ${index}`);
        await batch.put(config, checkpoint, metadataOf(0, { mark, ...row }), allVersions(checkpoint));
      }
    });
  }

  async function listed(filter: Metadata): Promise<string[]> {
    const tuples = await collect(saver.list({}, { filter }));
    return tuples.map(({ config }) => String(config.configurable?.thread_id)).sort();
  }

  async function threads(filter: Metadata): Promise<string[]> {
    const found = await saver.listThreads({ filter, limit: 1_000 });
    return found.map(({ threadId }) => threadId).sort();
  }

  it("matches metadata that contains it, or is refused with the path of a value that can't be searched", async () => {
    const cases = fc
      .array(metadata, { minLength: 6, maxLength: 6 })
      .chain((rows) => fc.tuple(fc.constant(rows), fc.array(filterOf(rows), { minLength: 8, maxLength: 8 })));
    await fc.assert(
      fc.asyncProperty(cases, async ([rows, filters]) => {
        const mark = newThread();
        await store(rows, mark);
        for (const filter of filters) {
          const asked = { mark, ...filter };
          const expected = rows.flatMap((row, index) =>
            containsValue({ mark, ...row }, asked) ? [`${mark} ${index}`] : [],
          );
          for (const [list, path] of [
            [listed, "options.filter."],
            [threads, "query.filter."],
          ] as const) {
            const found = await list(asked).catch((error: unknown) => error);
            if (found instanceof InvalidConfigError && !isPlainJson(asked))
              expect(found.field).toContain(path);
            else expect(found).toEqual(expected);
          }
        }
      }),
      runs(25),
    );
  });

  it.each<[what: string, filter: Metadata, field: string]>([
    ["U+0000", { a: { b: "a\0" } }, "a.b"],
    ["a lone surrogate", { a: ["x", "\ud800"] }, "a.1"],
    ["U+0000 in a key", { a: { "b\0": 1 } }, "a"],
    ["a lone surrogate in a key of the filter", { "\udc00": 1 }, ""],
    ["bytes", { a: Uint8Array.of(1, 2) }, "a"],
    ["a Set", { a: { b: [new Set([1])] } }, "a.b.0"],
    ["a Map", { a: new Map([[1, 2]]) }, "a"],
    ["a regular expression", { a: /a/i }, "a"],
    ["an Error", { a: new Error("b") }, "a"],
    ["an array with holes", { a: Object.assign([], { 2: 1 }) }, "a"],
    ["an object without a prototype", { a: Object.assign(Object.create(null) as object, { b: 1 }) }, "a"],
    ["an object in a list that could be a part of a record", { a: [{ id: ["Date"] }] }, "a.0"],
  ])("is refused with %s, before anything is sent", async (_what, filter, field) => {
    const closed = new PostgresSaver("postgres://127.0.0.1:1/none", undefined, { retry: false });
    const at = (name: string): object => ({ field: field === "" ? name : `${name}.${field}` });
    const listing = collect(closed.list({}, { filter })).catch((error: unknown) => error);
    expect(await listing).toMatchObject({ code: "INVALID_CONFIG", ...at("options.filter") });
    const threads = closed.listThreads({ filter }).catch((error: unknown) => error);
    expect(await threads).toMatchObject({ code: "INVALID_CONFIG", ...at("query.filter") });
    await closed.end();
  });

  it.each<[what: string, value: unknown, others: unknown[]]>([
    ["a Date", new Date(1), [new Date(2), 1, "1970-01-01T00:00:00.001Z"]],
    ["a BigInt", 1n, [2n, 1, "1"]],
    ["-0", -0, [0]],
    ["0", 0, [-0]],
    ["NaN", NaN, [Infinity, null]],
    ["a Buffer", Buffer.from([1, 2]), [Buffer.from([2, 1]), Buffer.from([1, 2, 1]), Uint8Array.of(1, 2)]],
    ["an array of 16 bits", Uint16Array.of(1, 2), [Uint16Array.of(2, 1), Uint8Array.of(1, 0, 2, 0)]],
    ["a plain object that has keys of records", { args: ["1"], id: ["BigInt"] }, [1n, {}]],
    ["an object", {}, [1n, "a\0", new Date(1), new Map()]],
  ])("finds %s, and nothing that is stored like it", async (_what, value, others) => {
    const mark = newThread();
    const rows = [value, ...others].map((item) => ({ a: { b: item } }));
    await store(rows, mark);
    const found = rows.flatMap((row, index) => (containsValue(row, rows[0]) ? [`${mark} ${index}`] : []));
    expect(found).toContain(`${mark} 0`);
    expect(await listed({ mark, a: { b: value } })).toEqual(found);
    expect(await threads({ mark, a: { b: value } })).toEqual(found);
  });
});
