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

/**
 * The LangChain classes that a stored value may be revived as, by the name that they have in JavaScript and in Python
 * alike. Revival looks a class up here and nowhere else: nothing in a row ever names code to run.
 */
export const LANGCHAIN_CLASSES = {
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

/** The name of a class in {@link LANGCHAIN_CLASSES}. */
export type LangChainClassName = keyof typeof LANGCHAIN_CLASSES;

/** Whether `name` is the name of a class that may be revived. */
export function isLangChainClassName(name: string): name is LangChainClassName {
  return Object.hasOwn(LANGCHAIN_CLASSES, name);
}
