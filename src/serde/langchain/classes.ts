import { isObject, constructorNameOf, prototypeDepth, readProperty } from "../objects/inspect-object.js";
import { Document } from "@langchain/core/documents";
import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";
import { ChatPromptValue, ImagePromptValue, StringPromptValue } from "@langchain/core/prompt_values";

/** The classes that have the same name and fields in Python. They are written as Python's models. */
const MODEL_CLASSES = {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  ChatMessageChunk,
  Document,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} as const;

/** The classes that have other fields in Python. They are written as LangChain's own records, also in MessagePack. */
const PROMPT_VALUE_CLASSES = { ChatPromptValue, ImagePromptValue, StringPromptValue } as const;

/**
 * The LangChain classes that a stored value may be revived as. All of them only hold data. Every reader looks a class up here
 * and calls its constructor with plain fields. No reader calls LangChain's own loader, which looks a name up among all exports
 * of the package.
 */
export const LANGCHAIN_CLASSES = { ...MODEL_CLASSES, ...PROMPT_VALUE_CLASSES } as const;

/** The name of a class in {@link MODEL_CLASSES}. */
export type ModelClassName = keyof typeof MODEL_CLASSES;

/** The name of a class in {@link LANGCHAIN_CLASSES}. */
export type LangChainClassName = keyof typeof LANGCHAIN_CLASSES;

const NAMES: ReadonlyMap<unknown, LangChainClassName> = new Map(
  Object.keys(LANGCHAIN_CLASSES)
    .filter(isLangChainClassName)
    .map((name) => [LANGCHAIN_CLASSES[name].prototype, name]),
);

/** The revivable class, from this copy of @langchain/core, that `value` is a direct instance of. */
export function ownClassOf(value: object): LangChainClassName | undefined {
  return NAMES.get(Reflect.getPrototypeOf(value));
}

/** Whether `name` is the name of a class in {@link MODEL_CLASSES}. */
export function isModelClassName(name: string): name is ModelClassName {
  return Object.hasOwn(MODEL_CLASSES, name);
}

/** Whether `name` is the name of a class that may be revived. */
function isLangChainClassName(name: string): name is LangChainClassName {
  return Object.hasOwn(LANGCHAIN_CLASSES, name);
}

/**
 * Creates an instance of a class from its fields.
 *
 * @throws whatever the constructor throws for invalid fields
 */
export function construct(name: LangChainClassName, fields: Readonly<Record<string, unknown>>): object {
  const argument = name === "StringPromptValue" ? fields.value : fields;
  const instance: unknown = Reflect.construct(LANGCHAIN_CLASSES[name], [argument]);
  if (!isObject(instance)) throw new TypeError(`the constructor of ${name} did not return an object`);
  return instance;
}

/** What each class that has the same name in Python is there: its module, and what its field `type` holds, but for a document. */
export const PYTHON_MODELS: Readonly<
  Record<ModelClassName, { readonly module: string; readonly type?: string }>
> = {
  AIMessage: { module: "langchain_core.messages.ai", type: "ai" },
  AIMessageChunk: { module: "langchain_core.messages.ai", type: "AIMessageChunk" },
  ChatMessage: { module: "langchain_core.messages.chat", type: "chat" },
  ChatMessageChunk: { module: "langchain_core.messages.chat", type: "ChatMessageChunk" },
  Document: { module: "langchain_core.documents.base" },
  FunctionMessage: { module: "langchain_core.messages.function", type: "function" },
  FunctionMessageChunk: { module: "langchain_core.messages.function", type: "FunctionMessageChunk" },
  HumanMessage: { module: "langchain_core.messages.human", type: "human" },
  HumanMessageChunk: { module: "langchain_core.messages.human", type: "HumanMessageChunk" },
  RemoveMessage: { module: "langchain_core.messages.modifier", type: "remove" },
  SystemMessage: { module: "langchain_core.messages.system", type: "system" },
  SystemMessageChunk: { module: "langchain_core.messages.system", type: "SystemMessageChunk" },
  ToolMessage: { module: "langchain_core.messages.tool", type: "tool" },
  ToolMessageChunk: { module: "langchain_core.messages.tool", type: "ToolMessageChunk" },
};

/** The names in JSON and in Python of the fields of a document. */
export const DOCUMENT_FIELDS: Readonly<Record<string, string>> = {
  pageContent: "page_content",
  metadata: "metadata",
  id: "id",
};

/** The JavaScript class that corresponds to a Python class, if there is one. */
export function classOfPython(module: string, name: string): ModelClassName | undefined {
  return isModelClassName(name) && PYTHON_MODELS[name].module === module ? name : undefined;
}

/** The class of messages whose field `type` is this in Python, if there is one. */
export function classOfPythonType(type: unknown): ModelClassName | undefined {
  const isOfType = (name: ModelClassName): boolean => type !== undefined && PYTHON_MODELS[name].type === type;
  return Object.keys(PYTHON_MODELS).filter(isModelClassName).find(isOfType);
}

/** The fields that every instance of a message class has, whatever arguments it was built from. A spread message passes them on. */
export const CONSTANT_KEYS: ReadonlySet<string> = new Set([
  "lc_serializable",
  "lc_kwargs",
  "lc_namespace",
  "lc_direct_tool_output",
  "type",
]);

/**
 * The constructor arguments of a LangChain object as they are now. LangChain keeps the arguments, and names from them what its JSON
 * has. A field may have changed since, or may be gone: then the object no longer has what it was built from, and it must not be stored.
 * So an argument has the value of the field of its name. An argument that the class doesn't know has no such field, and keeps its own.
 *
 * @returns Names and values, in order. Arguments without a value, and those that are the same in each object of the class, are left out.
 */
export function currentArguments(object: object, name: LangChainClassName): [string, unknown][] {
  const current: [string, unknown][] = [];
  const given = argumentsOf(object);
  for (const key of Object.keys(given)) {
    if (CONSTANT_KEYS.has(key)) continue;
    const holder = key in object ? object : isFieldOf(name, key) ? undefined : given;
    const value: unknown = holder && Reflect.get(holder, key);
    if (value !== undefined) current.push([key, value]);
  }
  return current;
}

/** The arguments that an object keeps. */
export function argumentsOf(object: object): object {
  const kwargs: unknown = Reflect.get(object, "lc_kwargs");
  return isObject(kwargs) ? kwargs : {};
}

const fieldsOfClasses = new Map<LangChainClassName, ReadonlySet<string>>();

/** Whether each object of a class has the field, if only as `undefined`. */
function isFieldOf(name: LangChainClassName, key: string): boolean {
  let fields = fieldsOfClasses.get(name);
  if (fields === undefined) {
    fields = new Set(Object.keys(construct(name, {})));
    fieldsOfClasses.set(name, fields);
  }
  return fields.has(key);
}

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
  return isDocument && constructorNameOf(value) === "Document" ? "Document" : undefined;
}

/** The parts of core's `Serializable` that determine how an object is written. */
export interface SerializableObject {
  readonly lc_serializable: true;
  readonly lc_kwargs: object;
  readonly lc_id: string[];
}

/** Whether an object has the shape of a serializable LangChain object. An application may have two copies of core. */
export function isSerializableObject(value: object): value is SerializableObject {
  if (readProperty(value, "lc_serializable") !== true) return false;
  const kwargs = readProperty(value, "lc_kwargs");
  const id = readProperty(value, "lc_id");
  const isId = Array.isArray(id) && id.every((part) => typeof part === "string");
  return isId && isObject(kwargs) && !Array.isArray(kwargs);
}
