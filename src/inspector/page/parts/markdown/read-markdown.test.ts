import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import type { Token } from "markdown-it";
import { mayBeMarkdown } from "./looks-like-markdown.js";
import { createOutline, readMarkdown } from "./read-markdown.js";
import { safeAddress } from "./safe-address.js";
import { runs } from "../../../../../test-support/runs.js";

/** What Markdown gives a meaning, and words between that. */
const PIECES = [
  ...[
    "*",
    "**",
    "_",
    "`",
    "```",
    "~~",
    "~~~",
    "#",
    "## ",
    ">",
    "> ",
    "- ",
    "+ ",
    "1. ",
    "---",
    "===",
    "|",
    "|-|",
  ],
  ...[
    "\\",
    "&",
    "\n",
    "\n\n",
    "    ",
    "\t",
    " ",
    "a",
    "bc",
    "Def",
    "é",
    "שלום",
    "\u202e",
    "\ud800",
    "x".repeat(300),
  ],
];
const LINKS = [
  ...["[", "]", "(", ")", "![", "](", "[a]: ", "<", ">", "<script>", "</b>", "onerror=", "&#106;", "%0a"],
  ...["http://a.b/c", "https://d.e", "mailto:f@g.h", "javascript:i", "data:text/html,j", "vbscript:k", "file:///l"],
  ...["data:image/png;base64,AAAA", "data:image/svg+xml;base64,AAAA", "//m.n", "o@p.q", "JaVaScRiPt:r"],
]; // oxfmt-ignore

const textOf = (pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(""));

/** The tokens and those inside them. */
function flat(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => [token, ...flat(token.children ?? [])]);
}

/** What is shown of a text. */
function shown(tokens: readonly Token[]): string {
  const parts = flat(tokens).map(({ type, content, info }) => {
    if (type === "softbreak" || type === "hardbreak") return "\n";
    if (type === "fence") return info + content;
    return type === "inline" ? "" : content;
  });
  return parts.join("");
}

describe("readMarkdown", () => {
  it("loses no word of a text without links", () => {
    const words = (text: string): string => text.replaceAll(/[^\p{L}]/gu, "");
    fc.assert(
      fc.property(textOf(PIECES), (text) => {
        expect(words(shown(readMarkdown(text) ?? []))).toBe(words(text));
      }),
      runs(200),
    );
  });

  it("makes no HTML, and no address that could do something else than open a page, whatever the text is", () => {
    const image = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;
    fc.assert(
      fc.property(textOf([...PIECES, ...LINKS]), (text) => {
        for (const { type, attrs } of flat(readMarkdown(text) ?? [])) {
          expect(type).not.toMatch(/html/);
          for (const [name, value] of attrs ?? []) {
            expect(name).toMatch(/^(?:href|src|alt|title|start|style)$/);
            if (name === "href" || name === "src")
              expect([value, value === "" || safeAddress(value) !== undefined || image.test(value)]).toEqual([
                value,
                true,
              ]);
          }
        }
      }),
      runs(200),
    );
  });

  it("is needed for every text that it would change", () => {
    fc.assert(
      fc.property(textOf([...PIECES, ...LINKS]), (text) => {
        if (mayBeMarkdown(text)) return;
        const tokens = readMarkdown(text) ?? [];
        const plain = /^(?:paragraph_open|paragraph_close|inline|text|softbreak|hardbreak)$/;
        expect(flat(tokens).filter(({ type }) => !plain.test(type))).toEqual([]);
      }),
      runs(200),
    );
  });

  it("gives up, so that a text is shown as it is, where it is too long or too deep to be shown whole", () => {
    const [many, deep] = [100_000, 5_000];
    for (const text of [">".repeat(many), "- ".repeat(deep) + "a", "1. ".repeat(deep) + "a", "a".repeat(many + 1), "*a* ".repeat(deep)])
      expect([text.slice(0, 3), readMarkdown(text)]).toEqual([text.slice(0, 3), undefined]);
    for (const text of ["*", "[", "<", "`", "|", "_a ", "a**b", "![[]()", "[a](", "\\", "&amp;", "http://a.b/", "\n"])
      expect(() => readMarkdown(text.repeat(many / text.length))).not.toThrow();
  }); // oxfmt-ignore
});

describe("createOutline", () => {
  it.each([
    [[1, 2, 3], [3, 4, 5]],
    [[3, 1, 6], [3, 3, 4]],
    [[1, 2, 3, 4, 5, 6, 2], [3, 4, 5, 6, 6, 6, 4]],
  ])("gives the levels %j of a text those of %j", (levels, expected) => {
    expect(levels.map(createOutline())).toEqual(expected);
  }); // oxfmt-ignore
});

describe("safeAddress", () => {
  it.each(["javascript:a", " javascript:a", "java\nscript:a", "data:text/html,a", "vbscript:a", "file:///a", "blob:x", "/a", "//a.b", "#a", "", "http://"])(
    "refuses %j", (address) => {
      expect(safeAddress(address)).toBeUndefined();
    },
  ); // oxfmt-ignore
});
