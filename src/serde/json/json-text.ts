import { DeserializationError } from "../../errors.js";
import { mayHoldBigIntegers, quoteBigIntegers } from "./big-integers.js";
import { decodeJson } from "./decode-json.js";
import { encodeJson, type EncodeJsonOptions } from "./encode-json.js";
import type { JsonValue } from "./json-value.js";
import { MAX_JSON_DEPTH } from "./limits.js";

/**
 * Reads a value from JSON text in the layout of the official serializers. An integer that no double can print again,
 * as Python writes it, is read as a BigInt.
 *
 * @param text - the text, such as a row of type `json` or a JSONB column
 * @returns the value, or a promise of it as {@link decodeJson} says
 * @throws {@link DeserializationError} for text that is not JSON, with the parser's error as its cause
 *
 * @example
 * ```ts
 * await parseJsonText('{"seen":{"lc":2,"type":"constructor","id":["Set"],"args":[[1]]}}'); // { seen: Set { 1 } }
 * ```
 */
export function parseJsonText(text: string): unknown {
  const json = parse(text);
  if (mayHoldBigIntegers(text)) return decodeJson(parse(quoteBigIntegers(text)));
  return isPlainJson(text) ? json : decodeJson(json);
}

/**
 * Whether text is surely what it looks like, as the header of a checkpoint mostly is: it has no key `lc`, by which all
 * records are told, and none spelled with an escape, and too few brackets to be nested too deep.
 */
function isPlainJson(text: string): boolean {
  return !text.includes('"lc"') && !text.includes("\\u") && !isMaybeDeep(text);
}

/** Counts no further than it must: a list of all brackets would take several times the memory of the text. */
function isMaybeDeep(text: string): boolean {
  const bracket = /[[{]/g;
  let count = 0;
  while (count <= MAX_JSON_DEPTH && bracket.test(text)) count += 1;
  return count > MAX_JSON_DEPTH;
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new DeserializationError("the text is not JSON", { cause, typeTag: "json" });
  }
}

/**
 * Writes a value as JSON text, as {@link encodeJson} lays it out.
 *
 * @param value - the value
 * @param options - what errors call it, and whether the text goes into a JSONB column
 * @throws {@link SerializationError} for a value that would not read back equal
 *
 * @example
 * ```ts
 * stringifyJson({ step: 1, source: "loop" }, { path: "metadata", jsonb: true }); // '{"step":1,"source":"loop"}'
 * ```
 */
export function stringifyJson(value: unknown, options: EncodeJsonOptions = {}): string {
  return textOf(encodeJson(value, options));
}

/** The text of JSON data. */
export function textOf(json: JsonValue): string {
  return JSON.stringify(json);
}
