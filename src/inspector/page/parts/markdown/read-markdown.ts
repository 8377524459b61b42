import MarkdownIt, { type Token } from "markdown-it";
import { safeAddress } from "./safe-address.js";

/** Longer texts would take longer than a person waits for. */
const MAX_CHARACTERS = 100_000;
const MAX_TOKENS = 10_000;
/** The parser leaves out what is deeper: its `maxNesting`. */
const MAX_DEPTH = 100;

const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;

// HTML is text. A line break is one, as people who chat mean it.
const parser = createParser();

function createParser(): MarkdownIt {
  const created = new MarkdownIt({ html: false, linkify: true, breaks: true });
  created.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  // The source of other links is shown as it is.
  created.validateLink = (address) => safeAddress(address) !== undefined || DATA_IMAGE.test(address);
  return created;
}

/** Reads Markdown. Returns `undefined` where a text is too long, or nested too deeply, to be shown whole. */
export function readMarkdown(text: string): readonly Token[] | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const tokens = parser.parse(text, {});
  let count = 0;
  for (const { level, nesting, children } of tokens) {
    count += 1 + (children?.length ?? 0);
    if (count > MAX_TOKENS || (nesting === 1 && level >= MAX_DEPTH - 1)) return undefined;
  }
  return tokens;
}

/** The level of the first heading in a text: the page has those above. */
const FIRST_LEVEL = 3;
const LAST_LEVEL = 6;

/**
 * Gives the headings of a text levels below those of the page, without gaps, which people who listen to a page could not follow.
 *
 * @returns Maps the level that the text says to the one that the page shows, in the order of the text.
 */
export function createOutline(): (level: number) => number {
  const around: number[] = [];
  return (level) => {
    while ((around.at(-1) ?? 0) >= level) around.pop();
    around.push(level);
    return Math.min(FIRST_LEVEL + around.length - 1, LAST_LEVEL);
  };
}
