import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../test-support/runs.js";
import { LongLineError, splitLines } from "./split-lines.js";

interface Outcome {
  readonly lines: readonly string[];
  readonly error?: unknown;
  /** How many bytes were read, and whether the source was told that no more are. */
  readonly bytes: number;
  readonly isClosed: boolean;
}

async function split(chunks: Iterable<Uint8Array>, maxBytes?: number): Promise<Outcome> {
  const lines: string[] = [];
  let bytes = 0;
  let isClosed = false;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      for (const chunk of chunks) {
        bytes += chunk.length;
        yield await Promise.resolve(chunk);
      }
    } finally {
      isClosed = true;
    }
  }
  try {
    for await (const line of splitLines(source(), maxBytes)) lines.push(line);
    return { lines, bytes, isClosed };
  } catch (error) {
    return { lines, error, bytes, isClosed };
  }
}

function* inChunks(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const line = fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => `${text.replaceAll("\n", "")}.`);

it("finds the same lines for every size of chunks, up to the first one that is too long", async () => {
  const sizes = { size: fc.integer({ min: 1, max: 50 }), maxBytes: fc.integer({ min: 1, max: 40 }) };
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1 }),
      fc.boolean(),
      fc.record(sizes),
      async (lines, ends, { size, maxBytes }) => {
        const bytes = Buffer.from(lines.join("\n") + (ends ? "\n" : ""));
        const tooLong = lines.findIndex((text) => Buffer.byteLength(text) > maxBytes);
        const read = await split(inChunks(bytes, size), maxBytes);
        if (tooLong === -1) {
          expect(read).toEqual({ lines, bytes: bytes.length, isClosed: true });
          return;
        }
        const before = lines.slice(0, tooLong);
        expect(read).toEqual({
          ...{ lines: before, isClosed: true, bytes: expect.any(Number) },
          error: expect.any(LongLineError),
        });
        expect(read.bytes).toBeLessThanOrEqual(
          Buffer.byteLength([...before, ""].join("\n")) + maxBytes + Math.max(size, maxBytes),
        );
      },
    ),
    runs(200),
  );
});

it("splits only at line feeds, and accepts a last line without one", async () => {
  const read = await split(["a\u2028b\rc\n", "d"].map((text) => Buffer.from(text)));
  expect(read.lines).toEqual(["a\u2028b\rc", "d"]);
  expect((await split([])).lines).toEqual([]);
});

it("splits a chunk that is longer than any string", async () => {
  // Never touched, so that it takes no memory: only what is split is read.
  const chunk = new Uint8Array(2 ** 29);
  chunk.set(Buffer.from("a\nb\n"));
  const lines = splitLines(ofOne(chunk), 8);
  expect((await lines.next()).value).toBe("a");
  expect((await lines.next()).value).toBe("b");
  await expect(lines.next()).rejects.toThrow("the line is longer than 8 bytes, the most that can be read");
});

async function* ofOne<T>(item: T): AsyncGenerator<T> {
  yield await Promise.resolve(item);
}
