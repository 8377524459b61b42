import { Argument } from "commander";
import { z } from "zod";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { deleteUnprovenOption, dryRunOption, yesOption } from "../options/shared-options.js";
import { describePruned, describeUnproven, hasRows } from "../output/describe-rows.js";

const deleteRunsFlags = z.object({
  runs: z.array(z.string()),
  deleteUnproven: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  yes: z.boolean().default(false),
});

const NOTHING = "nothing to delete: no checkpoint belongs to these runs";

export const deleteRuns: CommandDefinition = {
  name: "delete-runs",
  group: "Clean up",
  summary: "delete the checkpoints of runs, in all threads; asks for confirmation",
  args: () => [new Argument("<runs...>", "the run_id in the metadata of the checkpoints")],
  options: () => [deleteUnprovenOption(), dryRunOption(), yesOption()],
  examples: [
    "delete-runs 1f0a2c9e-4b7d-6c3e-8f21-0242ac120002 --dry-run",
    "delete-runs 1f0a2c9e-4b7d-6c3e-8f21-0242ac120002 --yes",
  ],
  run: async ({ saver, style, signal, terminal }, flags) => {
    const { runs, deleteUnproven, dryRun, yes } = deleteRunsFlags.parse(flags);
    if (dryRun || !yes) {
      const preview = await saver.deleteForRuns(runs, { dryRun: true, deleteUnproven, signal });
      const json = { runs, ...preview };
      if (!hasRows(preview)) return { exitCode: EXIT_CODE.ok, text: NOTHING, json };
      const summary = describePruned(preview);
      if (dryRun) return { exitCode: EXIT_CODE.ok, text: `would delete ${summary}`, json };
      if (!(await terminal.confirm(`${style.bad("Delete")} ${summary}?`))) {
        return { exitCode: EXIT_CODE.no, text: "nothing was changed", json: { runs: [] } };
      }
    }
    const deleted = await saver.deleteForRuns(runs, { deleteUnproven, signal });
    const text = hasRows(deleted) ? `deleted ${describePruned(deleted)}` : NOTHING;
    return { exitCode: EXIT_CODE.ok, text: text + describeUnproven(deleted), json: { runs, ...deleted } };
  },
};
