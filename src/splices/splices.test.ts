import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { restoreValue, decodeSplice, encodeSplice, type Splice } from "./splice-bytes.js";
import { findSegments } from "./segments.js";
import {
  type ChainedValue,
  chainedValue,
  type ChainLink,
  MAX_BASES,
  nextValue,
  type NextValue,
  rowMarkOf,
  wholeValue,
} from "./value-chain.js";

/** An edit of bytes: replaces `removed` bytes at a relative position by others. */
const edits = fc.array(
  fc.record({
    place: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat({ max: 300 }),
    inserted: fc.uint8Array({ maxLength: 600 }),
  }),
  { minLength: 1, maxLength: 3 },
);
const histories = fc.record({
  first: fc.oneof(
    fc.uint8Array({ minLength: 1_500, maxLength: 4_000 }),
    // Repeats itself, so that parts are found in several places.
    fc
      .uint8Array({ minLength: 1, maxLength: 40 })
      .map((part) => Buffer.concat(Array.from({ length: 100 }, () => part))),
  ),
  steps: fc.array(edits, { maxLength: 40 }),
});

function edited(
  bytes: Uint8Array,
  steps: readonly { place: number; removed: number; inserted: Uint8Array }[],
): Buffer {
  let result = Buffer.from(bytes);
  for (const { place, removed, inserted } of steps) {
    const at = Math.floor(place * result.length);
    result = Buffer.concat([result.subarray(0, at), inserted, result.subarray(at + removed)]);
  }
  return result;
}

/** Adds the digest of what a row without layers holds. */
function stored({ value, splice }: NextValue): NextValue {
  const rowMark = rowMarkOf(value.version, splice?.payload ?? value.bytes);
  return { value: { ...value, rowMark }, ...(splice !== undefined && { splice }) };
}

/** Reads a value as a reader without memory does: from the rows alone. */
function readBack(rows: ReadonlyMap<string, NextValue>, version: string): ChainedValue {
  const links: ChainLink[] = [];
  let at = version;
  for (;;) {
    const row = rows.get(at);
    if (row === undefined) throw new Error(`no row ${at}`);
    if (row.splice === undefined) {
      const [first, ...others] = links.map(({ splice }) => splice);
      const whole = row.value.bytes;
      const bytes = first === undefined ? whole : restoreValue([first, ...others], whole);
      return chainedValue(bytes, links, { version: at, rowMark: rowMarkOf(at, whole) });
    }
    const { payload } = row.splice;
    links.push({ version: at, rowMark: rowMarkOf(at, payload), splice: decodeSplice(payload) });
    at = row.splice.base;
  }
}

