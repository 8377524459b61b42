import { Argument, Option } from "commander";
import { z } from "zod";
import type { ImportReport } from "../../backup/backup-types.js";
import { InvalidConfigError } from "../../errors/index.js";
import { checkFiles, linesOfAll, STDIN } from "../backup-file/read-file.js";
import type { CommandDefinition } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { EXIT_CODE, type ExitCode } from "../exit-code.js";
import { repeatedOption } from "../options/option-values.js";
import { strictOption } from "../options/shared-options.js";
import { describeLeft } from "../output/describe-left.js";
import { describeCounts, describeMissing } from "../output/describe-rows.js";
import { counted } from "../output/format-numbers.js";
import { reportFaults } from "../backup-file/report-faults.js";

const importFlags = z.object({
  files: z.array(z.string()).default([]),
  check: z.boolean().default(false),
  thread: z.array(z.string()).optional(),
  replaceDamaged: z.boolean().default(false),
  strict: z.boolean().default(false),
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
      },
      (onProgress) =>
        openSaver({ keepTombstones: true }).importThreads(linesOfAll(context, files), {
          ...{ threads, replaceDamaged, strict, onProgress, signal },
        }),
    );
    const skipped =
      report.skipped === 0 ? "" : `, skipped ${counted(report.skipped, "row")} that already existed`;
    const replaced =
      report.replaced === 0 ? "" : `, replaced ${counted(report.replaced, "row")} that could not be read`;
    const text =
      `imported ${counted(report.threads, "thread")}: ${describeCounts(report)}${replaced}${skipped}` +
      describeMissing(report) +
      describeLeft(report);
    return { exitCode: exitCodeOf(report), text, json: report };
  },
};

function exitCodeOf({ damaged, tombstoned, missing }: ImportReport): ExitCode {
  if (damaged.length + tombstoned.length > 0) return EXIT_CODE.left;
  return missing.length > 0 ? EXIT_CODE.no : EXIT_CODE.ok;
}

function filesOf({ files }: Pick<z.output<typeof importFlags>, "files">): readonly string[] {
  if (files.length === 0) return [STDIN];
  if (files.length === 1 || !files.includes(STDIN)) return files;
  throw new InvalidConfigError(
    "files",
    "name files only: several backups are read twice, standard input once",
  );
}
