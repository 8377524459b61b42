/** The symbol under which a Command keeps the argument that it was made from. */
export const COMMAND_ARGUMENT = Symbol.for("langgraph.command");

/** The fields of a Command, in the order of its own. */
export const COMMAND_FIELDS = ["graph", "update", "resume", "goto"] as const;

/** The key under which an Overwrite keeps its value. */
export const OVERWRITE_KEY = "__overwrite__";
