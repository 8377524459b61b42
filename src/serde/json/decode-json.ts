import { DeserializationError } from "../../errors.js";
import { importLangGraph } from "../langchain/langgraph-classes.js";
import type { Depth, Revived } from "./decoder.js";
import { isStringArray, type JsonObject, type JsonValue } from "./json-value.js";
import { loadForeign } from "./langchain-foreign.js";
import { decodeKwargs } from "./revive-langchain.js";
import { reviveLangGraph } from "./revive-langgraph.js";
import { TreeDecoder, type Unresolved } from "./tree-decoder.js";

const ROOT: Depth = { level: 0, inKwargs: false };

/**
 * Turns JSON data that {@link encodeJson}, the official JavaScript saver or an old Python saver wrote into the value.
 * Only the kinds of records of a closed list are revived; any other object is data, whatever it looks like.
 *
 * @param json - the data, as `JSON.parse` returns it
 * @returns the value, or a promise of it where it holds a Send, Overwrite or Command, or a LangChain object that is
 *   neither message nor Document: their classes are imported when they are first met
 * @throws {@link DeserializationError} for data that is nested too deep, or a message that its class refuses
 *
 * @example
 * ```ts
 * decodeJson({ lc: 2, type: "constructor", id: ["Set"], args: [["a"]] }); // Set { "a" }
 * ```
 */
export function decodeJson(json: JsonValue): unknown {
  const decoder = new TreeDecoder(new Map());
  const value = guarded(() => decoder.decode(json, ROOT));
  return decoder.unresolved.length === 0 ? value : decodeWithImports(json, decoder.unresolved);
}

async function decodeWithImports(json: JsonValue, unresolved: readonly Unresolved[]): Promise<unknown> {
  const resolutions = new Map<JsonObject, Revived | undefined>();
  const decoder = new TreeDecoder(resolutions);
  for (const { record, depth } of unresolved) {
    resolutions.set(record, await resolve(record, depth, decoder));
  }
  return guarded(() => decoder.decode(json, ROOT));
}

async function resolve(record: JsonObject, depth: Depth, decoder: TreeDecoder): Promise<Revived | undefined> {
  if (record.lc !== 1) {
    const classes = (await importLangGraph()) ?? undefined;
    return { value: guarded(() => reviveLangGraph(record, depth, decoder, classes)) };
  }
  const { id, kwargs } = record;
  const decoded = guarded(() => decodeKwargs(kwargs ?? null, depth, decoder));
  const value = isStringArray(id) ? await loadForeign(id, decoded) : undefined;
  return value && { value };
}

/** Runs a walk; the caller's own stack may be nearly full already. */
function guarded<T>(walk: () => T): T {
  try {
    return walk();
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new DeserializationError("the value is nested too deep for the stack", { cause });
    throw cause;
  }
}
