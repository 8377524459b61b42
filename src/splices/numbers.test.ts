import { expect, test } from "@jest/globals";
import { ByteCursor } from "./splice-bytes.js";

test("a cursor never reads past the end", () => {
  const cursor = new ByteCursor(Uint8Array.of(7, 8, 9));
  expect(cursor.number()).toBe(7);
  expect(() => cursor.bytes(3)).toThrow("the splice is truncated");
  expect(cursor.bytes(2)).toEqual(Uint8Array.of(8, 9));
  expect(() => cursor.number()).toThrow("the splice is truncated");
});
