import { expect, it } from "@jest/globals";
import { embeddedTexts, pathsOfFields, textsAtPath, tokenizePath } from "./item-texts.js";

const VALUE = { one: ["a"], two: ["a", " ", "b"], named: { 0: "zero" }, blank: "  " };

it("each text of an item has the name that Python's store gives it, and an empty one has none", () => {
  expect(embeddedTexts(VALUE, ["one[*]", "two[*]", "blank", "two[*]", "missing"])).toEqual([
    { fieldName: "one[*]", text: "a" },
    { fieldName: "two[*].0", text: "a" },
    { fieldName: "two[*].2", text: "b" },
  ]);
});

it("the paths of an item's vectors follow from their names", () => {
  expect(pathsOfFields(VALUE, ["one[*]", "two[*].0", "two[*].2", "named.0", "$", ""])).toEqual([
    "one[*]",
    "two[*]",
    "named.0",
    "$",
  ]);
});

const WHOLE = {
  title: "T",
  n: 5,
  half: 0.5,
  tiny: 1e-7,
  flag: true,
  off: false,
  meta: { a: "x", z: { b: "deep" } },
  list: ["p", "q"],
  ch: [{ c: "c1" }, { c: "c2" }],
  deep: [{ list: ["1", "2"] }, { list: ["3"] }],
  m: [["i"], ["j"]],
  nul: null,
  none: undefined,
  empty: "",
  noItems: [],
  noFields: {},
  "dash-ed": "d",
};

const CASES: readonly [path: string, texts: readonly string[]][] = [
  ["title", ["T"]],
  ["n", ["5"]],
  ["half", ["0.5"]],
  ["tiny", ["1e-07"]],
  ["flag", ["True"]],
  ["off", ["False"]],
  ["empty", [""]],
  ["dash-ed", ["d"]],
  ["meta.a", ["x"]],
  ["meta.z.b", ["deep"]],
  ["meta.z", ['{"b": "deep"}']],
  ["meta", ['{"a": "x", "z": {"b": "deep"}}']],
  ["list", ['["p", "q"]']],
  ["noItems", ["[]"]],
  ["noFields", ["{}"]],
  ["list[*]", ["p", "q"]],
  ["list[0]", ["p"]],
  ["list[-1]", ["q"]],
  ["list[-2]", ["p"]],
  ["list[-3]", []],
  ["list[99]", []],
  ["list[]", []],
  ["list[abc]", []],
  ["title[0]", []],
  ["meta[0]", []],
  ["ch[*].c", ["c1", "c2"]],
  ["ch[-1].c", ["c2"]],
  ["ch[-2].c", ["c1"]],
  ["ch[9].c", []],
  ["ch.c", []],
  ["deep[*].list[*]", ["1", "2", "3"]],
  ["m[*][0]", ["i", "j"]],
  ["m[0]", ['["i"]']],
  ["meta.*", ["x", '{"b": "deep"}']],
  ["list.*", ["p", "q"]],
  ["{title,meta.a}", ["T", "x"]],
  ["{ title , nope }", ["T"]],
  ["ch[*].{c}", ["c1", "c2"]],
  ["list.{a}", []],
  ["{title", []],
  ["$.title", []],
  ["nul", []],
  ["none", []],
  ["missing", []],
  ["meta.missing.b", []],
  ["toString", []],
  ["constructor", []],
  ["list.length", []],
];

it.each(CASES)("a path %j leads to the texts that Python's store takes", (path, texts) => {
  expect(textsAtPath(WHOLE, path)).toEqual(texts);
});

it("the path $ is the whole value as Python writes JSON", () => {
  const value = {
    b: [1, { d: null, c: 'é😀\n"' }],
    a: true,
    skipped: undefined,
    "\u{1F600}": 1,
    "\uFFEE": 2,
    big: 2n ** 70n,
  };
  expect(textsAtPath(value, "$")).toEqual([
    '{"a": true, "b": [1, {"c": "é😀\\n\\"", "d": null}], "big": 1180591620717411303424, "\uFFEE": 2, "\u{1F600}": 1}',
  ]);
});

it("a path is split at periods and brackets", () => {
  expect(tokenizePath("a.b[0][*].{c,d.e}.*")).toEqual(["a", "b", "[0]", "[*]", "{c,d.e}", "*"]);
  expect(tokenizePath("..")).toEqual([]);
});
