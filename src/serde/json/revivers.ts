import type { Reviver } from "./decoder.js";
import { isData } from "./escaped-keys.js";
import { isJsonObject, isStringArray, type JsonObject } from "./json-value.js";
import { classNameOfId } from "./langchain-table.js";
import { BUILTIN_REVIVERS } from "./revive-builtin.js";
import { langGraphNameOf, reviveLangGraph } from "./revive-langgraph.js";
import { isPythonSend, PYTHON_REVIVERS, pythonNameOf } from "./revive-python.js";

/** What revives a record `{lc: 2, type: "constructor", …}`, by its id; `undefined` where no class of that is known. */
export function reviverOf(record: JsonObject): Reviver | undefined {
  if (langGraphNameOf(record) !== undefined || isPythonSend(record)) return langGraphReviver;
  const { id } = record;
  if (!isStringArray(id)) return undefined;
  return id.length === 1
    ? BUILTIN_REVIVERS.get(id[0] ?? "")
    : PYTHON_REVIVERS.get(pythonNameOf(record) ?? "");
}

const langGraphReviver: Reviver = (record, depth, decoder) => ({
  value: reviveLangGraph(record, depth, decoder),
});

/**
 * Whether the reader of an item may take an object for a record, and return something else than its data. Of LangChain's records those of
 * secrets and of classes that are not known here are data.
 */
export function isRevived(json: JsonObject): boolean {
  const { id, type } = json;
  if (json.lc === 1) {
    const isConstructor = type === "constructor" && isStringArray(id) && isJsonObject(json.kwargs);
    return isConstructor && !isData(json) && classNameOfId(id) !== undefined;
  }
  if (json.lc !== 2) return false;
  if (type === "constructor") return reviverOf(json) !== undefined;
  return type === "undefined" || type === "delta_snapshot";
}
