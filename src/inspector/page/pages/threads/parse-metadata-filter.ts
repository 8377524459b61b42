import { typedObject } from "../../parts/json-text.js";

/** What a person wants the metadata of threads to contain. */
type ParsedFilter =
  | { readonly filter: Readonly<Record<string, unknown>> | undefined }
  | { readonly problem: string };

const PAIR = /^([^\s=,"]+)=("(?:[^"\\]|\\.)*"|[^\s,"]*)(?:\s*,\s*|\s+|$)/;

/**
 * Parses a filter: a JSON object, or pairs such as `source=loop, user="42"`. A value that is JSON means what it means there, so `user=42` is
 * a number. Everything else is a text.
 */
export function typedFilter(text: string): ParsedFilter {
  const trimmed = text.trim();
  if (trimmed === "") return { filter: undefined };
  if (!trimmed.startsWith("{")) return parsePairs(trimmed);
  const { value, problem } = typedObject(trimmed);
  return problem === undefined ? { filter: value } : { problem };
}

function parsePairs(text: string): ParsedFilter {
  const pairs: [string, unknown][] = [];
  for (let rest = text; rest !== "";) {
    const [whole, name, value] = PAIR.exec(rest) ?? [];
    if (whole === undefined || name === undefined || value === undefined || value === "") {
      return { problem: `Write name=value, such as source=loop, or JSON. Here it goes wrong: ${rest}` };
    }
    pairs.push([name, valueIn(value)]);
    rest = rest.slice(whole.length);
  }
  return { filter: Object.fromEntries(pairs) };
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
    const parsed = typedFilter(text);
    const pairs = "filter" in parsed ? Object.entries(parsed.filter ?? {}) : [];
    return pairs.length === 1 && pairs[0]?.[0] === name && pairs[0][1] === value;
  });
}
