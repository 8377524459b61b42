/** The symbol under which a Command keeps the argument that its constructor was called with. */
export const COMMAND_ARGUMENT = Symbol.for("langgraph.command");

/** The fields of a Command, in their own order. */
export const COMMAND_FIELDS = ["graph", "update", "resume", "goto"] as const;

/** The key under which an Overwrite keeps its value. */
export const OVERWRITE_KEY = "__overwrite__";
