import { isJsonbText } from "./scalars.js";
import type { JsonObject } from "./json-value.js";
import { looksLikeRecord } from "./records.js";

/**
 * As a key of its own, it marks an object as data although it has the shape of a record. It also begins each key that is stored in
 * another spelling.
 */
export const ESCAPED = "__escaped__";

/**
 * How a key is spelled in a JSONB object that filters compare by its keys. A key with U+0000 or a lone surrogate, which JSONB refuses,
 * is spelled as its JSON text.
 *
 * @example
 * ```ts
 * escapeKey("kind"); // kind
 * escapeKey("a\0"); // __escaped__"a\u0000"
 * ```
 */
export function escapeKey(key: string): string {
  return isJsonbText(key) && !key.startsWith(ESCAPED) ? key : ESCAPED + JSON.stringify(key);
}

/** The key that {@link escapeKey} spells so. Any other key is itself. */
export function unescapeKey(spelled: string): string {
  if (!spelled.startsWith(ESCAPED)) return spelled;
  const key = parseText(spelled.slice(ESCAPED.length));
  return key !== undefined && escapeKey(key) === spelled ? key : spelled;
}

function parseText(json: string): string | undefined {
  try {
    const text: unknown = JSON.parse(json);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a key of a stored object is the mark of data. */
export function isMark(key: string, { lc, type }: JsonObject): boolean {
  return key === ESCAPED && looksLikeRecord(lc, type);
}

/** The keys of a record of LangChain, as this library and those of LangChain write them. */
const RECORD_KEYS: ReadonlySet<string> = new Set(["lc", "type", "id", "kwargs", "fields", "absent"]);

/**
 * Whether an object with a key `lc` is data: it is marked, or has fields beside those of a record, as a program in another language may
 * have stored a serialized message. Read as a record, it would lose them.
 */
export function isData(json: JsonObject): boolean {
  return (
    Object.hasOwn(json, ESCAPED) || (json.lc === 1 && Object.keys(json).some((key) => !RECORD_KEYS.has(key)))
  );
}
