import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import fc from "fast-check";
import { AbortError } from "../../errors/index.js";
import { runs } from "../../../test-support/runs.js";
import { TextFinder } from "../values/text-finder.js";
import { excerptOf, finderOf } from "./excerpt-of.js";

const { signal } = new AbortController();

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** The expression that says what a search finds, apart from how long it takes. */
function searchPattern(text: string): RegExp {
  const words = escaped(text.trim()).replaceAll(/\s+/gu, String.raw`\s+`);
  const hasWords = /^[\p{L}\p{N}\u00c0-\u07ff]/u.test(words) && /^[^\u0800-\u{10ffff}]/u.test(words);
  return new RegExp(`${hasWords ? String.raw`(?<![\p{L}\p{N}\u00c0-\u07ff])` : ""}${words}`, "iu");
}

async function rangeOf(finder: TextFinder, text: string): Promise<readonly number[] | undefined> {
  const found = await finder.find(text, signal);
  return found && [found.start, found.end];
}

function rangeBy(pattern: RegExp, text: string): readonly number[] | undefined {
  const found = pattern.exec(text);
  return found === null ? undefined : [found.index, found.index + found[0].length];
}

/** Letters with several cases, white space of each kind, halves of characters, and signs of expressions. */
const letter = fc.constantFrom(
  ...[
    "a",
    "A",
    "b",
    "ſ",
    "s",
    "S",
    "K",
    "k",
    "ß",
    "ẞ",
    "σ",
    "ς",
    "Σ",
    "ǆ",
    "ǅ",
    "İ",
    "i",
    "ı",
    "ꭰ",
    "Ꭰ",
    "\u0345",
    "ι",
  ],
  ...[" ", " ", "\n", "\u00a0", "\u2028", "\ufeff", ".", "*", "[", "\\", "-", "1", "é"],
  ...["😀", "\ud83d", "\ude00", "𐐀", "𐐨", "退", "款"],
);
const few = fc.constantFrom("a", "A", "b", " ", "\n");
const textOf = (letters: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(letters, { maxLength }).map((each) => each.join(""));
/** A text and what may be in it. */
const pairOf = (letters: fc.Arbitrary<string>) =>
  fc
    .tuple(textOf(letters, 60), textOf(letters, 6), fc.nat(), fc.integer({ min: 1, max: 8 }))
    .map(([text, other, from, length]) => {
      const start = from % (text.length + 1);
      // Half of the time a part of the text, in another case.
      return [text, from % 2 === 0 ? text.slice(start, start + length).toLowerCase() : other] as const;
    });
const pair = fc.oneof(pairOf(letter), pairOf(few));

describe("the search in a text", () => {
  it("finds what the regular expression finds", async () => {
    await fc.assert(
      fc.asyncProperty(pair, async ([text, needle]) => {
        if (needle === "") return;
        const literal = new TextFinder(needle, { anySpace: false, notAfter: undefined });
        expect(await rangeOf(literal, text)).toEqual(rangeBy(new RegExp(escaped(needle), "iu"), text));
        if (needle.trim() === "") return;
        expect(await rangeOf(finderOf(needle), text)).toEqual(rangeBy(searchPattern(needle), text));
      }),
      runs(1_000),
    );
  });

  it("finds what crosses the steps, with any white space between", async () => {
    const filler = fc.constantFrom("x", "a", " ", "😀", "a ", "\ud83d");
    const drawn = fc.tuple(
      filler,
      fc.integer({ min: 16_300, max: 16_400 }),
      filler,
      fc.nat(40_000),
      pairOf(few),
    );
    await fc.assert(
      fc.asyncProperty(drawn, async ([before, count, between, length, [text, needle]]) => {
        const whole = `${before.repeat(count)}${text}${between.repeat(length)}${text}`;
        const finders = needle.trim() === "" ? [] : [needle, `${needle} ${needle}`];
        for (const each of finders)
          expect(await rangeOf(finderOf(each), whole)).toEqual(rangeBy(searchPattern(each), whole));
      }),
      runs(30),
    );
  });

  it("shows the beginning of a match that is mostly white space", async () => {
    const excerpt = await excerptOf(`is late${" ".repeat(100_000)}again`, finderOf("late again"), signal);
    expect(excerpt).toMatchObject({ before: "is ", match: `late${" ".repeat(1_996)}`, after: "" });
  });
});

describe("a search that takes long", () => {
  let turns = 0;
  let counting: NodeJS.Immediate;
  beforeEach(() => {
    // Each step takes long.
    let now = 0;
    jest.spyOn(performance, "now").mockImplementation(() => (now += 100));
    turns = 0;
    const count = (): void => {
      turns += 1;
      counting = setImmediate(count);
    };
    counting = setImmediate(count);
  });
  afterEach(() => {
    clearImmediate(counting);
    jest.restoreAllMocks();
  });

  const text = "a ".repeat(100_000);

  it("lets others run after each step, and each of many searches has a turn of its own", async () => {
    const finder = finderOf(`${"a ".repeat(249)}b`);
    expect(await excerptOf(text, finder, signal)).toBeUndefined();
    const steps = Math.floor(text.length / 16_384);
    expect(turns).toBeGreaterThanOrEqual(steps);
    turns = 0;
    await Promise.all(Array.from({ length: 4 }, () => excerptOf(text, finder, signal)));
    expect(turns).toBeGreaterThanOrEqual(4 * steps);
  });

  it("ends when nobody waits for it any more", async () => {
    const ending = new AbortController();
    const search = excerptOf(text, finderOf("b"), ending.signal);
    setImmediate(() => {
      ending.abort();
    });
    await expect(search).rejects.toThrow(AbortError);
    expect(turns).toBeLessThan(5);
  });
});
