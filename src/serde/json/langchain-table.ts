import { isLangChainClassName, LANGCHAIN_CLASSES, type LangChainClassName } from "../langchain/classes.js";
import { classNameOf, prototypeDepth, prototypeOf } from "./inspect-object.js";
import { isSerializableObject } from "./langchain-kwargs.js";

const ROOTS = ["langchain_core", "langchain"];
// Python writes `langchain.schema.document.Document`, JavaScript `langchain_core.documents.Document`.
const MODULES = ["messages", "documents", "document", "prompt_values"];

/** The class of the table that the `id` of a record names, in JavaScript's words or in Python's. */
export function classNameOfId(id: readonly string[]): LangChainClassName | undefined {
  const name = id.at(-1);
  const [root, ...modules] = id.slice(0, -1);
  if (name === undefined || root === undefined || !isLangChainClassName(name)) return undefined;
  return ROOTS.includes(root) && modules.some((module) => MODULES.includes(module)) ? name : undefined;
}

/** The class of the table that an object is an instance of; an instance of a subclass is not one. */
export function tableClassOf(value: object): LangChainClassName | undefined {
  const name = classNameOf(value);
  if (!isLangChainClassName(name)) return undefined;
  const isOwn = prototypeOf(value) === LANGCHAIN_CLASSES[name].prototype;
  return isOwn || isFromAnotherCore(value, name) ? name : undefined;
}

/** An application may have two copies of LangChain's core, one for `import` and one for `require`. */
function isFromAnotherCore(value: object, name: LangChainClassName): boolean {
  if (prototypeDepth(value) !== prototypeDepth(LANGCHAIN_CLASSES[name].prototype) + 1) return false;
  if (name === "Document") return Object.hasOwn(value, "pageContent") && Object.hasOwn(value, "metadata");
  return isSerializableObject(value) && classNameOfId(value.lc_id) === name;
}
