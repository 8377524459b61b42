import { Argument, Option } from "commander";
import { z } from "zod";
import type { CommandDefinition } from "../command-definition.js";
import { hasRows } from "../output/describe-rows.js";
import { describePruned } from "../describe-pruned.js";
import { EXIT_CODE } from "../exit-code.js";

const flagsOfDeleteRuns = z.object({
  runs: z.array(z.string()),
  dryRun: z.boolean().default(false),
  yes: z.boolean().default(false),
});

const NOTHING = "nothing to delete: no checkpoint is of these runs";

/** `delete-runs`. */
export const deleteRuns: CommandDefinition = {
  name: "delete-runs",
  group: "Clean up",
  summary: "delete the checkpoints of runs, in all threads; asks before it does",
  args: () => [new Argument("<runs...>", "the run_id in the metadata of the checkpoints")],
  options: () => [
    new Option("--dry-run", "tell what would go, and change nothing"),
    new Option("--yes", "don't ask"),
  ],
  examples: [
    "delete-runs 1f0a2c9e-4b7d-6c3e-8f21-0242ac120002 --dry-run",
    "delete-runs 1f0a2c9e-4b7d-6c3e-8f21-0242ac120002 --yes",
  ],
  run: async ({ saver, style, signal, terminal }, flags) => {
    const { runs, dryRun, yes } = flagsOfDeleteRuns.parse(flags);
    if (dryRun || !yes) {
      const doomed = await saver.deleteForRuns(runs, { dryRun: true, signal });
      const json = { runs, ...doomed };
      if (!hasRows(doomed)) return { exitCode: EXIT_CODE.ok, text: NOTHING, json };
      const summary = describePruned(doomed);
      if (dryRun) return { exitCode: EXIT_CODE.ok, text: `would go: ${summary}`, json };
      if (!(await terminal.confirm(`${style.bad("Delete")} ${summary}?`))) {
        return { exitCode: EXIT_CODE.no, text: "nothing was changed", json: { runs: [] } };
      }
    }
    const gone = await saver.deleteForRuns(runs, { signal });
    const text = hasRows(gone) ? `deleted ${describePruned(gone)}` : NOTHING;
    return { exitCode: EXIT_CODE.ok, text, json: { runs, ...gone } };
  },
};
