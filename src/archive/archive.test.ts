import { expect, it } from "@jest/globals";
import { partsPerFile } from "./archive.js";

it.each<{ sizes: number[]; files: number[][] }>([
  { sizes: [], files: [] },
  { sizes: [9, 1, 10], files: [[9, 1], [10]] },
  { sizes: [9, 2, 1], files: [[9, 2], [1]] },
  { sizes: [30, 1, 1], files: [[30], [1, 1]] },
  { sizes: Array.from({ length: 11 }, () => 0), files: [Array.from({ length: 10 }, () => 0), [0]] },
])("a file ends with the part that brings it to ten rows: parts of $sizes", async ({ sizes, files }) => {
  const found: number[][] = [];
  for await (const file of partsPerFile(
    sizes.map((size) => ({ size })),
    10,
  ))
    found.push(file.map(({ size }) => size));
  expect(found).toEqual(files);
});
