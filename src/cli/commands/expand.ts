import { rewritingCommand } from "./rewriting-command.js";

export const expand = rewritingCommand({
  name: "expand",
  summary: "store splices as whole values again, for Python's saver and the official JavaScript saver",
  doing: "expanding",
  done: "expanded",
  nothing: "nothing to expand",
  examples: ["expand --dry-run", "expand 42 43", "expand --json"],
  load: async () => (await import("../../growth/expand.js")).expand,
});
