import { type FirstLine, incompleteIncrement, readBackupLines } from "../parsing/backup-lines.js";
import { BackupError } from "./backup-error.js";
import type { LastLine, RowLine } from "./backup-line.js";
import type { BackupChain } from "./boundary/parse-backup.js";
import { parseLine, THREAD_BACKUP } from "./parse-line.js";

/** A row of a backup, and its line as it was read. */
export interface ReadLine {
  readonly row: RowLine;
  readonly text: string;
}

/** A backup among those that continue each other: a full one, and then increments. Its errors name it. */
export class ChainedBackup {
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
