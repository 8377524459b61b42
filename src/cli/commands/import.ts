import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { addAbortSignal, Readable } from "node:stream";
import { Argument } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { ImportReport } from "../../backup/backup.js";
import type { BackupCounts } from "../../backup/backup-line.js";
import type { CommandContext, CommandDefinition } from "../command-definition.js";
import { describeCounts } from "../output/describe-rows.js";
import { EXIT_CODE } from "../exit-code.js";
import { counted, humanBytes } from "../output/format-numbers.js";
import { KEEP_TOMBSTONES } from "../keep-tombstones.js";
import { splitLines } from "../backup-file/split-lines.js";
import { tellingWhatWasDone } from "../errors/report-interrupt.js";

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
    const { openSaver, signal, terminal } = context;
    // A file is looked through first: then one that is damaged leaves nothing behind.
    const lines = linesOf(context, file);
    const inside = file === STDIN ? undefined : await lookThrough(context, file, lines);
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
          openSaver(KEEP_TOMBSTONES).importThreads(inside === undefined ? lines : linesOf(context, file), {
            onProgress,
            signal,
          }),
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

/** What is in a file, which is found out line by line. */
async function lookThrough(
  { terminal }: CommandContext,
  file: string,
  lines: AsyncIterable<string>,
): Promise<BackupCounts> {
  const { inspectBackup } = await import("../../backup/import-threads.js");
  const { size } = await stat(file);
  const progress = terminal.progress("checking", size);
  let done = 0;
  const counting = async function* (): AsyncGenerator<string> {
    for await (const line of lines) {
      done += Buffer.byteLength(line) + 1;
      progress.update(done, `${humanBytes(done)} of ${humanBytes(size)}`);
      yield line;
    }
  };
  try {
    return await inspectBackup(counting());
  } finally {
    progress.stop();
  }
}

function linesOf({ terminal, signal }: CommandContext, file: string): AsyncIterable<string> {
  if (file !== STDIN) return splitLines(createReadStream(file, { signal }));
  const { stdin } = terminal;
  if (stdin === undefined || stdin.isTTY === true) {
    throw new InvalidConfigError("file", "name the backup, or send it to standard input");
  }
  // Whoever waits for the next line would not hear of Ctrl-C otherwise.
  return splitLines(stdin instanceof Readable ? addAbortSignal(signal, stdin) : stdin);
}
