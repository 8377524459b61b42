import {
  isLangChainClassName,
  LANGCHAIN_CLASSES,
  type LangChainClassName,
  ownClassOf,
} from "../langchain/classes.js";
import { classNameOf, prototypeDepth } from "../objects/inspect-object.js";
import { isSerializableObject } from "./langchain-kwargs.js";

const ROOTS = ["langchain_core", "langchain"];
// Python writes `langchain.schema.document.Document`, JavaScript `langchain_core.documents.Document`.
const MODULES = ["messages", "documents", "document", "prompt_values"];

/** The revivable class that the `id` of a record names, in the form of JavaScript or of Python. */
export function classNameOfId(id: readonly string[]): LangChainClassName | undefined {
  const name = id.at(-1);
  const [root, ...modules] = id.slice(0, -1);
  if (name === undefined || root === undefined || !isLangChainClassName(name)) return undefined;
  return ROOTS.includes(root) && modules.some((module) => MODULES.includes(module)) ? name : undefined;
}

/** The revivable class that an object is a direct instance of. */
export function tableClassOf(value: object): LangChainClassName | undefined {
  return ownClassOf(value) ?? classOfAnotherCore(value);
}

/**
 * Recognizes objects of other copies of @langchain/core: an application may have one for `import` and one for `require`, another
 * version, and one in a bundle. A bundler may have minified the names of the classes, but not the ids.
 */
function classOfAnotherCore(value: object): LangChainClassName | undefined {
  const name = isSerializableObject(value) ? classNameOfId(value.lc_id) : documentName(value);
  const isExact =
    name !== undefined && prototypeDepth(value) === prototypeDepth(LANGCHAIN_CLASSES[name].prototype) + 1;
  return isExact ? name : undefined;
}

function documentName(value: object): "Document" | undefined {
  const isDocument = Object.hasOwn(value, "pageContent") && Object.hasOwn(value, "metadata");
  return isDocument && classNameOf(value) === "Document" ? "Document" : undefined;
}
