import { KEEP_TOMBSTONES } from "./keep-tombstones.js";
import type { PruneReport } from "../retention/pruning.js";
import type { CommandContext, Report } from "./command-definition.js";
import type { DeleteFlags } from "./delete-named.js";
import { describeCounts } from "./output/describe-rows.js";
import { describeMissing } from "./describe-pruned.js";
import { EXIT_CODE } from "./exit-code.js";
import { counted } from "./output/format-numbers.js";
import { tellingWhatWasDone } from "./errors/report-interrupt.js";

/** Deletes threads that have been idle, all or those that are named. */
export async function deleteIdle(
  context: CommandContext,
  idleForMs: number,
  flags: DeleteFlags,
): Promise<Report> {
  const { dryRun, yes } = flags;
  if (dryRun || !yes) {
    const doomed = await prune(context, idleForMs, { ...flags, dryRun: true });
    if (dryRun || doomed.json.threads === 0) return doomed;
    const { style, terminal } = context;
    if (!(await terminal.confirm(`${style.bad("Delete")} ${doomed.summary}?`))) {
      return { exitCode: EXIT_CODE.no, text: "nothing was changed", json: { deleted: [] } };
    }
  }
  return prune(context, idleForMs, { ...flags, dryRun: false });
}

type Pruned = Report & { readonly summary: string; readonly json: PruneReport };

async function prune(
  { saver, openSaver, signal, terminal }: CommandContext,
  idleForMs: number,
  { threads, tombstones, dryRun }: DeleteFlags,
): Promise<Pruned> {
  const deleter = tombstones && !dryRun ? openSaver(KEEP_TOMBSTONES) : saver;
  const progress = terminal.progress(dryRun ? "looking" : "deleting");
  const deleted: string[] = [];
  try {
    const report = await tellingWhatWasDone(
      signal,
      () =>
        deleter.prune({
          idleForMs,
          threads: threads.length > 0 ? threads : undefined,
          dryRun,
          onProgress: (counts) => {
            deleted.push(counts.threadId);
            progress.update(deleted.length, describeCounts(counts));
          },
          signal,
        }),
      () => (dryRun ? "nothing was changed" : `${counted(deleted.length, "thread")} deleted`),
    );
    const summary = `${counted(report.threads, "idle thread")} with ${describeCounts(report)}`;
    const done = `${dryRun ? "would go:" : "deleted"} ${summary}`;
    const text = report.threads === 0 ? "nothing to delete: no thread has been idle for so long" : done;
    const json = { ...report, deleted };
    return { exitCode: EXIT_CODE.ok, text: text + describeMissing(report), json, summary };
  } finally {
    progress.stop();
  }
}
