import { stat } from "node:fs/promises";
import { Argument, Option } from "commander";
import { z } from "zod";
import { type Damage, InvalidConfigError } from "../../errors/index.js";
import type { BackupCounts } from "../../backup/backup-line.js";
import { BackupTally } from "../backup-file/backup-tally.js";
import { linesOnceRead } from "../backup-file/read-file.js";
import { type TextSink, writeFile, writeLines } from "../backup-file/write-file.js";
import type { CommandDefinition } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { EXIT_CODE } from "../exit-code.js";
import { strictOption } from "../options/shared-options.js";
import { describeCounts, describePlaces } from "../output/describe-rows.js";
import { repeatedOption } from "../options/option-values.js";
import { counted } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";

const STDOUT = "-";
const exportFlags = z.object({
  threads: z.array(z.string()).default([]),
  output: z.string().default(STDOUT),
  since: z.array(z.string()).optional(),
  strict: z.boolean().default(false),
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
    repeatedOption(
      "--since <file>",
      "only the threads that changed since this backup; name the full one first, then its increments",
    ),
    strictOption(),
  ],
  examples: [
    "export > backup.ndjson",
    "export 42 43 --output threads.ndjson",
    "export 42 | gzip > 42.ndjson.gz",
    "export --since backup.ndjson --output monday.ndjson",
    "export --since backup.ndjson --since monday.ndjson > tuesday.ndjson",
  ],
  run: async (context, flags) => {
    const { saver, style, signal, terminal } = context;
    const { threads, output, since, strict } = exportFlags.parse(flags);
    const toStdout = output === STDOUT;
    const tally = new BackupTally();
    if (since !== undefined && !toStdout) await refuseAmong(since, output);
    const damaged: Damage[] = [];
    const onDamaged = (row: Damage): void => {
      damaged.push(row);
    };
    const lines = saver.exportThreads({
      threads: threads.length === 0 ? undefined : threads,
      since: since?.map((file) => linesOnceRead(context, file)),
      onDamaged: strict ? undefined : onDamaged,
      signal,
    });
    await runLongWork(
      { signal, terminal },
      {
        what: "exporting",
        show: (counts: BackupCounts) => [
          0,
          `${counted(counts.threads, "thread")}, ${describeCounts(counts)}`,
        ],
        interrupted: () =>
          toStdout ? "the backup is incomplete, and `import` will refuse it" : "no backup was written",
      },
      (onProgress) => {
        const writeBackup = (sink: TextSink) =>
          writeLines(lines, sink, (line) => {
            tally.add(line);
            onProgress(tally.counts);
          });
        return toStdout ? writeBackup(terminal) : writeFile(output, writeBackup);
      },
    );
    // An increment has a thread without rows where the thread is gone, which nobody asked about.
    const isExpected = since !== undefined && threads.length === 0;
    const [label, has] = isExpected
      ? [style.dim("gone"), "has no rows any more"]
      : [style.bad("missing"), "has no rows"];
    const missing = tally.missing.map((thread) => `\n${label} thread ${printable(thread)} ${has}`);
    const counts = { ...tally.counts, threads: tally.counts.threads - missing.length };
    const isComplete = missing.length === 0 || isExpected;
    const exported = `exported ${counted(counts.threads, "thread")}: ${describeCounts(counts)}`;
    return {
      exitCode: damaged.length > 0 ? EXIT_CODE.left : isComplete ? EXIT_CODE.ok : EXIT_CODE.no,
      text: exported + missing.join("") + describePlaces("can't be read, and not in the backup", damaged),
      json: { ...counts, missing: tally.missing, damaged, output: toStdout ? null : output },
      on: toStdout ? "stderr" : "stdout",
    };
  },
};

/** @throws InvalidConfigError where the output is one of these files: it would replace a backup that it needs. */
async function refuseAmong(files: readonly string[], output: string): Promise<void> {
  const target = await stat(output).catch(() => undefined);
  for (const file of target === undefined ? [] : files) {
    const earlier = await stat(file).catch(() => undefined);
    if (earlier?.ino !== target?.ino || earlier?.dev !== target?.dev) continue;
    throw new InvalidConfigError(
      "--output",
      `"${output}" is a backup that the increment needs: name another file`,
    );
  }
}
