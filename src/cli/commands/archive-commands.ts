import {
  oldNamespaceOption,
  confirmFlags,
  flag,
  namedOrAll,
  threadList,
  deleteUnprovenOption,
  dryRunOption,
  yesOption,
  strictOption,
} from "../options/shared-options.js";
import { outcome, afterConfirmation, success } from "./reports.js";
import { Argument, Option } from "commander";
import { z } from "zod";
import type {
  ArchiveOptions,
  ArchiveResult,
  ArchiveRule,
  RestoreReport,
} from "../../archive/archive-types.js";
import { InvalidConfigError } from "../../errors/index.js";
import { NO_ROWS, type RowCounts } from "../../saver/model/row-counts.js";
import type { CommandContext, CommandDefinition, Report } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { countOption, durationOption } from "../options/option-values.js";
import {
  describeCounts,
  describeNotFound,
  describePruned,
  describeUnproven,
  hasRows,
  describeLeft,
  describeNamed,
} from "../output/describe-rows.js";
import { countOf } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";

const archiveFlags = z.object({
  threads: threadList,
  to: z.string(),
  olderThan: z.number().optional(),
  keepLast: z.number().optional(),
  idleFor: z.number().optional(),
  namespace: z.array(z.string()).optional(),
  per: z.enum(["thread", "run"]).optional(),
  compression: z.enum(["zstd", "gzip"]).optional(),
  deleteUnproven: z.boolean().optional(),
  ...confirmFlags,
});
type Flags = z.output<typeof archiveFlags>;

const NOTHING = "nothing to archive";

export const archiveCommand: CommandDefinition = {
  name: "archive",
  group: "Clean up",
  summary: "move old checkpoints or whole threads to files, verify these, and only then delete the rows",
  args: () => [
    new Argument(
      "[threads...]",
      "only these threads; without --older-than, --keep-last and --idle-for, they are archived whole",
    ),
  ],
  options: () => [
    new Option("--to <folder>", "the folder of the archive, created if it is missing").makeOptionMandatory(),
    durationOption("--older-than <time>", "checkpoints older than this, such as 30d or 12h"),
    countOption("--keep-last <n>", "all but this many of the newest checkpoints of each namespace", 1),
    durationOption("--idle-for <time>", "whole threads whose newest checkpoint is older than this").conflicts(
      ["olderThan", "keepLast", "namespace"],
    ),
    oldNamespaceOption(),
    new Option(
      "--per <unit>",
      "a file for each thread, or one for up to 50,000 rows of the run (default: thread)",
    ).choices(["thread", "run"]),
    new Option(
      "--compression <algorithm>",
      "what the files are compressed with (default: zstd where Node.js has it, else gzip)",
    ).choices(["zstd", "gzip"]),
    deleteUnprovenOption().conflicts("idleFor"),
    dryRunOption("print what would be archived, and change nothing"),
    yesOption(),
  ],
  examples: [
    "archive --idle-for 90d --to archive --dry-run",
    "archive 42-copy 43 --to archive --yes",
    "archive --older-than 30d --keep-last 10 --to archive --per run --yes --json",
  ],
  run: async (context, flags) => {
    const parsed = archiveFlags.parse(flags);
    const options = await optionsOf(parsed);
    const { style } = context;
    return afterConfirmation(context, {
      ...parsed,
      preview: () => previewRows(context, options),
      question: (found) =>
        hasRows(found)
          ? `${style.warning("Move")} ${describePruned(found)} to ${printable(parsed.to)}?`
          : undefined,
      report: (found) => report(found, hasRows(found) ? `would archive ${describePruned(found)}` : NOTHING),
      refused: () => ({ archived: false }),
      run: (found) => moveRows(context, options, found?.checkpoints),
    });
  },
};

async function optionsOf({ to, per, compression, ...flags }: Flags): Promise<ArchiveOptions> {
  const { archiveFolder } = await import("../../archive/archive-folder.js");
  return { ...ruleOf(flags), to: archiveFolder(to), filesPer: per, compression };
}

