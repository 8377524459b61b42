import { isModelClassName, type ModelClassName } from "./classes.js";

/** The Python module of each class that has the same name in Python. */
export const PYTHON_MODULES: Readonly<Record<ModelClassName, string>> = {
  AIMessage: "langchain_core.messages.ai",
  AIMessageChunk: "langchain_core.messages.ai",
  ChatMessage: "langchain_core.messages.chat",
  ChatMessageChunk: "langchain_core.messages.chat",
  Document: "langchain_core.documents.base",
  FunctionMessage: "langchain_core.messages.function",
  FunctionMessageChunk: "langchain_core.messages.function",
  HumanMessage: "langchain_core.messages.human",
  HumanMessageChunk: "langchain_core.messages.human",
  RemoveMessage: "langchain_core.messages.modifier",
  SystemMessage: "langchain_core.messages.system",
  SystemMessageChunk: "langchain_core.messages.system",
  ToolMessage: "langchain_core.messages.tool",
  ToolMessageChunk: "langchain_core.messages.tool",
};

/** The JavaScript class that corresponds to a Python class, if there is one. */
export function classOfPython(module: string, name: string): ModelClassName | undefined {
  return isModelClassName(name) && PYTHON_MODULES[name] === module ? name : undefined;
}
