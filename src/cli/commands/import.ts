import { createReadStream } from "node:fs";
import { addAbortSignal, Readable } from "node:stream";
import { Argument } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors.js";
import type { ImportReport } from "../../saver/backup/backup.js";
import type { CommandContext, CommandDefinition } from "../command-definition.js";
import { describeCounts } from "../describe-counts.js";
import { EXIT_CODE } from "../exit-code.js";
import { counted } from "../format-values.js";
import { splitLines } from "../split-lines.js";
import { tellingWhatWasDone } from "../telling-what-was-done.js";

const STDIN = "-";
const flagsOfImport = z.object({ file: z.string().default(STDIN) });

/** `import`. */
export const importCommand: CommandDefinition = {
  name: "import",
  group: "Check and back up",
  summary: "take in a backup: what is there stays, and what is there and equal is skipped",
  args: () => [new Argument("[file]", "the backup, or - for standard input (default: -)")],
  examples: ["import backup.ndjson", "import - < threads.ndjson", "import backup.ndjson --schema restored"],
  run: async (context, flags) => {
    const { file } = flagsOfImport.parse(flags);
    const { saver, signal, terminal } = context;
    // A file is looked through first: then one that is damaged leaves nothing behind.
    const lines = linesOf(context, file);
    const { inspectBackup } = await import("../../saver/backup/import-threads.js");
    const inside = file === STDIN ? undefined : await inspectBackup(lines);
    const total = inside && inside.checkpoints + inside.writes + inside.blobs;
    const progress = terminal.progress("importing", total);
    let soFar: ImportReport | undefined;
    const onProgress = (report: ImportReport): void => {
      soFar = report;
      const { checkpoints, writes, blobs, skipped } = report;
      progress.update(checkpoints + writes + blobs + skipped, describeCounts(report));
    };
    try {
      const report = await tellingWhatWasDone(
        signal,
        () =>
          saver.importThreads(inside === undefined ? lines : linesOf(context, file), { onProgress, signal }),
        () =>
          soFar === undefined
            ? "nothing was stored"
            : `${describeCounts(soFar)} are stored; run it again to go on`,
      );
      const there =
        report.skipped === 0 ? "" : `, ${counted(report.skipped, "row was", "rows were")} there already`;
      const text = `imported ${counted(report.threads, "thread")}: ${describeCounts(report)}${there}`;
      return { exitCode: EXIT_CODE.ok, text, json: report };
    } finally {
      progress.stop();
    }
  },
};

function linesOf({ terminal, signal }: CommandContext, file: string): AsyncIterable<string> {
  if (file !== STDIN) return splitLines(createReadStream(file, { signal }));
  const { stdin } = terminal;
  if (stdin === undefined || stdin.isTTY === true) {
    throw new InvalidConfigError("file", "name the backup, or send it to standard input");
  }
  // Whoever waits for the next line would not hear of Ctrl-C otherwise.
  return splitLines(stdin instanceof Readable ? addAbortSignal(signal, stdin) : stdin);
}
