import { Argument, Option } from "commander";
import { z } from "zod";
import type { CommandDefinition } from "../command-definition.js";
import { describeCounts, hasRows } from "../describe-counts.js";
import { EXIT_CODE } from "../exit-code.js";
import { counted } from "../format-values.js";
import { KEEPING } from "../keeping.js";
import { countThreads } from "../prune-task.js";
import { tellingWhatWasDone } from "../telling-what-was-done.js";

const flagsOfDelete = z.object({
  threads: z.array(z.string()),
  tombstones: z.boolean().default(false),
  yes: z.boolean().default(false),
});

/** `delete`. */
export const deleteThreads: CommandDefinition = {
  name: "delete",
  group: "Clean up",
  summary: "delete threads with all that belongs to them; asks before it does",
  args: () => [new Argument("<threads...>", "the threads")],
  options: () => [
    new Option("--tombstones", "have them stay deleted, for savers with keepTombstones"),
    new Option("--yes", "don't ask"),
  ],
  examples: ["delete 42-copy --yes", "delete 43 44 --tombstones --yes --json"],
  run: async ({ saver, openSaver, style, signal, terminal }, flags) => {
    const { threads, tombstones, yes } = flagsOfDelete.parse(flags);
    const ids = [...new Set(threads)];
    const doomed = await countThreads(saver, ids, signal);
    const json = { ...doomed, deleted: ids };
    if (!hasRows(doomed) && !tombstones) {
      return { exitCode: EXIT_CODE.ok, text: "nothing to delete: these threads have no rows", json };
    }
    const summary = `${counted(doomed.threads, "thread")} with ${describeCounts(doomed)}`;
    if (!yes && !(await terminal.confirm(`${style.bad("Delete")} ${summary}?`))) {
      return { exitCode: EXIT_CODE.no, text: "nothing was changed", json: { deleted: [] } };
    }
    const deleter = tombstones ? openSaver(KEEPING) : saver;
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
    return { exitCode: EXIT_CODE.ok, text: `deleted ${summary}`, json };
  },
};
