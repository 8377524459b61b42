import {
  confirmFlags,
  flag,
  namedOrAll,
  threadList,
  dryRunOption,
  yesOption,
  deleteUnprovenOption,
} from "../options/shared-options.js";
import { afterConfirmation, success, unchanged } from "./reports.js";
import { Argument, Option } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { PruneReport } from "../../retention/retention-types.js";
import type { RowCounts } from "../../saver/model/row-counts.js";
import type { CommandContext, CommandDefinition, Report } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { durationOption } from "../options/option-values.js";
import {
  describeCounts,
  describeNotFound,
  hasRows,
  describePruned,
  describeUnproven,
} from "../output/describe-rows.js";
import { countOf } from "../output/format-numbers.js";

const deleteFlags = z.object({
  threads: threadList,
  idle: z.number().optional(),
  tombstones: flag,
  ...confirmFlags,
});
type Flags = z.output<typeof deleteFlags>;

const DELETED_NONE = { deleted: [] };

export const deleteThreadsCommand: CommandDefinition = {
  name: "delete",
  group: "Clean up",
  summary: "delete threads with all their checkpoints, values and writes; asks for confirmation",
  args: () => [new Argument("[threads...]", "the threads to delete; with --idle, only those that are idle")],
  options: () => [
    durationOption("--idle <time>", "only threads whose newest checkpoint is older than this, such as 90d"),
    new Option(
      "--tombstones",
      "keep a tombstone of each thread: savers with keepTombstones can't write to it",
    ),
    dryRunOption(),
    yesOption(),
  ],
  examples: ["delete 42-copy --yes", "delete 43 44 --tombstones --yes --json", "delete --idle 90d --dry-run"],
  run: async (context, flags) => {
    const parsed = deleteFlags.parse(flags);
    if (parsed.idle !== undefined) return deleteIdle(context, parsed.idle, parsed);
    if (parsed.threads.length > 0) return deleteNamed(context, parsed);
    throw new InvalidConfigError("delete", "name the threads to delete, or pass --idle");
  },
};

async function deleteNamed(
  context: CommandContext,
  { threads, tombstones, dryRun, yes }: Flags,
): Promise<Report> {
  const { saver, openSaver, style, signal, terminal } = context;
  const ids = [...new Set(threads)];
  const preview = await saver.prune(ids, { strategy: "delete", dryRun: true, signal });
  const missing = describeNotFound(preview);
  const report = (text: string): Report =>
    success(`${text}${missing}`, { ...preview, dryRun, deleted: dryRun ? [] : ids });
  if (!hasRows(preview) && !tombstones) return report("nothing to delete: these threads have no rows");
  const summary = `${countOf(preview.threads, "thread")} with ${describeCounts(preview)}`;
  if (dryRun) return report(`would delete ${summary}`);
  if (!yes && !(await terminal.confirm(`${style.bad("Delete")} ${summary}?`))) return unchanged(DELETED_NONE);
  const deleter = tombstones ? openSaver({ keepTombstones: true }) : saver;
  const ofAll = (done: number) => `${done} of ${countOf(ids.length, "thread")}`;
  await runLongWork(context, {
    ...{ what: "deleting", total: ids.length },
    show: (done: number) => [done, ofAll(done)],
    interrupted: (last = 0) => `deleted ${ofAll(last)}`,
    run: async (onProgress) => {
      for (const [index, id] of ids.entries()) {
        await deleter.deleteThread(id, { signal });
        onProgress(index + 1);
      }
    },
  });
  return report(`deleted ${summary}`);
}

/** Deletes the idle threads among the named ones, or all idle threads if none is named. */
function deleteIdle(context: CommandContext, idleForMs: number, flags: Flags): Promise<Report> {
  return afterConfirmation(context, {
    ...flags,
    preview: () => pruneIdle(context, idleForMs, { ...flags, dryRun: true }),
    question: ({ json, summary }) =>
      json.threads === 0 ? undefined : `${context.style.bad("Delete")} ${summary}?`,
    report: (preview) => preview,
    refused: () => DELETED_NONE,
    run: () => pruneIdle(context, idleForMs, { ...flags, dryRun: false }),
  });
}

type IdleReport = Report & { readonly summary: string; readonly json: PruneReport };

async function pruneIdle(
  context: CommandContext,
  idleForMs: number,
  { threads, tombstones, dryRun }: Flags,
): Promise<IdleReport> {
  const { saver, openSaver, signal } = context;
  const deleter = tombstones && !dryRun ? openSaver({ keepTombstones: true }) : saver;
  const deleted: string[] = [];
  const report = await runLongWork<RowCounts & { readonly threadId: string }, PruneReport>(context, {
    what: dryRun ? "scanning" : "deleting",
    show: (counts) => {
      deleted.push(counts.threadId);
      return [deleted.length, describeCounts(counts)];
    },
    interrupted: () => (dryRun ? "nothing was changed" : `deleted ${countOf(deleted.length, "thread")}`),
    run: (onProgress) =>
      deleter.prune({ idleForMs, threads: namedOrAll(threads), dryRun, onProgress, signal }),
  });
  const summary = `${countOf(report.threads, "idle thread")} with ${describeCounts(report)}`;
  const text =
    report.threads === 0
      ? "nothing to delete: no thread has been idle for that long"
      : `${dryRun ? "would delete" : "deleted"} ${summary}`;
  const json = { ...report, deleted };
  return { ...success(text + describeNotFound(report), json), json, summary };
}

const deleteRunsFlags = z.object({
  runs: z.array(z.string()),
  deleteUnproven: flag,
  ...confirmFlags,
});

const NOTHING = "nothing to delete: no checkpoint belongs to these runs";

export const deleteRunsCommand: CommandDefinition = {
  name: "delete-runs",
  group: "Clean up",
  summary: "delete the checkpoints of runs, in all threads; asks for confirmation",
  args: () => [new Argument("<runs...>", "the run_id in the metadata of the checkpoints")],
  options: () => [deleteUnprovenOption(), dryRunOption(), yesOption()],
  examples: [
    "delete-runs 1f0a2c9e-4b7d-6c3e-8f21-0242ac120002 --dry-run",
    "delete-runs 1f0a2c9e-4b7d-6c3e-8f21-0242ac120002 --yes",
  ],
  run: async (context, flags) => {
    const { runs, deleteUnproven, ...confirm } = deleteRunsFlags.parse(flags);
    const { saver, style, signal } = context;
    return afterConfirmation(context, {
      ...confirm,
      preview: () => saver.deleteForRuns(runs, { dryRun: true, deleteUnproven, signal }),
      question: (found) => (hasRows(found) ? `${style.bad("Delete")} ${describePruned(found)}?` : undefined),
      report: (found) =>
        success(hasRows(found) ? `would delete ${describePruned(found)}` : NOTHING, { runs, ...found }),
      refused: () => ({ runs: [] }),
      run: async () => {
        const deleted = await saver.deleteForRuns(runs, { deleteUnproven, signal });
        const text = hasRows(deleted) ? `deleted ${describePruned(deleted)}` : NOTHING;
        return success(text + describeUnproven(deleted), { runs, ...deleted });
      },
    });
  },
};
