import type { Command, Overwrite, Send } from "@langchain/langgraph";

/** The classes of @langchain/langgraph that a stored value may be revived as. */
export interface LangGraphClasses {
  readonly Command: typeof Command;
  readonly Overwrite: typeof Overwrite;
  readonly Send: typeof Send;
}

/** What hands the classes of @langchain/langgraph to a decoder. */
export interface LangGraphSource {
  /** The classes, or `null` where @langchain/langgraph is not installed. */
  readonly langGraph: LangGraphClasses | null;
}

let imported: Promise<LangGraphClasses | null> | undefined;

/**
 * The classes of the installed @langchain/langgraph, or `null` where there is none. It is an optional peer and takes a
 * while to load, so it is imported when the first value needs it.
 */
export function importLangGraph(): Promise<LangGraphClasses | null> {
  imported ??= import("@langchain/langgraph").then(
    ({ Command, Overwrite, Send }) => ({ Command, Overwrite, Send }),
    () => null,
  );
  return imported;
}

/**
 * Calls `read`. Where it asks for the classes of @langchain/langgraph, they are imported and it is called once more.
 *
 * @returns what `read` returns, or a promise of it where it has to be called again
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
