import { throwIfAborted } from "../../db/statements/cancellation.js";
import { readBackupLines } from "../../parsing/backup-lines.js";
import { parseLines } from "../../parsing/parse.js";
import { BackupError } from "../backup-error.js";
import {
  type RowLine,
  parseLine,
  THREAD_BACKUP,
  type BackupCounts,
  type ThreadLine,
} from "../backup-line.js";
import { parseBackupCheck } from "../boundary/parse-backup.js";
import type { BackupCheck, BackupCheckOptions } from "./check-types.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import { NO_ROWS } from "../../saver/model/row-counts.js";
import { BackupTotals } from "../backup-totals.js";
import { WholeRows } from "../whole-rows.js";
import { Faults, ThreadCheck } from "./thread-check.js";

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

/** Checks the rows of a backup, one thread after another. */
class RowsCheck {
  readonly faults = new Faults();
  readonly #serde: ContextualSerializer | undefined;
  readonly #totals = new BackupTotals();
  #before: BackupCounts = { ...NO_ROWS, threads: 0 };
  #thread: ThreadCheck;
  readonly #rows = new WholeRows();
  #decoded = 0;

  /** @param serde - Decodes the values. Absent: they are not decoded. */
  constructor(serde: ContextualSerializer | undefined) {
    this.#serde = serde;
    this.#thread = new ThreadCheck(this.faults, serde);
  }

  /** @param line - The number of the line. */
  async add(row: RowLine, line: number): Promise<void> {
    this.#totals.count(row);
    await this.#noting(line, () => this.#check(row, line));
  }

  /** Makes a fault of what `check` refuses. */
  async #noting(line: number, check: () => Promise<void> | void): Promise<void> {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
      this.faults.add({ line, message: error.problem });
    }
  }

  /** @param lines - How many lines there were. */
  async end(lines: number): Promise<BackupCheck> {
    await this.#noting(lines, () => {
      this.#rows.end();
    });
    return {
      ...this.#totals.counts,
      lines,
      isIntact: this.faults.count === 0,
      decoded: this.#decoded + this.#thread.decoded,
      faults: this.faults.listed,
      faultCount: this.faults.count,
    };
  }

  async #check(line: RowLine, number: number): Promise<void> {
    const row = this.#rows.add(line, number);
    if (row === undefined) return;
    if ("thread" in row) await this.#endThread(row, number);
    else if (row.table === "checkpoints") await this.#thread.addCheckpoint(row, number);
    else if (row.table === "checkpoint_blobs") await this.#thread.addBlob(row, this.#rows.number);
    else await this.#thread.addWrite(row, this.#rows.number);
  }

  async #endThread(end: ThreadLine, line: number): Promise<void> {
    const { counts } = this.#totals;
    for (const table of ["checkpoints", "writes", "blobs"] as const) {
      const found = counts[table] - this.#before[table];
      if (found === end[table]) continue;
      const message = `thread "${end.thread}" has ${found} ${table}, and its end counts ${end[table]}`;
      this.faults.add({ line, threadId: end.thread, message });
    }
    await this.#thread.end();
    this.#decoded += this.#thread.decoded;
    this.#before = counts;
    this.#thread = new ThreadCheck(this.faults, this.#serde);
  }
}
