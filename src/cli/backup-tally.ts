import { z } from "zod";
import { NO_ROWS, type RowCounts } from "../saver/row-counts.js";

const threadLine = z.object({
  thread: z.string(),
  checkpoints: z.number(),
  writes: z.number(),
  blobs: z.number(),
});
const lastLine = z.object({
  end: z.object({
    threads: z.number(),
    checkpoints: z.number(),
    writes: z.number(),
    blobs: z.number(),
    bytes: z.number(),
  }),
});

/** Counts what is in a backup, by the ends of its threads alone: rows are many, and long. */
export class BackupTally {
  #counts: RowCounts & { readonly threads: number } = { ...NO_ROWS, threads: 0 };
  readonly #missing: string[] = [];

  get counts(): RowCounts & { readonly threads: number } {
    return this.#counts;
  }

  /** The threads that have no rows. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  add(line: string): void {
    if (line.startsWith('{"thread":')) this.#addThread(threadLine.parse(JSON.parse(line)));
    else if (line.startsWith('{"end":')) this.#counts = lastLine.parse(JSON.parse(line)).end;
    else this.#counts = { ...this.#counts, bytes: this.#counts.bytes + bytesOf(line) };
  }

  #addThread({ thread, checkpoints, writes, blobs }: z.output<typeof threadLine>): void {
    const counts = this.#counts;
    if (checkpoints + writes + blobs === 0) this.#missing.push(thread);
    this.#counts = {
      threads: counts.threads + 1,
      checkpoints: counts.checkpoints + checkpoints,
      writes: counts.writes + writes,
      blobs: counts.blobs + blobs,
      bytes: counts.bytes,
    };
  }
}

/** About how many bytes of values a line has: until the last one says exactly. */
function bytesOf(line: string): number {
  return line.startsWith('{"table":"checkpoints"') ? 0 : Math.round(line.length * 0.75);
}
