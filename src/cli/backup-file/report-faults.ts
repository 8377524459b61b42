import type { BackupFault } from "../../backup/check/check-types.js";
import type { OfflineContext, Report } from "../command-definition.js";
import { reportInterrupt } from "../errors/report-interrupt.js";
import { EXIT_CODE } from "../exit-code.js";
import { describeCounts } from "../output/describe-rows.js";
import { counted } from "../output/format-numbers.js";
import { formatTable } from "../output/format-table.js";
import { printable } from "../output/printable.js";
import { checkFiles, linesOf, STDIN } from "./read-file.js";

/** How many faults are printed. `--json` has up to 100. */
const MAX_PRINTED = 20;

/** Verifies a backup, or a full one and its increments, without a database, and reports the first faults. */
export async function reportFaults(context: OfflineContext, files: readonly string[]): Promise<Report> {
  const { serializer, signal, style, terminal } = context;
  const { checkBackup } = await import("../../backup/check/check-backup.js");
  const inspect = (lines: AsyncIterable<string>) => checkBackup(lines, { serde: serializer(), signal });
  const check = await reportInterrupt(
    signal,
    () => (files.includes(STDIN) ? inspect(linesOf(context, STDIN)) : checkFiles(context, files, inspect)),
    () => "the backup was not checked to its end",
  );
  const { isIntact, faultCount } = check;
  // The lines of several files are counted together, so that nobody could find one.
  const faults: readonly ShownFault[] =
    files.length === 1 ? check.faults : check.faults.map((fault) => ({ ...fault, line: undefined }));
  const outcome = isIntact ? style.good("the backup is intact") : style.bad(counted(faultCount, "fault"));
  const checked = `checked ${counted(check.threads, "thread")}: ${describeCounts(check)}: ${outcome}`;
  const table = isIntact ? [] : [formatFaults(faults, terminal.columns)];
  const more = faultCount > MAX_PRINTED ? [style.dim(`the first ${MAX_PRINTED} of ${faultCount}`)] : [];
  return {
    exitCode: isIntact ? EXIT_CODE.ok : EXIT_CODE.no,
    text: [...table, ...more, checked].join("\n\n"),
    json: { ...check, faults },
  };
}

type ShownFault = Omit<BackupFault, "line"> & { readonly line?: number | undefined };

function formatFaults(faults: readonly ShownFault[], width: number | undefined): string {
  const rows = faults
    .slice(0, MAX_PRINTED)
    .map(({ line, message }) => [line === undefined ? "" : String(line), printable(message)]);
  return formatTable([["LINE", "FAULT"], ...rows], { text: 1, width });
}
