import { expect, it } from "@jest/globals";
import { embeddedTexts, pathsOfFields } from "./item-texts.js";

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
