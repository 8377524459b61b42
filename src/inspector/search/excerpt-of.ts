import { cutText } from "../values/cut-text.js";
import { TextFinder } from "../values/text-finder.js";

/** The most characters before what was found, so that a narrow list shows it, and after it. */
const BEFORE = 30;
const AFTER = 120;

/** A text around what a search found in it. */
interface Excerpt {
  readonly before: string;
  /** Its beginning, where it has a great deal of white space. */
  readonly match: string;
  readonly after: string;
}

/**
 * Returns what finds a text that people look for: in any case, with any white space for its spaces, and from the beginning of a word, so
 * that the index of words finds the same. A text of a script without spaces between words, such as Chinese, begins anywhere.
 */
export function finderOf(text: string): TextFinder {
  const words = text.trim();
  const hasWords = /^[\p{L}\p{N}\u00c0-\u07ff]/u.test(words) && /^[^\u0800-\u{10ffff}]/u.test(words);
  return new TextFinder(words, {
    anySpace: true,
    notAfter: hasWords ? /[\p{L}\p{N}\u00c0-\u07ff]$/iu : undefined,
  });
}

/**
 * Finds a text in another one.
 *
 * @throws AbortError when the signal aborts meanwhile.
 */
export async function excerptOf(
  text: string,
  finder: TextFinder,
  signal: AbortSignal,
): Promise<Excerpt | undefined> {
  const found = await finder.find(text, signal);
  if (found === undefined) return undefined;
  const { start, end } = found;
  const [from, to] = [Math.max(0, start - BEFORE), Math.min(text.length, end + AFTER)];
  return {
    before: `${from > 0 ? "…" : ""}${text.slice(from, start).toWellFormed()}`,
    match: cutText(text.slice(start, end)).text,
    after: `${text.slice(end, to).toWellFormed()}${to < text.length ? "…" : ""}`,
  };
}
