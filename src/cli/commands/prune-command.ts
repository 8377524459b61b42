import {
  oldNamespaceOption,
  confirmFlags,
  flag,
  threadList,
  deleteUnprovenOption,
  dryRunOption,
  yesOption,
} from "../options/shared-options.js";
import { afterConfirmation, success } from "./reports.js";
import { Argument, Option } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { PruneReport, RetentionOptions } from "../../retention/retention-types.js";
import { NO_ROWS, type RowCounts } from "../../saver/model/row-counts.js";
import type { CommandContext, CommandDefinition, Report } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { countOption, durationOption, repeatedOption } from "../options/option-values.js";
import {
  describeCounts,
  describeNotFound,
  describePruned,
  describeUnproven,
  hasRows,
} from "../output/describe-rows.js";

const pruneFlags = z.object({
  threads: threadList,
  strategy: z.enum(["keep-latest", "delete"]).optional(),
  olderThan: z.number().optional(),
  keepLast: z.number().optional(),
  thread: z.array(z.string()).optional(),
  namespace: z.array(z.string()).optional(),
  batchSize: z.number().optional(),
  deleteUnproven: flag,
  ...confirmFlags,
});
type Flags = z.output<typeof pruneFlags>;

const NOTHING = "nothing to prune";

export const pruneCommand: CommandDefinition = {
  name: "prune",
  group: "Clean up",
  summary: "delete old checkpoints, of some threads or by age and number; asks for confirmation",
  args: () => [
    new Argument(
      "[threads...]",
      "keep only the newest checkpoint of each namespace of these threads; without threads, --older-than and --keep-last select checkpoints",
    ),
  ],
  options: () => [
    new Option("--strategy <strategy>", "what to do with the named threads (default: keep-latest)").choices([
      "keep-latest",
      "delete",
    ]),
    durationOption("--older-than <time>", "delete checkpoints older than this, such as 30d or 12h"),
    countOption("--keep-last <n>", "keep this many of the newest checkpoints of each namespace", 1),
    repeatedOption("--thread <thread>", "with --older-than or --keep-last, only in this thread"),
    oldNamespaceOption(),
    deleteUnprovenOption(),
    dryRunOption(),
    countOption("--batch-size <n>", "how many checkpoints one transaction deletes (default: 500)", 1),
    yesOption(),
  ],
  examples: [
    "prune --older-than 30d --keep-last 10 --dry-run",
    "prune 42 43 --yes",
    "prune 42-copy --strategy delete --yes",
    "prune --older-than 30d --keep-last 10 --thread 42 --namespace '' --yes --json",
  ],
  run: async (context, flags) => {
    const parsed = pruneFlags.parse(flags);
    checkCombination(parsed);
    const task = pruneTask(context, parsed);
    const { style } = context;
    return afterConfirmation(context, {
      ...parsed,
      preview: () => previewTask(context, task),
      question: (found) =>
        hasRows(found) ? `${style.warning("Delete")} ${describePruned(found)}?` : undefined,
      report: (found) =>
        report(found, true, hasRows(found) ? `would delete ${describePruned(found)}` : NOTHING),
      refused: () => ({ pruned: false }),
      run: (found) => runTask(context, task, found?.checkpoints),
    });
  },
};

function checkCombination({ threads, strategy, olderThan, keepLast, thread, namespace }: Flags): void {
  const hasAgeOptions = [olderThan, keepLast, thread, namespace].some((value) => value !== undefined);
  if (threads.length > 0 && hasAgeOptions) {
    throw new InvalidConfigError(
      "--older-than, --keep-last, --thread, --namespace",
      "can't be combined with threads as arguments; name the threads with --thread",
    );
  }
  if (threads.length === 0 && strategy !== undefined) {
    throw new InvalidConfigError("--strategy", "requires threads as arguments");
  }
  if (threads.length === 0 && olderThan === undefined && keepLast === undefined) {
    throw new InvalidConfigError("prune", "name threads, or pass --older-than or --keep-last");
  }
}

/** @returns The work, which is only counted with `dryRun`. */
type PruneTask = (dryRun: boolean) => (onProgress: (counts: RowCounts) => void) => Promise<PruneReport>;

function pruneTask({ saver, signal }: CommandContext, flags: Flags): PruneTask {
  const { threads, strategy, olderThan, keepLast, thread, namespace, batchSize, deleteUnproven } = flags;
  if (strategy === "delete")
    return (dryRun) => () => saver.prune(threads, { strategy: "delete", dryRun, signal });
  const options: RetentionOptions =
    threads.length > 0
      ? { threads, keepLast: 1, batchSize, deleteUnproven, signal }
      : {
          olderThanMs: olderThan,
          keepLast,
          threads: thread,
          namespaces: namespace,
          batchSize,
          deleteUnproven,
          signal,
        };
  return (dryRun) => (onProgress) => saver.prune({ ...options, dryRun, onProgress });
}

/** Counts the rows that would be deleted. */
function previewTask(context: CommandContext, task: PruneTask): Promise<PruneReport> {
  return runLongWork<RowCounts, PruneReport>(context, {
    what: "scanning",
    show: (counts) => [counts.checkpoints, `would delete ${describeCounts(counts)}`],
    interrupted: () => "nothing was changed",
    run: task(true),
  });
}

/** @param total - The number of checkpoints to delete, if it is known. */
async function runTask(context: CommandContext, task: PruneTask, total?: number) {
  const pruned = await runLongWork<RowCounts, PruneReport>(context, {
    ...{ what: "pruning", total },
    show: (counts) => [counts.checkpoints, describeCounts(counts)],
    interrupted: (last = NO_ROWS) => `deleted ${describeCounts(last)}; run the command again to continue`,
    run: task(false),
  });
  return report(pruned, false, hasRows(pruned) ? `deleted ${describePruned(pruned)}` : NOTHING);
}

function report(pruned: PruneReport, dryRun: boolean, text: string): Report {
  return success(text + describeUnproven(pruned) + describeNotFound(pruned), { ...pruned, dryRun });
}