describe("a chain of values", () => {
  test("gives back each value, whatever was edited, and a reader continues it as its writer does", () => {
    fc.assert(
      fc.property(histories, ({ first, steps }) => {
        const rows = new Map<string, NextValue>();
        let { value } = stored({ value: wholeValue("0", first) });
        rows.set("0", { value });
        for (const [index, step] of steps.entries()) {
          const version = String(index + 1);
          const next = stored(nextValue(value, version, edited(value.bytes, step)));
          rows.set(version, next);
          const read = readBack(rows, version);
          expect(Buffer.compare(read.bytes, next.value.bytes)).toBe(0);
          expect(read).toEqual({ ...next.value, bytes: read.bytes });
          value = next.value;
        }
      }),
      { seed: 16, numRuns: 300 },
    );
  });

  test("has at most log2(n) rows between a value and a whole one, which together store about n log2(n) / 2 items", () => {
    const count = 1_000;
    const items = Array.from({ length: count }, () => randomBytes(100));
    let value = wholeValue("0", Buffer.concat(items.slice(0, 20)));
    let stored = 0;
    let longest = 0;
    for (let index = 20; index < count; index++) {
      const next = nextValue(value, String(index), Buffer.concat(items.slice(0, index + 1)));
      stored += next.splice?.payload.length ?? next.value.bytes.length;
      longest = Math.max(longest, next.value.bases.length);
      value = next.value;
    }
    expect(longest).toBeLessThanOrEqual(Math.log2(count));
    expect(stored).toBeLessThan(count * 100 * Math.log2(count) * 0.75);
  });

  const messages = (count: number): Buffer =>
    Buffer.concat(
      Array.from({ length: count }, (_, index) =>
        Buffer.from(`message ${index} ${"abc".repeat(100)} ${index * 7919}`),
      ),
    );
  const header = (count: number): Buffer => Buffer.from(count < 50 ? [count] : [0xdc, 0, count]);

  test.each<[string, Buffer, Buffer]>([
    ["an appended part", messages(60), messages(61)],
    [
      "an appended part behind a header that grows",
      Buffer.concat([header(49), messages(49)]),
      Buffer.concat([header(50), messages(50)]),
    ],
    ["a removed start", messages(60), messages(60).subarray(10_000)],
    ["a part that is put before", messages(60).subarray(300), messages(60)],
    [
      "a changed part",
      messages(60),
      edited(messages(60), [{ place: 0.4, removed: 300, inserted: randomBytes(310) }]),
    ],
    [
      "two changed parts and a header",
      Buffer.concat([header(49), messages(60)]),
      Buffer.concat([
        header(50),
        edited(messages(60), [
          { place: 0.3, removed: 5, inserted: randomBytes(70) },
          { place: 0.8, removed: 100, inserted: randomBytes(20) },
        ]),
      ]),
    ],
  ])("stores only what is new: %s", (_name, before, after) => {
    const { splice } = nextValue(wholeValue("0", before), "1", after);
    expect(splice?.payload.length).toBeLessThan(500);
  });

  test("stores a value whole that shares less than half with the one before", () => {
    const before = randomBytes(4_000);
    const after = Buffer.concat([before.subarray(0, 1_900), randomBytes(2_100)]);
    expect(nextValue(wholeValue("0", before), "1", after)).toEqual({ value: wholeValue("1", after) });
  });

  test("begins a new chain where a value would be made of too many rows", () => {
    const bytes = randomBytes(5_000);
    const whole = [{ at: 0, from: 0, length: bytes.length }];
    const chainOf = (length: number): ChainedValue => ({
      ...{ version: "0", bytes, ordinal: 1_000 },
      bases: Array.from({ length }, (_, index) => ({
        version: `${index}`,
        ordinal: 999 - index,
        rowMark: rowMarkOf("", bytes),
        segments: whole,
      })),
    });
    const appended = Buffer.concat([bytes, randomBytes(10)]);
    expect(nextValue(chainOf(MAX_BASES - 1), "1", appended).splice).toBeDefined();
    expect(nextValue(chainOf(MAX_BASES), "1", appended)).toEqual({ value: wholeValue("1", appended) });
  });

  test("counts all values that the base is made of, where ordinals do not fall along a compacted chain", () => {
    const bytes = randomBytes(5_000);
    const baseOf = (version: string, ordinal: number) => ({
      ...{ version, ordinal, rowMark: rowMarkOf("", bytes) },
      segments: [{ at: 0, from: 0, length: bytes.length }],
    });
    const bases = [baseOf("b", 40), baseOf("c", 2), baseOf("d", 50), baseOf("e", 0)];
    const value = { version: "a", bytes, ordinal: 3, bases };
    const next = nextValue(value, "next", Buffer.concat([bytes, randomBytes(10)]));
    // Number 4 refers to number 0 to 3 - lowbit(4), of which "e" is the nearest, and number 5 to up to 4.
    expect(next.value.bases.map(({ version }) => version)).toEqual(["e"]);
    const later = nextValue({ ...value, ordinal: 4 }, "next", Buffer.concat([bytes, randomBytes(10)]));
    expect(later.value.bases.map(({ version }) => version)).toEqual(["a", "b", "c", "d", "e"]);
    const last = nextValue({ ...value, ordinal: 5 }, "next", Buffer.concat([bytes, randomBytes(10)]));
    expect(last.value.bases.map(({ version }) => version)).toEqual(["c", "d", "e"]);
  });

  test.each([1, 255, 256, 257, 512, 5_000])("is restored however long it is: %d splices", (length) => {
    let bytes = randomBytes(300);
    const whole = bytes;
    const splices: Splice[] = [];
    for (let ordinal = 1; ordinal <= length; ordinal++) {
      const next = Buffer.concat([bytes, Buffer.from([ordinal % 256])]);
      splices.unshift(decodeSplice(encodeSplice(ordinal, next, findSegments(bytes, next))));
      bytes = next;
    }
    const [newest, ...others] = splices;
    if (newest === undefined) throw new Error("no splice");
    expect(Buffer.compare(restoreValue([newest, ...others], whole), bytes)).toBe(0);
  });

  test("refuses a base that was changed, and bytes that are not a splice, without reading past their end", () => {
    const before = randomBytes(4_000);
    const { splice } = nextValue(wholeValue("0", before), "1", Buffer.concat([before, randomBytes(50)]));
    const payload = splice?.payload ?? Buffer.alloc(0);
    const changed = Buffer.from(before);
    changed[17] = (changed[17] ?? 0) ^ 1;
    const broken = expect.objectContaining({ code: "BROKEN_CHAIN" });
    expect(() => restoreValue([decodeSplice(payload)], changed)).toThrow(broken);
    expect(() => restoreValue([decodeSplice(payload)], before.subarray(1))).toThrow(broken);
    for (let length = 0; length < payload.length; length++) {
      expect(() => restoreValue([decodeSplice(payload.subarray(0, length))], before)).toThrow(broken);
    }
    fc.assert(
      fc.property(fc.nat({ max: payload.length - 1 }), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const damaged = Buffer.from(payload);
        damaged[place] = (damaged[place] ?? 0) ^ change;
        let value: Uint8Array | undefined;
        try {
          value = restoreValue([decodeSplice(damaged)], before);
        } catch (error) {
          expect(error).toEqual(broken);
          return;
        }
        // Only the ordinal may be changed without an effect on the value.
        expect(value.length).toBe(4_050);
      }),
      { seed: 16, numRuns: 500 },
    );
  });
});
