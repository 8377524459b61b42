import { KEEP_TOMBSTONES } from "./keep-tombstones.js";
import type { CommandContext, Report } from "./command-definition.js";
import { describeCounts, hasRows } from "./output/describe-rows.js";
import { describeMissing } from "./describe-pruned.js";
import { EXIT_CODE } from "./exit-code.js";
import { counted } from "./output/format-numbers.js";
import { tellingWhatWasDone } from "./errors/report-interrupt.js";

/** What `delete` was given. */
export interface DeleteFlags {
  readonly threads: readonly string[];
  readonly tombstones: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Deletes threads that are named, after it has counted what they have. */
export async function deleteNamed(
  { saver, openSaver, style, signal, terminal }: CommandContext,
  { threads, tombstones, dryRun, yes }: DeleteFlags,
): Promise<Report> {
  const ids = [...new Set(threads)];
  const doomed = await saver.prune(ids, { strategy: "delete", dryRun: true, signal });
  const missing = describeMissing(doomed);
  const report = (text: string): Report => ({
    exitCode: EXIT_CODE.ok,
    text: `${text}${missing}`,
    json: { ...doomed, dryRun, deleted: dryRun ? [] : ids },
  });
  if (!hasRows(doomed) && !tombstones) return report("nothing to delete: these threads have no rows");
  const summary = `${counted(doomed.threads, "thread")} with ${describeCounts(doomed)}`;
  if (dryRun) return report(`would go: ${summary}`);
  if (!yes && !(await terminal.confirm(`${style.bad("Delete")} ${summary}?`))) {
    return { exitCode: EXIT_CODE.no, text: "nothing was changed", json: { deleted: [] } };
  }
  const deleter = tombstones ? openSaver(KEEP_TOMBSTONES) : saver;
  const progress = terminal.progress("deleting", ids.length);
  let done = 0;
  try {
    await tellingWhatWasDone(
      signal,
      async () => {
        for (const id of ids) {
          await deleter.deleteThread(id, { signal });
          progress.update(++done, `${done} of ${counted(ids.length, "thread")}`);
        }
      },
      () => `${done} of ${counted(ids.length, "thread")} deleted`,
    );
  } finally {
    progress.stop();
  }
  return report(`deleted ${summary}`);
}
