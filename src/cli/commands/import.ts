import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { addAbortSignal, Readable } from "node:stream";
import { Argument } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { ImportReport } from "../../backup/backup-types.js";
import type { BackupCounts } from "../../backup/backup-line.js";
import { splitLines } from "../backup-file/split-lines.js";
import type { CommandContext, CommandDefinition } from "../command-definition.js";
import { reportInterrupt } from "../errors/report-interrupt.js";
import { EXIT_CODE } from "../exit-code.js";
import { describeCounts } from "../output/describe-rows.js";
import { counted, humanBytes } from "../output/format-numbers.js";

const STDIN = "-";
const importFlags = z.object({ file: z.string().default(STDIN) });

export const importCommand: CommandDefinition = {
  name: "import",
  group: "Check and back up",
  summary: "restore a backup; existing rows are never changed, and equal ones are skipped",
  args: () => [new Argument("[file]", "the backup, or - for standard input (default: -)")],
  examples: ["import backup.ndjson", "import - < threads.ndjson", "import backup.ndjson --schema restored"],
  run: async (context, flags) => {
    const { file } = importFlags.parse(flags);
    const { openSaver, signal, terminal } = context;
    const lines = linesOf(context, file);
    // A file is checked before anything is stored, so that a damaged one leaves no rows behind.
    const counts = file === STDIN ? undefined : await checkFile(context, file, lines);
    const total = counts && counts.checkpoints + counts.writes + counts.blobs;
    const progress = terminal.progress("importing", total);
    let soFar: ImportReport | undefined;
    const onProgress = (report: ImportReport): void => {
      soFar = report;
      const { checkpoints, writes, blobs, skipped } = report;
      progress.update(checkpoints + writes + blobs + skipped, describeCounts(report));
    };
    try {
      const report = await reportInterrupt(
        signal,
        () =>
          openSaver({ keepTombstones: true }).importThreads(
            counts === undefined ? lines : linesOf(context, file),
            { onProgress, signal },
          ),
        () =>
          soFar === undefined
            ? "nothing was stored"
            : `stored ${describeCounts(soFar)}; run the command again to continue`,
      );
      const skipped =
        report.skipped === 0 ? "" : `, skipped ${counted(report.skipped, "row")} that already existed`;
      const text = `imported ${counted(report.threads, "thread")}: ${describeCounts(report)}${skipped}`;
      return { exitCode: EXIT_CODE.ok, text, json: report };
    } finally {
      progress.stop();
    }
  },
};

/** Reads the whole file without storing anything, and counts its rows. */
async function checkFile(
  { terminal }: CommandContext,
  file: string,
  lines: AsyncIterable<string>,
): Promise<BackupCounts> {
  const { inspectBackup } = await import("../../backup/import-threads.js");
  const { size } = await stat(file);
  const progress = terminal.progress("checking", size);
  let done = 0;
  const withProgress = async function* (): AsyncGenerator<string> {
    for await (const line of lines) {
      done += Buffer.byteLength(line) + 1;
      progress.update(done, `${humanBytes(done)} of ${humanBytes(size)}`);
      yield line;
    }
  };
  try {
    return await inspectBackup(withProgress());
  } finally {
    progress.stop();
  }
}

function linesOf({ terminal, signal }: CommandContext, file: string): AsyncIterable<string> {
  if (file !== STDIN) return splitLines(createReadStream(file, { signal }));
  const { stdin } = terminal;
  if (stdin === undefined || stdin.isTTY === true) {
    throw new InvalidConfigError("file", "name a backup, or pipe one to standard input");
  }
  // Without the signal, an interrupt would not end the wait for the next line.
  return splitLines(stdin instanceof Readable ? addAbortSignal(signal, stdin) : stdin);
}
