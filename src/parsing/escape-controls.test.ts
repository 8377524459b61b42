import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../test-support/runs.js";
import { escapeControls, printableJson } from "./escape-controls.js";

it("holds the same data as JSON without a character that a terminal obeys", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom("a", "\u007f") }));
  fc.assert(
    fc.property(fc.dictionary(text, text), (value) => {
      const json = printableJson(value);
      expect(JSON.parse(json)).toEqual(value);
      expect(escapeControls(json)).toBe(json);
    }),
    runs(200),
  );
});
