import { throwIfAborted } from "../../db/statements/cancellation.js";
import { readBackupLines } from "../../parsing/backup-lines.js";
import { parseLines } from "../../parsing/parse-lines.js";
import { BackupError } from "../backup-error.js";
import type { RowLine } from "../backup-line.js";
import { parseBackupCheck } from "../boundary/parse-backup.js";
import { parseLine, THREAD_BACKUP } from "../parse-line.js";
import type { BackupCheck, BackupCheckOptions } from "./check-types.js";
import { RowsCheck } from "./rows-check.js";

/**
 * Verifies a backup, or a file of an archive, without a database: that it is whole and its checksum matches, that each thread has the
 * rows that its end counts, that every value a checkpoint or a splice refers to is there, and that each value can be decoded.
 *
 * A line that is damaged is a fault, and the check goes on after it. What follows a line that is too long, or a first line of something
 * else, is not checked: `lines` says how far the check came.
 *
 * It holds the longest value in memory, and of a thread up to 256 MiB of values, which splices may refer to.
 *
 * @param lines - The lines of the backup, without their line breaks and not compressed.
 * @returns What was read, and the faults. It throws none of them.
 * @throws InvalidConfigError for an invalid argument.
 * @throws AbortError when the signal has ended the check.
 *
 * @example
 * ```ts
 * const { isIntact, faults } = await checkBackup(checkpointer.exportThreads());
 * for (const { line, message } of faults) console.error(`line ${line}: ${message}`);
 * ```
 */
export async function checkBackup(
  lines: AsyncIterable<unknown> | Iterable<unknown>,
  options?: BackupCheckOptions,
): Promise<BackupCheck> {
  const { serde, signal } = parseBackupCheck(options);
  const check = new RowsCheck(serde);
  let line = 0;
  const counted = async function* (): AsyncGenerator {
    for await (const text of parseLines(lines)) {
      line += 1;
      yield text;
    }
  };
  const onDamaged = (error: unknown): void => {
    if (!(error instanceof BackupError)) throw error;
    check.faults.add({ ...(error.line !== undefined && { line: error.line }), message: error.problem });
  };
  try {
    for await (const row of readBackupLines<RowLine>(THREAD_BACKUP, counted(), parseLine, { onDamaged })) {
      throwIfAborted(signal);
      await check.add(row, line);
    }
  } catch (error) {
    onDamaged(error);
  }
  return check.end(line);
}