function ruleOf(
  flags: Pick<Flags, "threads" | "olderThan" | "keepLast" | "idleFor" | "namespace" | "deleteUnproven">,
): ArchiveRule {
  const {
    deleteUnproven,
    threads: named,
    olderThan: olderThanMs,
    keepLast,
    idleFor: idleForMs,
    namespace,
  } = flags;
  const threads = namedOrAll(named);
  if (idleForMs !== undefined) return { idleForMs, threads };
  if (olderThanMs !== undefined || keepLast !== undefined) {
    return { olderThanMs, keepLast, threads, namespaces: namespace, deleteUnproven };
  }
  if (namespace !== undefined) {
    throw new InvalidConfigError("--namespace", "requires --older-than or --keep-last");
  }
  if (threads !== undefined) return { strategy: "delete", threads: [...new Set(threads)] };
  throw new InvalidConfigError("archive", "name threads, or pass --older-than, --keep-last or --idle-for");
}

/** Adds what the command line observes. Threads that are named have no progress. */
function observed(
  options: ArchiveOptions,
  signal: AbortSignal,
  onProgress: (counts: RowCounts) => void,
): ArchiveOptions {
  return "strategy" in options ? { ...options, signal } : { ...options, signal, onProgress };
}

/** Counts the rows that would be archived. With many threads, this takes some part of the time of the archiving itself. */
function previewRows(context: CommandContext, options: ArchiveOptions): Promise<ArchiveResult> {
  const { saver, signal } = context;
  return runLongWork<RowCounts, ArchiveResult>(context, {
    what: "scanning",
    show: (counts) => [0, `would archive ${describeCounts(counts)}`],
    interrupted: () => "nothing was changed",
    run: (onProgress) => saver.archive({ ...observed(options, signal, onProgress), dryRun: true }),
  });
}

/** @param total - The number of checkpoints to archive, if it is known. */
async function moveRows(context: CommandContext, options: ArchiveOptions, total?: number): Promise<Report> {
  const { saver, signal } = context;
  const moved = await runLongWork<RowCounts, ArchiveResult>(context, {
    ...{ what: "archiving", total },
    show: (counts) => [counts.checkpoints, describeCounts(counts)],
    interrupted: (last = NO_ROWS) => `archived ${describeCounts(last)}; run the command again to continue`,
    run: (onProgress) => saver.archive(observed(options, signal, onProgress)),
  });
  const files = countOf(moved.files, "file");
  return report(moved, hasRows(moved) ? `archived ${describePruned(moved)} in ${files}` : NOTHING);
}

function report(result: ArchiveResult, text: string): Report {
  const { changed } = result;
  const busy =
    changed === 0
      ? ""
      : `\n${countOf(changed, "thread")} changed meanwhile: run the command again to archive the rest`;
  return success(text + busy + describeUnproven(result) + describeNotFound(result), result);
}

const restoreFlags = z.object({
  threads: threadList,
  from: z.string(),
  all: flag,
  strict: flag,
});

export const restoreCommand: CommandDefinition = {
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
        run: (onProgress) =>
          openSaver({ keepTombstones: true }).restore({
            from: archiveFolder(from),
            threads: all ? undefined : threads,
            ...{ strict, signal, onProgress },
          }),
      },
    );
    const { damaged, damagedFiles, tombstoned, missing, lostFiles, incomplete } = restored;
    return outcome(
      damaged.length + damagedFiles.length + tombstoned.length,
      missing.length + lostFiles.length + incomplete.length,
      describeRestored(restored),
      restored,
    );
  },
};

function describeRestored(restored: RestoreReport): string {
  const { threads, files, skipped } = restored;
  const equal = skipped === 0 ? "" : `, skipped ${countOf(skipped, "row")} that already existed`;
  return (
    `restored ${countOf(threads, "thread")} from ${countOf(files, "file")}: ${describeCounts(restored)}${equal}` +
    describeNotFound(restored) +
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
