/** The part of `@langchain/langgraph` that stored values are revived as. */
export type LangGraphClasses = Pick<typeof import("@langchain/langgraph"), "Command" | "Overwrite" | "Send">;

let loaded: Promise<LangGraphClasses | undefined> | undefined;

/** Imports `@langchain/langgraph`, an optional peer, once; undefined where it is not installed. */
export function loadLangGraph(): Promise<LangGraphClasses | undefined> {
  loaded ??= importLangGraph();
  return loaded;
}

async function importLangGraph(): Promise<LangGraphClasses | undefined> {
  try {
    return await import("@langchain/langgraph");
  } catch (error) {
    if (isNotInstalled(error)) return undefined;
    throw error;
  }
}

function isNotInstalled(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}
