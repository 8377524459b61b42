import { DeserializationError, SerializationError } from "../../errors/index.js";
import { type JsonOrigin, mayHoldBigIntegers, quoteBigIntegers } from "./big-integers.js";
import { readWithLangGraph } from "../langchain/langgraph-classes.js";
import { decodeTree } from "./decode-json.js";
import { encodeJson, type EncodeJsonOptions } from "./encode-json.js";
import type { JsonValue } from "./json-value.js";
import { hasFewBrackets, isNestedDeeper } from "./nesting.js";
import { MAX_JSON_DEPTH } from "./limits.js";

/** Shorter texts are parsed within a fraction of a second, however deep they are nested; their depth is looked at afterwards. */
const LONG_TEXT = 2 ** 20;

/**
 * Reads a value from JSON text in the layout of the official serializers. An integer that no double can print again,
 * as Python writes it, is read as a BigInt.
 *
 * @param text - the text, such as a row of type `json` or a JSONB column
 * @param origin - which of the two: in JSONB the digits of 1e22 are those of a number, in JSON those of an integer
 * @returns the value, or a promise of it where it holds a Send, Overwrite or Command, as `decodeJson` says
 * @throws {@link DeserializationError} for text that is not JSON, with the parser's error as its cause
 *
 * @example
 * ```ts
 * await parseJsonText('{"seen":{"lc":2,"type":"constructor","id":["Set"],"args":[[1]]}}'); // { seen: Set { 1 } }
 * ```
 */
export function parseJsonText(text: string, origin: JsonOrigin = "json"): unknown {
  const json = parseJson(text, origin);
  return isPlainJson(text) ? json : readWithLangGraph((source) => decodeTree(json, source));
}

/** Reads JSON data in which integers beyond the doubles are records of a BigInt. */
export function parseJson(text: string, origin: JsonOrigin = "json"): JsonValue {
  const json = parse(text);
  return mayHoldBigIntegers(text) ? parse(quoteBigIntegers(text, origin)) : json;
}

/**
 * Whether text is surely what it looks like, as the header of a checkpoint mostly is: it has no key `lc`, by which all
 * records are told, and none spelled with an escape, no integer that is read as a record, and too few brackets to be nested too deep.
 */
function isPlainJson(text: string): boolean {
  const hasRecords = text.includes('"lc"') || text.includes("\\u") || mayHoldBigIntegers(text);
  return !hasRecords && hasFewBrackets(text);
}

function parse(text: string): JsonValue {
  if (text.length > LONG_TEXT && !hasFewBrackets(text) && isNestedDeeper(text, MAX_JSON_DEPTH))
    throw new DeserializationError(`the value is nested deeper than ${MAX_JSON_DEPTH} levels of JSON`);
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
  return textOf(encodeJson(value, options), options.path);
}

/**
 * The text of JSON data.
 *
 * @param path - what errors call the data
 * @throws {@link SerializationError} for data that is longer than the longest text
 */
export function textOf(json: JsonValue | object, path = ""): string {
  try {
    return JSON.stringify(json);
  } catch (cause) {
    throw new SerializationError(path, "the value is longer than the longest text that there can be", {
      cause,
    });
  }
}
