import { Argument, Option } from "commander";
import { z } from "zod";
import type { RestoreReport } from "../../archive/archive-types.js";
import { InvalidConfigError } from "../../errors/index.js";
import { NO_ROWS, type RowCounts } from "../../saver/model/row-counts.js";
import type { CommandDefinition } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { EXIT_CODE, type ExitCode } from "../exit-code.js";
import { strictOption } from "../options/shared-options.js";
import { describeLeft } from "../output/describe-left.js";
import { describeCounts, describeMissing, describeNamed } from "../output/describe-rows.js";
import { counted } from "../output/format-numbers.js";

const restoreFlags = z.object({
  threads: z.array(z.string()).default([]),
  from: z.string(),
  all: z.boolean().default(false),
  strict: z.boolean().default(false),
});

export const restore: CommandDefinition = {
  name: "restore",
  group: "Check and back up",
  summary: "bring threads back from an archive; existing rows are never changed, and equal ones are skipped",
  args: () => [new Argument("[threads...]", "the threads to restore")],
  options: () => [
    new Option("--from <folder>", "the folder of the archive").makeOptionMandatory(),
    new Option("--all", "restore every thread of the archive"),
    strictOption(),
  ],
  examples: ["restore 43 --from archive", "restore --all --from archive --schema restored --json"],
  run: async ({ openSaver, signal, terminal }, flags) => {
    const { threads, from, all, strict } = restoreFlags.parse(flags);
    if (all === threads.length > 0) throw new InvalidConfigError("restore", "name threads, or pass --all");
    const { archiveFolder } = await import("../../archive/archive-folder.js");
    const restored = await runLongWork<RowCounts, RestoreReport>(
      { signal, terminal },
      {
        what: "restoring",
        show: (counts) => [0, describeCounts(counts)],
        interrupted: (last = NO_ROWS) => `stored ${describeCounts(last)}; run the command again to continue`,
      },
      (onProgress) =>
        openSaver({ keepTombstones: true }).restore({
          from: archiveFolder(from),
          threads: all ? undefined : threads,
          ...{ strict, signal, onProgress },
        }),
    );
    return { exitCode: exitCodeOf(restored), text: describe(restored), json: restored };
  },
};

function exitCodeOf({ damaged, damagedFiles, tombstoned, ...restored }: RestoreReport): ExitCode {
  if (damaged.length + damagedFiles.length + tombstoned.length > 0) return EXIT_CODE.left;
  const { missing, lostFiles, incomplete } = restored;
  return missing.length + lostFiles.length + incomplete.length > 0 ? EXIT_CODE.no : EXIT_CODE.ok;
}

function describe(restored: RestoreReport): string {
  const { threads, files, skipped } = restored;
  const equal = skipped === 0 ? "" : `, skipped ${counted(skipped, "row")} that already existed`;
  return (
    `restored ${counted(threads, "thread")} from ${counted(files, "file")}: ${describeCounts(restored)}${equal}` +
    describeMissing(restored) +
    describeNamed("lost files of the archive, which may hold rows of these threads", restored.lostFiles) +
    describeNamed(
      "incomplete, because the archive has lost their newest file or checkpoints were deleted",
      restored.incomplete,
    ) +
    describeNamed(
      "damaged files of the archive, of which nothing was restored",
      restored.damagedFiles.map(({ file }) => file),
    ) +
    describeLeft(restored)
  );
}
