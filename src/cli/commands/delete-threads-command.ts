import { Argument, Option } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { PruneReport } from "../../retention/retention-types.js";
import type { RowCounts } from "../../saver/model/row-counts.js";
import type { CommandContext, CommandDefinition, Report } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { EXIT_CODE } from "../exit-code.js";
import { durationOption } from "../options/option-values.js";
import { dryRunOption, yesOption } from "../options/shared-options.js";
import { describeCounts, describeMissing, hasRows } from "../output/describe-rows.js";
import { counted } from "../output/format-numbers.js";

const deleteFlags = z.object({
  threads: z.array(z.string()).default([]),
  idle: z.number().optional(),
  tombstones: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  yes: z.boolean().default(false),
});
type Flags = z.output<typeof deleteFlags>;

const NOTHING_CHANGED = { exitCode: EXIT_CODE.no, text: "nothing was changed", json: { deleted: [] } };

export const deleteThreads: CommandDefinition = {
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
  const missing = describeMissing(preview);
  const report = (text: string): Report => ({
    exitCode: EXIT_CODE.ok,
    text: `${text}${missing}`,
    json: { ...preview, dryRun, deleted: dryRun ? [] : ids },
  });
  if (!hasRows(preview) && !tombstones) return report("nothing to delete: these threads have no rows");
  const summary = `${counted(preview.threads, "thread")} with ${describeCounts(preview)}`;
  if (dryRun) return report(`would delete ${summary}`);
  if (!yes && !(await terminal.confirm(`${style.bad("Delete")} ${summary}?`))) return NOTHING_CHANGED;
  const deleter = tombstones ? openSaver({ keepTombstones: true }) : saver;
  const ofAll = (done: number) => `${done} of ${counted(ids.length, "thread")}`;
  await runLongWork(
    context,
    {
      ...{ what: "deleting", total: ids.length },
      show: (done: number) => [done, ofAll(done)],
      interrupted: (last = 0) => `deleted ${ofAll(last)}`,
    },
    async (onProgress) => {
      for (const [index, id] of ids.entries()) {
        await deleter.deleteThread(id, { signal });
        onProgress(index + 1);
      }
    },
  );
  return report(`deleted ${summary}`);
}

/** Deletes the idle threads among the named ones, or all idle threads if none is named. */
async function deleteIdle(context: CommandContext, idleForMs: number, flags: Flags): Promise<Report> {
  const { dryRun, yes } = flags;
  if (dryRun || !yes) {
    const preview = await pruneIdle(context, idleForMs, { ...flags, dryRun: true });
    if (dryRun || preview.json.threads === 0) return preview;
    const { style, terminal } = context;
    if (!(await terminal.confirm(`${style.bad("Delete")} ${preview.summary}?`))) return NOTHING_CHANGED;
  }
  return pruneIdle(context, idleForMs, { ...flags, dryRun: false });
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
  const report = await runLongWork<RowCounts, PruneReport>(
    context,
    {
      what: dryRun ? "scanning" : "deleting",
      show: (counts) => [deleted.length, describeCounts(counts)],
      interrupted: () => (dryRun ? "nothing was changed" : `deleted ${counted(deleted.length, "thread")}`),
    },
    (onProgress) =>
      deleter.prune({
        idleForMs,
        threads: threads.length > 0 ? threads : undefined,
        dryRun,
        onProgress: (counts) => {
          deleted.push(counts.threadId);
          onProgress(counts);
        },
        signal,
      }),
  );
  const summary = `${counted(report.threads, "idle thread")} with ${describeCounts(report)}`;
  const text =
    report.threads === 0
      ? "nothing to delete: no thread has been idle for that long"
      : `${dryRun ? "would delete" : "deleted"} ${summary}`;
  const json = { ...report, deleted };
  return { exitCode: EXIT_CODE.ok, text: text + describeMissing(report), json, summary };
}
