import { Argument, Option } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { PruneReport } from "../../retention/pruning.js";
import { NO_ROWS } from "../../saver/model/row-counts.js";
import type { CommandContext, CommandDefinition, Report } from "../command-definition.js";
import { describeCounts, hasRows } from "../output/describe-rows.js";
import { describeMissing, describePruned } from "../describe-pruned.js";
import { EXIT_CODE } from "../exit-code.js";
import { countOption, durationOption, repeatedOption } from "../options/option-values.js";
import { pruneTask, type PruneFlags, type PruneTask } from "../prune-task.js";
import { tellingWhatWasDone } from "../errors/report-interrupt.js";

const flagsOfPrune = z.object({
  threads: z.array(z.string()).default([]),
  strategy: z.enum(["keep-latest", "delete"]).optional(),
  olderThan: z.number().optional(),
  keepLast: z.number().optional(),
  thread: z.array(z.string()).optional(),
  namespace: z.array(z.string()).optional(),
  batchSize: z.number().optional(),
  dryRun: z.boolean().default(false),
  yes: z.boolean().default(false),
});

const NOTHING = "nothing to prune";

/** `prune`. */
export const prune: CommandDefinition = {
  name: "prune",
  group: "Clean up",
  summary: "drop old checkpoints, of some threads or by age and number; asks before it does",
  args: () => [
    new Argument(
      "[threads...]",
      "threads that are cut down to the newest checkpoint of each namespace; without them go by age and number",
    ),
  ],
  options: () => [
    new Option(
      "--strategy <strategy>",
      "what becomes of the threads that are named (default: keep-latest)",
    ).choices(["keep-latest", "delete"]),
    durationOption("--older-than <time>", "drop what is older than this, such as 30d or 12h"),
    countOption("--keep-last <n>", "but not so many of the newest of each namespace", 1),
    repeatedOption("--thread <thread>", "by age and number only in this thread; may be given several times"),
    repeatedOption(
      "--namespace <ns>",
      "and only in this namespace, '' being the root graph; may be given several times",
    ),
    new Option("--dry-run", "tell what would go, and change nothing"),
    countOption("--batch-size <n>", "how many checkpoints go in one transaction (default: 500)", 1),
    new Option("--yes", "don't ask"),
  ],
  examples: [
    "prune --older-than 30d --keep-last 10 --dry-run",
    "prune 42 43 --yes",
    "prune 42-copy --strategy delete --yes",
    "prune --older-than 30d --keep-last 10 --thread 42 --namespace '' --yes --json",
  ],
  run: async (context, flags) => {
    const parsed = flagsOfPrune.parse(flags);
    refuseMixed(parsed);
    const task = pruneTask(context, parsed);
    const { style, terminal } = context;
    if (parsed.yes && !parsed.dryRun) return carryOut(context, task);
    const doomed = await preview(context, task);
    const summary = describePruned(doomed);
    if (!hasRows(doomed)) return report(doomed, true, NOTHING);
    if (parsed.dryRun) return report(doomed, true, `would go: ${summary}`);
    if (!(await terminal.confirm(`${style.warning("Prune")} ${summary}?`))) {
      return { exitCode: EXIT_CODE.no, text: "nothing was changed", json: { pruned: false } };
    }
    return carryOut(context, task, doomed.checkpoints);
  },
};

/** What would go. Among many threads that takes as long to find out as a while of pruning. */
async function preview({ signal, terminal }: CommandContext, task: PruneTask): Promise<PruneReport> {
  const progress = terminal.progress("looking");
  try {
    return await tellingWhatWasDone(
      signal,
      () =>
        task.preview((counts) => {
          progress.update(0, `${describeCounts(counts)} would go`);
        }),
      () => "nothing was changed",
    );
  } finally {
    progress.stop();
  }
}

/** @param total - How many checkpoints are to go, where that is known. */
async function carryOut({ signal, terminal }: CommandContext, task: PruneTask, total?: number) {
  const progress = terminal.progress("pruning", total);
  let soFar = NO_ROWS;
  try {
    const gone = await tellingWhatWasDone(
      signal,
      () =>
        task.run((counts) => {
          soFar = counts;
          progress.update(counts.checkpoints, describeCounts(counts));
        }),
      () => `${describeCounts(soFar)} are gone; run it again to go on`,
    );
    return report(gone, false, hasRows(gone) ? `pruned ${describePruned(gone)}` : NOTHING);
  } finally {
    progress.stop();
  }
}

function report(pruned: PruneReport, dryRun: boolean, text: string): Report {
  return { exitCode: EXIT_CODE.ok, text: text + describeMissing(pruned), json: { ...pruned, dryRun } };
}

function refuseMixed({ threads, strategy, olderThan, keepLast, thread, namespace }: PruneFlags): void {
  const byAge = [olderThan, keepLast, thread, namespace].some((value) => value !== undefined);
  if (threads.length > 0 && byAge) {
    throw new InvalidConfigError(
      "--older-than, --keep-last, --thread, --namespace",
      "don't go with threads as arguments: name them by --thread",
    );
  }
  if (threads.length === 0 && strategy !== undefined) {
    throw new InvalidConfigError("--strategy", "goes with threads as arguments only");
  }
  if (threads.length === 0 && olderThan === undefined && keepLast === undefined) {
    throw new InvalidConfigError(
      "prune",
      "name threads, or say what is too old by --older-than or --keep-last",
    );
  }
}
