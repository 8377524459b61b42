import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../test-support/runs.js";
import { splitLines } from "./split-lines.js";

async function linesOf(chunks: Iterable<Buffer | string>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of splitLines(toAsync(chunks))) lines.push(line);
  return lines;
}

async function* toAsync<T>(items: Iterable<T>): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

it("finds the same lines for every size of chunks", async () => {
  const line = fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => `${text.replaceAll("\n", "")}.`);
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 5 }), async (lines, size) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_chunk, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(await linesOf(chunks)).toEqual(lines);
    }),
    runs(100),
  );
});

it("splits only at line feeds, and accepts a last line without one", async () => {
  expect(await linesOf(["a\u2028b\rc\n", "d"])).toEqual(["a\u2028b\rc", "d"]);
  expect(await linesOf([])).toEqual([]);
});
