import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../../../test-support/runs.js";
import { pairText, typedFilter } from "./parse-metadata-filter.js";

describe("parseFilter", () => {
  it("reads pairs, with values of JSON where they are JSON", () => {
    expect(typedFilter(` source=loop, step=3 user="Ada \\"42\\"" ok=true id=007 `)).toEqual({
      filter: { source: "loop", step: 3, user: 'Ada "42"', ok: true, id: "007" },
    });
    expect(typedFilter("  ")).toEqual({ filter: undefined });
  });

  it("reads every JSON object", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (filter) => {
        const text = JSON.stringify(filter);
        expect(typedFilter(text)).toEqual({ filter: JSON.parse(text) as unknown });
      }),
      runs(100),
    );
  });

  it.each(["source", "=loop", "source=", 'a="b', "a=1 b", "{a: 1}", '{"a": 1}}'])("refuses %s", (text) => {
    expect(typedFilter(text)).toHaveProperty("problem");
  });
});

describe("pairText", () => {
  it("writes a value so that the filter means it", () => {
    expect(pairText("user", "ada")).toBe("user=ada");
    expect(pairText("user", "42")).toBe('user="42"');
    expect(pairText("user", 42)).toBe("user=42");
    expect(pairText("of whom", "ada")).toBeUndefined();
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.string(), fc.double(), fc.boolean()), (name, value) => {
        const text = pairText(name, value);
        if (text !== undefined) expect(typedFilter(text)).toEqual({ filter: { [name]: value } });
      }),
      runs(200),
    );
  });
});
