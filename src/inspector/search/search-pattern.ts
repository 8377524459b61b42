import { escapedText } from "../values/search-value.js";

/** The most characters before what was found, so that a narrow list shows it, and after it. */
const BEFORE = 30;
const AFTER = 120;

/** A text around what a search found in it. */
export interface Excerpt {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/**
 * Returns the pattern of a text that people look for: in any case, with any white space for its spaces, and from the beginning of a word,
 * so that the index of words finds the same. A text of a script without spaces between words, such as Chinese, begins anywhere.
 */
export function searchPattern(text: string): RegExp {
  const escaped = escapedText(text.trim()).replaceAll(/\s+/gu, String.raw`\s+`);
  const hasWords = /^[\p{L}\p{N}\u00c0-\u07ff]/u.test(escaped) && /^[^\u0800-\u{10ffff}]/u.test(escaped);
  return new RegExp(`${hasWords ? String.raw`(?<![\p{L}\p{N}\u00c0-\u07ff])` : ""}${escaped}`, "iu");
}

/** Finds a pattern in a text. */
export function excerptOf(text: string, pattern: RegExp): Excerpt | undefined {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const [match] = found;
  const [start, end] = [found.index, found.index + match.length];
  const [from, to] = [Math.max(0, start - BEFORE), Math.min(text.length, end + AFTER)];
  return {
    before: `${from > 0 ? "…" : ""}${text.slice(from, start).toWellFormed()}`,
    match,
    after: `${text.slice(end, to).toWellFormed()}${to < text.length ? "…" : ""}`,
  };
}
