import { z } from "zod";
import { addCounts, NO_ROWS, type RowCounts } from "../../saver/model/row-counts.js";

const rows = { checkpoints: z.number(), writes: z.number(), blobs: z.number() };
const threadLine = z.object({ thread: z.string(), ...rows });
const lastLine = z.object({ end: z.object({ threads: z.number(), ...rows, bytes: z.number() }) });

/** Counts the rows of a backup. It looks only at the start of most lines, since parsing long lines would be slow. */
export class BackupTally {
  #finished: RowCounts & { readonly threads: number } = { ...NO_ROWS, threads: 0 };
  /** The rows of the thread whose last line has not been added yet. */
  #current: RowCounts = NO_ROWS;
  readonly #missing: string[] = [];

  get counts(): RowCounts & { readonly threads: number } {
    return { ...addCounts(this.#finished, this.#current), threads: this.#finished.threads };
  }

  /** The requested threads without rows. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  add(line: string): void {
    if (line.startsWith('{"thread":')) this.#addThread(threadLine.parse(JSON.parse(line)));
    else if (line.startsWith('{"end":')) this.#finished = lastLine.parse(JSON.parse(line)).end;
    else this.#current = addCounts(this.#current, rowOf(line));
  }

  #addThread({ thread, checkpoints, writes, blobs }: z.output<typeof threadLine>): void {
    if (checkpoints + writes + blobs === 0) this.#missing.push(thread);
    const { threads, ...finished } = this.#finished;
    const exact = { checkpoints, writes, blobs, bytes: this.#current.bytes };
    this.#finished = { ...addCounts(finished, exact), threads: threads + 1 };
    this.#current = NO_ROWS;
  }
}

/** The counts of one line. The number of bytes is an estimate; the last line of the backup holds the exact one. */
function rowOf(line: string): RowCounts {
  if (line.startsWith('{"table":"checkpoints"')) return { ...NO_ROWS, checkpoints: 1 };
  const bytes = Math.round(line.length * 0.75);
  if (line.startsWith('{"table":"checkpoint_blobs"')) return { ...NO_ROWS, blobs: 1, bytes };
  if (line.startsWith('{"table":"checkpoint_writes"')) return { ...NO_ROWS, writes: 1, bytes };
  return { ...NO_ROWS, bytes };
}
