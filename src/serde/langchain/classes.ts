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
  Object.entries(LANGCHAIN_CLASSES).flatMap(([name, { prototype }]) =>
    isLangChainClassName(name) ? [[prototype, name]] : [],
  ),
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
export function isLangChainClassName(name: string): name is LangChainClassName {
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
  if (typeof instance !== "object" || instance === null)
    throw new TypeError(`the constructor of ${name} did not return an object`);
  return instance;
}
