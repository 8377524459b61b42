import {
  firstLineOf,
  formatLine,
  type FirstLine,
  incompleteIncrement,
  readBackupLines,
} from "../parsing/backup-lines.js";
import { BackupTotals } from "./backup-totals.js";
import { parseChain, type BackupChain } from "./boundary/parse-backup.js";
import { holdsThread, THREAD_BACKUP, type LastLine, type RowLine, parseLine } from "./backup-line.js";
import { BackupError } from "./backup-error.js";

/**
 * Merges a full backup and its increments into the lines of one full backup: of each thread it yields the rows of the newest backup that
 * has the thread, and nothing of a thread that is gone there. `importThreads` and `checkBackup` take the lines, and a file of
 * them is a new full backup.
 *
 * It reads the newest backup first, and holds the names of the threads in the increments. Whether the backups continue each other is
 * known at the end, so check the lines once before you import them.
 *
 * @param backups - The lines of each backup: the full one first, and then each increment after the one that it continues.
 * @returns The lines, without line feeds.
 * @throws InvalidConfigError for an invalid argument.
 * @throws BackupError where a backup is damaged, where one is missing, or where one does not continue the one before it.
 *
 * @example
 * ```ts
 * const files = ["full.ndjson", "monday.ndjson", "tuesday.ndjson"];
 * const { isIntact } = await checkBackup(mergeBackups(files.map(linesOf)));
 * if (isIntact) await checkpointer.importThreads(mergeBackups(files.map(linesOf)));
 * ```
 */
export async function* mergeBackups(
  backups: readonly (AsyncIterable<string> | Iterable<string>)[],
): AsyncGenerator<string> {
  const totals = new BackupTotals();
  const first = formatLine(firstLineOf(THREAD_BACKUP));
  totals.hash(first);
  yield first;
  const seen = new Set<string>();
  let newer: ChainedBackup | undefined;
  for (const backup of chainOf(parseChain(backups)).reverse()) {
    for await (const { row, text } of unseenRows(backup, seen)) {
      totals.hash(text);
      totals.count(row);
      yield text;
    }
    if (newer !== undefined) checkLink(newer, backup.sha256);
    newer = backup;
  }
  yield formatLine(totals.lastLine());
}

/** Yields the rows of the threads that no newer backup has, and adds the threads of an increment to those seen. */
async function* unseenRows(backup: ChainedBackup, seen: Set<string>): AsyncGenerator<ReadLine> {
  let isUnseen = false;
  for await (const line of backup.rows()) {
    const { row } = line;
    if ("table" in row) isUnseen = !seen.has(row.thread_id);
    if (!("thread" in row)) {
      if (isUnseen) yield line;
      continue;
    }
    if (holdsThread(row) && !seen.has(row.thread)) yield line;
    if (backup.since !== "") seen.add(row.thread);
  }
}

/** A row of a backup, and its line as it was read. */
interface ReadLine {
  readonly row: RowLine;
  readonly text: string;
}

/** A backup among those that continue each other: a full one, and then increments. Its errors name it. */
class ChainedBackup {
  readonly #lines: BackupChain[number];
  readonly #index: number;
  readonly #count: number;
  #since = "";
  #sha256 = "";
  #text = "";

  constructor(backups: BackupChain, index: number) {
    this.#lines = backups[index] ?? [];
    this.#index = index;
    this.#count = backups.length;
  }

  /** The checksum of the backup that it continues; empty for a full one. Known once a row was read. */
  get since(): string {
    return this.#since;
  }

  /** Its own checksum. Known once all rows were read. */
  get sha256(): string {
    return this.#sha256;
  }

  /** @throws BackupError where the backup is damaged, or a full one where an increment is expected, or the other way round. */
  async *rows(): AsyncGenerator<ReadLine> {
    const parseRow = (value: unknown, number: number) => this.#parse(value, number);
    const onFirst = (line: FirstLine) => {
      this.#checkFirst(line);
    };
    try {
      for await (const row of readBackupLines<RowLine>(THREAD_BACKUP, this.#observed(), parseRow, {
        onFirst,
      })) {
        yield { row, text: this.#text };
      }
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
      const { line, problem } = error;
      throw this.refusal(line === undefined ? problem : `line ${line}: ${problem}`);
    }
  }

  refusal(problem: string): BackupError {
    const isAlone = this.#count === 1;
    return new BackupError(isAlone ? problem : `backup ${this.#index + 1} of ${this.#count}: ${problem}`);
  }

  async *#observed(): AsyncGenerator {
    for await (const line of this.#lines) {
      this.#text = String(line);
      yield line;
    }
  }

  #parse(value: unknown, number: number): RowLine | LastLine {
    const parsed = parseLine(value, number);
    if ("end" in parsed) this.#sha256 = parsed.end.sha256;
    return parsed;
  }

  #checkFirst({ since }: FirstLine): void {
    if (this.#index === 0 && since !== undefined) throw new BackupError(incompleteIncrement(since));
    if (this.#index > 0 && since === undefined) {
      throw new BackupError("the backup is a full one, and can only be the first one");
    }
    this.#since = since ?? "";
  }
}

/** The backups in their order, each of which can be read once. */
export function chainOf(backups: BackupChain): ChainedBackup[] {
  return backups.map((_, index) => new ChainedBackup(backups, index));
}

/**
 * Checks that a backup continues the one before it, once both were read.
 *
 * @param before - The checksum of the one before it; empty for the first one.
 * @throws BackupError where it continues another one.
 */
export function checkLink(backup: ChainedBackup, before: string): void {
  if (backup.since === before) return;
  throw backup.refusal(
    `the increment continues the backup with the checksum ${backup.since}, and the one before it has ${before}`,
  );
}
