import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../../../test-support/runs.js";
import { pairText, searchFrom, typedSearch } from "./typed-search.js";

describe("typedSearch", () => {
  it("reads words, phrases and pairs, with values of JSON where they are JSON", () => {
    expect(
      typedSearch(` ada@example.com source=loop, "not a=pair" step=3 user="Ada \\"42\\"" id=007 `),
    ).toEqual({
      search: 'ada@example.com "not a=pair"',
      filter: { source: "loop", step: 3, user: 'Ada "42"', id: "007" },
    });
    expect(typedSearch('{"user": {"id": 1}} refund')).toEqual({
      search: "refund",
      filter: { user: { id: 1 } },
    });
    expect(typedSearch("  ")).toEqual({ search: "", filter: undefined });
  });

  it.each(["source=", "=loop", 'a="b', "https://a.example/?b=c"])("takes %s for words", (text) => {
    expect(typedSearch(text)).toEqual({ search: text, filter: undefined });
  });

  it("reads every JSON object", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (filter) => {
        const text = JSON.stringify(filter);
        expect(typedSearch(text)).toEqual({ search: "", filter: JSON.parse(text) as unknown });
      }),
      runs(100),
    );
  });

  it.each(["{a: 1}", "{", '{"a": 1}}'])("refuses %s", (text) => {
    expect(typedSearch(text)).toHaveProperty("problem");
  });
});

describe("pairText", () => {
  it("writes a value so that the search means it", () => {
    expect(pairText("user", "ada")).toBe("user=ada");
    expect(pairText("user", "42")).toBe('user="42"');
    expect(pairText("user", 42)).toBe("user=42");
    expect(pairText("of whom", "ada")).toBeUndefined();
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.string(), fc.double(), fc.boolean()), (name, value) => {
        const text = pairText(name, value);
        if (text !== undefined) expect(typedSearch(text)).toEqual({ search: "", filter: { [name]: value } });
      }),
      runs(200),
    );
  });
});

describe("searchFrom", () => {
  it("keeps what addresses with three fields asked for", () => {
    const params = new URLSearchParams({ search: "order", text: "late parcel", filter: '{"user":"42"}' });
    expect(searchFrom(params)).toBe('{"user":"42"} order "late parcel"');
  });
});
