import { inspect, stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { printable, printableColours, printableLines, shellWord } from "./printable.js";

describe("printable", () => {
  it.each([
    ["that move the cursor", "\u001b[2J\u001b[H", "\\u001b[2J\\u001b[H"],
    ["that start a control sequence", "\u009b2J", "\\u009b2J"],
    ["that end the line", "a\r\nb\u2028c\u0085", "a\\u000d\\u000ab\\u2028c\\u0085"],
    ["that change the direction of text", "\u202egpj.exe\u2066", "\\u202egpj.exe\\u2066"],
    ["that are lone surrogates", "\ud83d", "\\ud83d"],
  ])("escapes characters %s", (_which, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("does not change printable text in any script", () => {
    for (const text of ["thread 42", "日本語", "café 🙂", "مرحبا"]) expect(printable(text)).toBe(text);
  });

  it("never returns a control character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(/\p{Cc}/u);
        expect(stripVTControlCharacters(printable(text))).toBe(printable(text));
      }),
      runs(100),
    );
  });

  it("keeps line breaks in printableLines, and colours in printableColours", () => {
    const text = inspect({ a: "\u001b[2J", b: [1] }, { colors: true, breakLength: 5 });
    expect(printableColours(text)).toBe(text);
    const red = "\u001b[31mred\u001b[39m\n\u001b[2J";
    expect(printableColours(red)).toBe("\u001b[31mred\u001b[39m\n\\u001b[2J");
    expect(printableLines(red)).toBe("\\u001b[31mred\\u001b[39m\n\\u001b[2J");
  });
});

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
