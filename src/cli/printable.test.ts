import { inspect, stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../tests/support/runs.js";
import { printable, printableLines } from "./printable.js";

describe("text from the database", () => {
  it.each([
    ["moves the cursor", "\u001b[2J\u001b[H", "\\u001b[2J\\u001b[H"],
    ["begins such a sequence in one character", "\u009b2J", "\\u009b2J"],
    ["ends the line", "a\r\nb\u2028c\u0085", "a\\u000d\\u000ab\\u2028c\\u0085"],
    ["turns text around", "\u202egpj.exe\u2066", "\\u202egpj.exe\\u2066"],
    ["is half a character", "\ud83d", "\\ud83d"],
  ])("is escaped where it %s", (_what, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("is left as it is otherwise, in any script", () => {
    for (const text of ["thread 42", "日本語", "café 🙂", "مرحبا"]) expect(printable(text)).toBe(text);
  });

  it("has nothing in it that a terminal obeys, whatever it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(/\p{Cc}/u);
        expect(stripVTControlCharacters(printable(text))).toBe(printable(text));
      }),
      runs(100),
    );
  });

  it("keeps our own colours and lines where it is a value", () => {
    const text = inspect({ a: "\u001b[2J", b: [1] }, { colors: true, breakLength: 5 });
    expect(printableLines(text)).toBe(text);
    expect(printableLines("\u001b[31mred\u001b[39m\n\u001b[2J")).toBe("\u001b[31mred\u001b[39m\n\\u001b[2J");
  });
});
