import { rewritingCommand } from "./rewriting-command.js";

export const sanitize = rewritingCommand({
  name: "sanitize",
  summary: "remove from stored messages what nodes had replaced in them, which version 0.1.0 kept",
  doing: "sanitizing",
  done: "sanitized",
  nothing: "nothing to sanitize",
  examples: ["sanitize --dry-run", "sanitize 42 43", "sanitize --json"],
  load: async () => (await import("../../sanitize/sanitize.js")).sanitize,
});
