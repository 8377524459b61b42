import { expect, it } from "@jest/globals";
import { InvalidConfigError } from "../../errors/index.js";
import { checkAnswer } from "./check-answer.js";

/** No value fits any of these, so that all of them are tried for each item. */
const NUMBERS = { anyOf: Array.from({ length: 200 }, (_, minimum) => ({ type: "number", minimum })) };
const LIST = { type: "array", items: NUMBERS };

it("an answer is checked by its schema", () => {
  expect(() => {
    checkAnswer(LIST, ["a", "b"]);
  }).toThrow(InvalidConfigError);
});

it.each([
  ["many items for many parts of the schema", LIST, Array.from({ length: 1_000 }, () => "a")],
  ["long texts for many parts of the schema", LIST, Array.from({ length: 10 }, () => "a".repeat(100_000))],
  [
    "many names, of which each is compared with each",
    { type: "object", additionalProperties: NUMBERS },
    Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`n${at}`, "a"])),
  ],
])("an answer is left to the graph where it would take long to check: %s", (_what, schema, answer) => {
  expect(() => {
    checkAnswer(schema, answer);
  }).not.toThrow();
});
