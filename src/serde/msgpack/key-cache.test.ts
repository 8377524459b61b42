import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { KeyCache } from "./byte-reader.js";

test("KeyCache only returns the string that belongs to the bytes", () => {
  const cache = new KeyCache();
  const bytes = fc.uint8Array({ maxLength: 40, max: 3 });
  fc.assert(
    fc.property(bytes, fc.nat(5), (key, offset) => {
      const source = Uint8Array.from([...new Uint8Array(offset), ...key]);
      const end = offset + key.length;
      const text = cache.text(source, offset, end);
      if (text !== undefined) expect(text).toBe(String(key));
      expect(cache.remember(source, offset, end, String(key))).toBe(String(key));
      if (key.length <= 31) expect(cache.text(source, offset, end)).toBe(String(key));
    }),
    runs(2000),
  );
});
