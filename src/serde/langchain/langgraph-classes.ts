import type { Command, Overwrite, Send } from "@langchain/langgraph";

/** The classes of @langchain/langgraph that a stored value may be revived as. */
export interface LangGraphClasses {
  readonly Command: typeof Command;
  readonly Overwrite: typeof Overwrite;
  readonly Send: typeof Send;
}

/** Provides the classes of @langchain/langgraph to a decoder. */
export interface LangGraphSource {
  /** The classes, or `null` if @langchain/langgraph is not installed. */
  readonly langGraph: LangGraphClasses | null;
}

let imported: Promise<LangGraphClasses | null> | undefined;

/**
 * Imports the classes of @langchain/langgraph, and returns `null` if it is not installed. The package is an optional peer and
 * slow to load, so it is imported when the first value needs it.
 */
export function importLangGraph(): Promise<LangGraphClasses | null> {
  imported ??= importClasses();
  return imported;
}

async function importClasses(): Promise<LangGraphClasses | null> {
  // Bundlers take a package that is missing for optional in a `try` block only.
  try {
    const { Command, Overwrite, Send } = await import("@langchain/langgraph");
    return { Command, Overwrite, Send };
  } catch {
    return null;
  }
}

/**
 * Calls `read`. If `read` accesses the classes of @langchain/langgraph, imports them and calls `read` again.
 *
 * @returns the result of `read`, or a promise of it if `read` was called again
 */
export function readWithLangGraph<T>(read: (source: LangGraphSource) => T): T | Promise<T> {
  const source = new NotImported();
  const value = read(source);
  return source.isAsked ? importLangGraph().then((langGraph) => read({ langGraph })) : value;
}

class NotImported implements LangGraphSource {
  isAsked = false;

  get langGraph(): null {
    this.isAsked = true;
    return null;
  }
}
