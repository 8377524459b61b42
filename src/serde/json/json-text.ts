import { DeserializationError, SerializationError } from "../../errors/index.js";
import { endOfString, type JsonOrigin, mayHoldBigIntegers, quoteBigIntegers } from "./scalars.js";
import { readWithLangGraph } from "../langchain/langgraph-classes.js";
import { decodeTree } from "./decode-json.js";
import { ESCAPED } from "./escaped-keys.js";
import { encodeJson, type EncodeJsonOptions } from "./encode-json.js";
import { type JsonValue, MAX_JSON_DEPTH } from "./json-value.js";

/** Parsing a shorter text takes a fraction of a second at any nesting depth, so its depth is only checked afterwards. */
const LONG_TEXT = 2 ** 20;

/**
 * Reads a value from JSON text in the layout of the official serializers. An integer that no double prints with the same digits,
 * as Python may write it, is read as a BigInt.
 *
 * @param text - the text of a value of type `json`, or of a JSONB column
 * @param origin - the source of the text: in JSONB the digits of 1e22 are a number, in JSON text an integer
 * @returns the value, or a promise of it if it contains a Send, Overwrite or Command, as with `decodeJson`
 * @throws {@link DeserializationError} for text that is not JSON, with the error of the parser as its cause
 *
 * @example
 * ```ts
 * await parseJsonText('{"seen":{"lc":2,"type":"constructor","id":["Set"],"args":[[1]]}}'); // { seen: Set { 1 } }
 * ```
 */
export function parseJsonText(text: string, origin: JsonOrigin = "json"): unknown {
  // Asked once: the answer takes a third of the time of the parser.
  const mayBeBig = mayHoldBigIntegers(text);
  const json = parseQuoted(text, origin, mayBeBig);
  const keepsKeys = origin === "item";
  const isPlain = !mayBeBig && isPlainJson(text) && !(keepsKeys && text.includes(ESCAPED));
  return isPlain ? json : readWithLangGraph((source) => decodeTree(json, source, keepsKeys));
}

/** Parses JSON text to JSON data in which integers that no double can hold are records of a BigInt. */
export function parseJsonData(text: string, origin: JsonOrigin = "json"): JsonValue {
  return parseQuoted(text, origin, mayHoldBigIntegers(text));
}

function parseQuoted(text: string, origin: JsonOrigin, mayBeBig: boolean): JsonValue {
  const json = parse(text);
  return mayBeBig ? parse(quoteBigIntegers(text, origin)) : json;
}

/**
 * Whether JSON text without big integers certainly contains no records, like the header of most checkpoints. Such text has no key `lc`,
 * which all records have, no escapes that could spell it, and too few brackets to be nested too deep.
 */
function isPlainJson(text: string): boolean {
  const hasRecords = text.includes('"lc"') || text.includes("\\u");
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
 * Writes a value as JSON text in the layout of {@link encodeJson}.
 *
 * @param value - the value
 * @param options - the name in error messages, and whether the text is stored in a JSONB column
 * @throws {@link SerializationError} for a value that would not be read back equal
 *
 * @example
 * ```ts
 * stringifyJson({ step: 1, source: "loop" }, { path: "metadata", jsonb: true }); // '{"step":1,"source":"loop"}'
 * ```
 */
export function stringifyJson(value: unknown, options: EncodeJsonOptions = {}): string {
  return jsonTextOf(encodeJson(value, options), options.path);
}

/**
 * Writes JSON data as text.
 *
 * @param path - the name of the data in error messages
 * @throws {@link SerializationError} for data that is longer than the longest string
 */
export function jsonTextOf(json: JsonValue | object, path = ""): string {
  try {
    return JSON.stringify(json);
  } catch (cause) {
    throw new SerializationError(path, "the value is longer than the longest string that Node.js can hold", {
      cause,
    });
  }
}

const CODE = { QUOTE: 0x22, "[": 0x5b, "]": 0x5d, "{": 0x7b, "}": 0x7d } as const;

/** Whether JSON text has too few brackets to be nested deeper than {@link MAX_JSON_DEPTH}. Most texts have. */
function hasFewBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ["[", "{"])
    for (let index = text.indexOf(bracket); index !== -1; index = text.indexOf(bracket, index + 1)) {
      count += 1;
      if (count > MAX_JSON_DEPTH) return false;
    }
  return true;
}

/** Whether the brackets of JSON text are nested deeper than `depth`. `JSON.parse` takes seconds for millions of levels. */
export function isNestedDeeper(text: string, depth: number): boolean {
  let open = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === CODE.QUOTE) index = endOfString(text, index) - 1;
    else if (code === CODE["["] || code === CODE["{"]) {
      open += 1;
      if (open > depth) return true;
    } else if (code === CODE["]"] || code === CODE["}"]) open -= 1;
  }
  return false;
}
