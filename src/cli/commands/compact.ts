import { rewritingCommand } from "./rewriting-command.js";

export const compact = rewritingCommand({
  name: "compact",
  summary: "store values as splices of earlier ones, which only this library reads",
  doing: "compacting",
  done: "compacted",
  nothing: "nothing to compact",
  examples: ["compact --dry-run", "compact 42 43", "compact --json"],
  load: async () => (await import("../../growth/compact.js")).compact,
});
