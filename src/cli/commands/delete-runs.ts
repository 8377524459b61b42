import { Argument, Option } from "commander";
import { z } from "zod";
import type { CommandDefinition } from "../command-definition.js";
import { describeCounts } from "../describe-counts.js";
import { EXIT_CODE } from "../exit-code.js";
import { counted } from "../format-values.js";

const flagsOfDeleteRuns = z.object({ runs: z.array(z.string()), yes: z.boolean().default(false) });

/** `delete-runs`. */
export const deleteRuns: CommandDefinition = {
  name: "delete-runs",
  group: "Clean up",
  summary: "delete the checkpoints of runs, in all threads; asks before it does",
  args: () => [new Argument("<runs...>", "the run_id in the metadata of the checkpoints")],
  options: () => [new Option("--yes", "don't ask")],
  examples: ["delete-runs 1f0a2c9e-4b7d-6c3e-8f21-0242ac120002 --yes"],
  run: async ({ saver, style, signal, terminal }, flags) => {
    const { runs, yes } = flagsOfDeleteRuns.parse(flags);
    const question = `${style.bad("Delete")} all checkpoints of ${counted(runs.length, "run")}?`;
    if (!yes && !(await terminal.confirm(question))) {
      return { exitCode: EXIT_CODE.no, text: "nothing was changed", json: { runs: [] } };
    }
    const counts = await saver.deleteForRuns(runs, { signal });
    return { exitCode: EXIT_CODE.ok, text: `deleted ${describeCounts(counts)}`, json: { runs, ...counts } };
  },
};
