import { readdirSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { pageText } from "./samples.js";

const MAX_WORDS = 44_000;
const MAX_WORDS_OF_PAGE = 2_000;

/** The pages that have more words, and why. */
const LONG_PAGES: Readonly<Record<string, string>> = {
  "cli.md": "each command has a section, where its users look it up",
  "inspector.md": "what people see, how a service mounts it, and its safety are looked up by their headings",
  "scale.md": "replicas, partitions and Citus each take figures, limits and steps",
};

/** Code, addresses of links, and what a tool writes. */
const UNCOUNTED = [
  /^ *```[^]*?^ *```/gm,
  /(?<=\])\([^)]*\)/g,
  /<!-- The table from \w+ is written[^]*?<!-- End of the table/g,
  /<!-- figures: begin[^]*?<!-- figures: end/g,
];

function wordsOf(page: string): number {
  const prose = UNCOUNTED.reduce((text, part) => text.replaceAll(part, ""), pageText(page));
  return prose.match(/[\p{L}\p{N}][\p{L}\p{N}'’._-]*/gu)?.length ?? 0;
}

// places.md is written by tests/places.
const PAGES = readdirSync(new URL("../../docs", import.meta.url)).filter(
  (name) => name.endsWith(".md") && name !== "places.md",
);

it("the pages for users have no more words than a person can read, and long ones have a reason", () => {
  const long = PAGES.filter((page) => wordsOf(page) > MAX_WORDS_OF_PAGE);
  expect(long.sort()).toEqual(Object.keys(LONG_PAGES));
  expect(PAGES.reduce((sum, page) => sum + wordsOf(page), 0)).toBeLessThanOrEqual(MAX_WORDS);
});

it("the README has at most 900 words", () => {
  expect(pageText("../README.md").match(/\S+/g)?.length).toBeLessThanOrEqual(900);
});
