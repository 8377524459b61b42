import { z } from "zod";
import { addCounts, NO_ROWS, type RowCounts } from "../../saver/model/row-counts.js";

const rows = { checkpoints: z.number(), writes: z.number(), blobs: z.number() };
const threadLine = z.object({ thread: z.string(), ...rows });
const lastLine = z.object({ end: z.object({ threads: z.number(), ...rows, bytes: z.number() }) });

/** Counts what is in a backup by how its lines begin: they are many, and long. */
export class BackupTally {
  #whole: RowCounts & { readonly threads: number } = { ...NO_ROWS, threads: 0 };
  /** Of the thread whose end has not come. */
  #open: RowCounts = NO_ROWS;
  readonly #missing: string[] = [];

  get counts(): RowCounts & { readonly threads: number } {
    return { ...addCounts(this.#whole, this.#open), threads: this.#whole.threads };
  }

  /** The threads that have no rows. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  add(line: string): void {
    if (line.startsWith('{"thread":')) this.#addThread(threadLine.parse(JSON.parse(line)));
    else if (line.startsWith('{"end":')) this.#whole = lastLine.parse(JSON.parse(line)).end;
    else this.#open = addCounts(this.#open, rowOf(line));
  }

  #addThread({ thread, checkpoints, writes, blobs }: z.output<typeof threadLine>): void {
    if (checkpoints + writes + blobs === 0) this.#missing.push(thread);
    const { threads, ...whole } = this.#whole;
    const exact = { checkpoints, writes, blobs, bytes: this.#open.bytes };
    this.#whole = { ...addCounts(whole, exact), threads: threads + 1 };
    this.#open = NO_ROWS;
  }
}

/** What a line adds, its bytes estimated: the last line of the backup has the exact number. */
function rowOf(line: string): RowCounts {
  if (line.startsWith('{"table":"checkpoints"')) return { ...NO_ROWS, checkpoints: 1 };
  const bytes = Math.round(line.length * 0.75);
  if (line.startsWith('{"table":"checkpoint_blobs"')) return { ...NO_ROWS, blobs: 1, bytes };
  if (line.startsWith('{"table":"checkpoint_writes"')) return { ...NO_ROWS, writes: 1, bytes };
  return { ...NO_ROWS, bytes };
}
