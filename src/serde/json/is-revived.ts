import { isData } from "./escaped-keys.js";
import { isJsonObject, isStringArray, type JsonObject } from "./json-value.js";
import { classNameOfId } from "./langchain-table.js";
import { BUILTIN_REVIVERS } from "./revive-builtin.js";
import { langGraphNameOf } from "./revive-langgraph.js";
import { isPythonSend, PYTHON_REVIVERS, pythonNameOf } from "./revive-python.js";

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
  if (type !== "constructor") return type === "undefined" || type === "delta_snapshot";
  if (langGraphNameOf(json) !== undefined || isPythonSend(json)) return true;
  if (!isStringArray(id)) return false;
  return id.length === 1 ? BUILTIN_REVIVERS.has(id[0] ?? "") : PYTHON_REVIVERS.has(pythonNameOf(json) ?? "");
}
