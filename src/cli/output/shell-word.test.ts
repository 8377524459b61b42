import { expect, it } from "@jest/globals";
import { shellWord } from "./shell-word.js";

it.each([
  ["42", "42"],
  ["acme:42", "acme:42"],
  ["two words", "'two words'"],
  ["it's", `'it'\\''s'`],
  ["", "''"],
  ["$(rm)", "'$(rm)'"],
  ["\\u0041\u0007", "$'\\\\u0041\\u0007'"],
  ["a\u001b'b", "$'a\\u001b\\u0027b'"],
])("shellWord quotes %j only if a shell needs it", (text, word) => {
  expect(shellWord(text)).toBe(word);
});
