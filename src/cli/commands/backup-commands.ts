import { outcome, answer } from "./reports.js";
import { flag, namedOrAll, threadList, strictOption } from "../options/shared-options.js";
import { stat } from "node:fs/promises";
import { Argument, Option } from "commander";
import { z } from "zod";
import { type Damage, InvalidConfigError } from "../../errors/index.js";
import { BackupTally } from "../files/backup-tally.js";
import { linesOnceRead, checkFiles, linesOfAll, STDIN, linesOf } from "../files/read-file.js";
import { outputFlag, outputOption, STDOUT, writeBackup } from "../files/write-file.js";
import type { CommandDefinition, OfflineContext, Report } from "../command-definition.js";
import { runLongWork, runInterruptible } from "../run/long-work.js";
import { describeCounts, describePlaces, describeLeft, describeNotFound } from "../output/describe-rows.js";
import { repeatedOption } from "../options/option-values.js";
import { countOf } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";
import type { ImportReport } from "../../backup/backup-types.js";
import type { BackupFault } from "../../backup/check/check-types.js";
import { formatTable } from "../output/format-table.js";

const exportFlags = z.object({
  threads: threadList,
  output: outputFlag,
  since: z.array(z.string()).optional(),
  strict: flag,
});

export const exportCommand: CommandDefinition = {
  name: "export",
  group: "Check and back up",
  summary: "write a backup of threads, which `import` can restore into any database",
  args: () => [new Argument("[threads...]", "the threads (default: all)")],
  options: () => [
    outputOption(),
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
    const { saver, style, signal } = context;
    const { threads, output, since, strict } = exportFlags.parse(flags);
    const tally = new BackupTally();
    if (since !== undefined && output !== STDOUT) await refuseAmong(since, output);
    const damaged: Damage[] = [];
    const lines = saver.exportThreads({
      threads: namedOrAll(threads),
      since: since?.map((file) => linesOnceRead(context, file)),
      onDamaged: strict ? undefined : (row) => void damaged.push(row),
      signal,
    });
    const { file, on } = await writeBackup(context, {
      ...{ output, lines, restoredBy: "import" },
      count: (line) => {
        tally.add(line);
        return tally.counts;
      },
      describe: (counts) => `${countOf(counts.threads, "thread")}, ${describeCounts(counts)}`,
    });
    // An increment has a thread without rows where the thread is gone, which nobody asked about.
    const isExpected = since !== undefined && threads.length === 0;
    const [label, has] = isExpected
      ? [style.dim("gone"), "has no rows any more"]
      : [style.bad("missing"), "has no rows"];
    const missing = tally.missing.map((thread) => `\n${label} thread ${printable(thread)} ${has}`);
    const counts = { ...tally.counts, threads: tally.counts.threads - missing.length };
    const exported = `exported ${countOf(counts.threads, "thread")}: ${describeCounts(counts)}`;
    const text =
      exported + missing.join("") + describePlaces("can't be read, and not in the backup", damaged);
    const json = { ...counts, missing: tally.missing, damaged, output: file };
    return { ...outcome(damaged.length, isExpected ? 0 : missing.length, text, json), on };
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

const importFlags = z.object({
  files: threadList,
  check: flag,
  thread: z.array(z.string()).optional(),
  replaceDamaged: flag,
  strict: flag,
});

export const importCommand: CommandDefinition = {
  name: "import",
  group: "Check and back up",
  summary: "restore a backup; existing rows are kept, and equal ones are skipped",
  args: () => [
    new Argument(
      "[files...]",
      "the backup and its increments in order, or a file of an archive, also compressed; - for standard input (default: -)",
    ),
  ],
  options: () => [
    new Option("--check", "only verify the backup, without a database; exit with 1 if it has a fault"),
    repeatedOption("--thread <id>", "only this thread of the backup"),
    new Option(
      "--replace-damaged",
      "replace stored rows that can't be read; those that differ and can be read are kept and listed",
    ),
    strictOption(),
  ],
  examples: [
    "import backup.ndjson --check",
    "import backup.ndjson",
    "import backup.ndjson --thread 42 --replace-damaged",
    "import - < threads.ndjson",
    "import backup.ndjson --schema restored",
    "import backup.ndjson monday.ndjson --schema restored",
  ],
  runOffline: async (context, flags) => {
    const { check, ...named } = importFlags.parse(flags);
    return check ? reportFaults(context, filesOf(named)) : undefined;
  },
  run: async (context, flags) => {
    const { thread: threads, replaceDamaged, strict, ...named } = importFlags.parse(flags);
    const files = filesOf(named);
    const { openSaver, signal, terminal } = context;
    const { inspectBackup } = await import("../../backup/import-threads.js");
    // A file is checked before anything is stored, so that a damaged one leaves no rows behind.
    const counts = files.includes(STDIN) ? undefined : await checkFiles(context, files, inspectBackup);
    const total = counts === undefined ? undefined : counts.checkpoints + counts.writes + counts.blobs;
    const report = await runLongWork<ImportReport, ImportReport>(
      { signal, terminal },
      {
        ...{ what: "importing", total },
        show: (state) => {
          const { checkpoints, writes, blobs, skipped, replaced } = state;
          return [checkpoints + writes + blobs + skipped + replaced, describeCounts(state)];
        },
        interrupted: (last) =>
          last === undefined
            ? "nothing was stored"
            : `stored ${describeCounts(last)}; run the command again to continue`,
        run: (onProgress) =>
          openSaver({ keepTombstones: true }).importThreads(linesOfAll(context, files), {
            ...{ threads, replaceDamaged, strict, onProgress, signal },
          }),
      },
    );
    const skipped =
      report.skipped === 0 ? "" : `, skipped ${countOf(report.skipped, "row")} that already existed`;
    const replaced =
      report.replaced === 0 ? "" : `, replaced ${countOf(report.replaced, "row")} that could not be read`;
    const text =
      `imported ${countOf(report.threads, "thread")}: ${describeCounts(report)}${replaced}${skipped}` +
      describeNotFound(report) +
      describeLeft(report);
    return outcome(report.damaged.length + report.tombstoned.length, report.missing.length, text, report);
  },
};

function filesOf({ files }: Pick<z.output<typeof importFlags>, "files">): readonly string[] {
  if (files.length === 0) return [STDIN];
  if (files.length === 1 || !files.includes(STDIN)) return files;
  throw new InvalidConfigError(
    "files",
    "name files only: several backups are read twice, standard input once",
  );
}

/** How many faults are printed. `--json` has up to 100. */
const MAX_PRINTED = 20;

/** Verifies a backup, or a full one and its increments, without a database, and reports the first faults. */
export async function reportFaults(context: OfflineContext, files: readonly string[]): Promise<Report> {
  const { serializer, signal, style, terminal } = context;
  const { checkBackup } = await import("../../backup/check/check-backup.js");
  const inspect = (lines: AsyncIterable<string>) => checkBackup(lines, { serde: serializer(), signal });
  const check = await runInterruptible(
    signal,
    () => "the backup was not checked to its end",
    () => (files.includes(STDIN) ? inspect(linesOf(context, STDIN)) : checkFiles(context, files, inspect)),
  );
  const { isIntact, faultCount } = check;
  // The lines of several files are counted together, so that nobody could find one.
  const faults: readonly ShownFault[] =
    files.length === 1 ? check.faults : check.faults.map((fault) => ({ ...fault, line: undefined }));
  const outcome = isIntact ? style.good("the backup is intact") : style.bad(countOf(faultCount, "fault"));
  const checked = `checked ${countOf(check.threads, "thread")}: ${describeCounts(check)}: ${outcome}`;
  const table = isIntact ? [] : [formatFaults(faults, terminal.columns)];
  const more = faultCount > MAX_PRINTED ? [style.dim(`the first ${MAX_PRINTED} of ${faultCount}`)] : [];
  return answer(isIntact, [...table, ...more, checked].join("\n\n"), { ...check, faults });
}

type ShownFault = Omit<BackupFault, "line"> & { readonly line?: number | undefined };

function formatFaults(faults: readonly ShownFault[], width: number | undefined): string {
  const rows = faults
    .slice(0, MAX_PRINTED)
    .map(({ line, message }) => [line === undefined ? "" : String(line), printable(message)]);
  return formatTable([["LINE", "FAULT"], ...rows], { text: 1, width });
}
