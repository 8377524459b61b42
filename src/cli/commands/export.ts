import { Argument, Option } from "commander";
import { z } from "zod";
import { writeFile, writeLines } from "../backup-file/write-file.js";
import { BackupTally } from "../backup-file/backup-tally.js";
import type { CommandDefinition } from "../command-definition.js";
import { describeCounts } from "../output/describe-rows.js";
import { EXIT_CODE } from "../exit-code.js";
import { counted } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";
import { tellingWhatWasDone } from "../errors/report-interrupt.js";

const STDOUT = "-";
const flagsOfExport = z.object({
  threads: z.array(z.string()).default([]),
  output: z.string().default(STDOUT),
});

/** `export`. */
export const exportCommand: CommandDefinition = {
  name: "export",
  group: "Check and back up",
  summary: "write threads out as a backup that any database can take in again",
  args: () => [new Argument("[threads...]", "the threads (default: all)")],
  options: () => [
    new Option(
      "--output <file>",
      "the file, which is replaced once the backup is complete (default: standard output)",
    ),
  ],
  examples: [
    "export > backup.ndjson",
    "export 42 43 --output threads.ndjson",
    "export 42 | gzip > 42.ndjson.gz",
  ],
  run: async ({ saver, style, signal, terminal }, flags) => {
    const { threads, output } = flagsOfExport.parse(flags);
    const tally = new BackupTally();
    // Without a total: how many rows a thread has is not known before they are read.
    const progress = terminal.progress("exporting");
    const lines = saver.exportThreads({ threads: threads.length === 0 ? undefined : threads, signal });
    const fill = (sink: { write(text: string): Promise<void> }) =>
      writeLines(lines, sink, (line) => {
        tally.add(line);
        const { counts } = tally;
        progress.update(0, `${counted(counts.threads, "thread")}, ${describeCounts(counts)}`);
      });
    try {
      await tellingWhatWasDone(
        signal,
        () => (output === STDOUT ? fill(terminal) : writeFile(output, fill)),
        () =>
          output === STDOUT ? "the backup is cut off, and import will refuse it" : "no backup was written",
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
      json: { ...counts, missing: tally.missing, output: output === STDOUT ? null : output },
      on: output === STDOUT ? "stderr" : "stdout",
    };
  },
};
