import type { Command, Overwrite, Send } from "@langchain/langgraph";

/** The classes of @langchain/langgraph that a stored value may be revived as. */
export interface LangGraphClasses {
  readonly Command: typeof Command;
  readonly Overwrite: typeof Overwrite;
  readonly Send: typeof Send;
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
