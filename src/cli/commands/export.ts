import { Argument, Option } from "commander";
import { z } from "zod";
import { BackupTally } from "../backup-file/backup-tally.js";
import { type TextSink, writeFile, writeLines } from "../backup-file/write-file.js";
import type { CommandDefinition } from "../command-definition.js";
import { reportInterrupt } from "../errors/report-interrupt.js";
import { EXIT_CODE } from "../exit-code.js";
import { describeCounts } from "../output/describe-rows.js";
import { counted } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";

const STDOUT = "-";
const exportFlags = z.object({
  threads: z.array(z.string()).default([]),
  output: z.string().default(STDOUT),
});

export const exportCommand: CommandDefinition = {
  name: "export",
  group: "Check and back up",
  summary: "write a backup of threads, which `import` can restore into any database",
  args: () => [new Argument("[threads...]", "the threads (default: all)")],
  options: () => [
    new Option(
      "--output <file>",
      "the file to write, replaced once the backup is complete (default: standard output)",
    ),
  ],
  examples: [
    "export > backup.ndjson",
    "export 42 43 --output threads.ndjson",
    "export 42 | gzip > 42.ndjson.gz",
  ],
  run: async ({ saver, style, signal, terminal }, flags) => {
    const { threads, output } = exportFlags.parse(flags);
    const toStdout = output === STDOUT;
    const tally = new BackupTally();
    // Without a total: the number of rows is not known before they are read.
    const progress = terminal.progress("exporting");
    const lines = saver.exportThreads({ threads: threads.length === 0 ? undefined : threads, signal });
    const writeBackup = (sink: TextSink) =>
      writeLines(lines, sink, (line) => {
        tally.add(line);
        const { counts } = tally;
        progress.update(0, `${counted(counts.threads, "thread")}, ${describeCounts(counts)}`);
      });
    try {
      await reportInterrupt(
        signal,
        () => (toStdout ? writeBackup(terminal) : writeFile(output, writeBackup)),
        () => (toStdout ? "the backup is incomplete, and `import` will refuse it" : "no backup was written"),
      );
    } finally {
      progress.stop();
    }
    const missing = tally.missing.map(
      (thread) => `\n${style.bad("missing")} thread ${printable(thread)} has no rows`,
    );
    const counts = { ...tally.counts, threads: tally.counts.threads - missing.length };
    return {
      exitCode: missing.length > 0 ? EXIT_CODE.no : EXIT_CODE.ok,
      text: `exported ${counted(counts.threads, "thread")}: ${describeCounts(counts)}${missing.join("")}`,
      json: { ...counts, missing: tally.missing, output: toStdout ? null : output },
      on: toStdout ? "stderr" : "stdout",
    };
  },
};
