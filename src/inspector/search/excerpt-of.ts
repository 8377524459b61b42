import type { MetadataFact } from "../threads/metadata-facts.js";
import { cutText } from "../values/cut-text.js";
import { TextFinder } from "../values/text-finder.js";

/** The most characters before what was found, so that a narrow list shows it, and after it. */
const BEFORE = 30;
const AFTER = 120;

/** A text around what a search found in it. */
export interface Excerpt {
  readonly before: string;
  /** Its beginning, where it has a great deal of white space. */
  readonly match: string;
  readonly after: string;
}

/** The most words of a search. A text with more of them is looked for as it is. */
const MAX_TERMS = 8;

/** Something that a thread must have: a word, or a phrase in quotes. */
export interface SearchTerm {
  readonly text: string;
  readonly finder: TextFinder;
}

/** Returns what a person looks for. A thread must have each of them, in any order. */
export function termsOf(text: string): readonly SearchTerm[] {
  const words = Array.from(text.matchAll(/"([^"]+)"|\S+/g), ([word, phrase]) => (phrase ?? word).trim());
  const distinct = [...new Set(words.filter((word) => word !== ""))];
  const terms = distinct.length > MAX_TERMS ? [text.trim()] : distinct;
  return terms.map((term) => ({ text: term, finder: finderOf(term) }));
}

/** Finds a text in a name, an id or another short text, anywhere and in any case. */
export function excerptOfName(name: string, text: string): Excerpt | undefined {
  const start = name.toLowerCase().indexOf(text.toLowerCase());
  if (start === -1) return undefined;
  const end = start + text.length;
  return { before: name.slice(0, start), match: name.slice(start, end), after: name.slice(end) };
}

/** Finds a text in the values of metadata. Returns where it is, with the name of the value as its label. */
export function findFact(
  metadata: Readonly<Record<string, MetadataFact>>,
  text: string,
): (Excerpt & { readonly label: string }) | undefined {
  for (const [label, value] of Object.entries(metadata)) {
    const excerpt = excerptOfName(String(value), text);
    if (excerpt !== undefined) return { label, ...excerpt };
  }
  return undefined;
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
