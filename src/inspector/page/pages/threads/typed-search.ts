import { typedObject } from "../../parts/json-text.js";

/** What a person looks for: words for the search, and what the metadata of threads has to contain. */
interface Filtered {
  readonly search: string;
  readonly filter: Readonly<Record<string, unknown>> | undefined;
}

type TypedSearch = Filtered | { readonly problem: string };

const PAIR = /^([\p{L}\p{N}_$][\p{L}\p{N}_$.:-]*)=("(?:[^"\\]|\\.)*"|[^\s,"]+)(?:\s*,\s*|\s+|$)/u;
const WORD = /^("[^"]*"|\S+)\s*/;

/**
 * Parses what a person has typed: words and phrases in quotes, and among them what the metadata has to contain: pairs such as `source=loop`,
 * or a JSON object at the beginning. A value that is JSON means what it means there, so `user=42` is a number.
 */
export function typedSearch(text: string): TypedSearch {
  let rest = text.trim();
  const pairs: [string, unknown][] = [];
  const words: string[] = [];
  if (rest.startsWith("{")) {
    const end = rest.lastIndexOf("}") + 1;
    const { value, problem } = typedObject(rest.slice(0, end || undefined));
    if (problem !== undefined) return { problem };
    pairs.push(...Object.entries(value));
    rest = rest.slice(end).trim();
  }
  while (rest !== "") {
    const [pair, name, value] = PAIR.exec(rest) ?? [];
    if (pair !== undefined && name !== undefined && value !== undefined) {
      pairs.push([name, valueIn(value)]);
      rest = rest.slice(pair.length);
    } else {
      const [all = rest, word = rest] = WORD.exec(rest) ?? [];
      words.push(word);
      rest = rest.slice(all.length);
    }
  }
  return {
    search: words.join(" "),
    filter: pairs.length === 0 ? undefined : Object.fromEntries(pairs),
  };
}

/** Parses a text that has to be a filter, as {@link typedSearch} reads it. */
export function typedFilter(text: string): Exclude<TypedSearch, Filtered> | Pick<Filtered, "filter"> {
  const typed = typedSearch(text);
  if ("problem" in typed || typed.search === "") return typed;
  return { problem: `Write name=value, such as source=loop, or JSON. Here it goes wrong: ${typed.search}` };
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the text that means a name with a value; `undefined` where only a JSON object can say it. */
export function pairText(name: string, value: string | number | boolean): string | undefined {
  const texts = [String(value), JSON.stringify(value)].map((text) => `${name}=${text}`);
  return texts.find((text) => {
    const parsed = typedSearch(text);
    if ("problem" in parsed || parsed.search !== "") return false;
    const pairs = Object.entries(parsed.filter ?? {});
    return pairs.length === 1 && pairs[0]?.[0] === name && pairs[0][1] === value;
  });
}

/** Returns the search that an address names. Addresses of earlier versions had a field for each of a text and the metadata. */
export function searchFrom(params: URLSearchParams): string {
  const [search, text, filter] = ["search", "text", "filter"].map((name) => params.get(name) ?? "");
  const phrase = text !== undefined && /\s/.test(text) && !text.includes('"') ? `"${text}"` : text;
  return [filter, search, phrase].filter((part) => part !== "").join(" ");
}
