import { closeSync, existsSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { nowMs } from "../clock.js";
import type { JournalEntry, UntimedEntry } from "./entry.js";

/**
 * The end of a journal that is written to. Each line is one `write` to a file that is only appended to: what was written
 * survives the process, whose memory plays no part in it. It would not survive the machine.
 */
export class JournalFile {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, "a");
    // The process before may have been killed within a line.
    writeSync(this.#file, "\n");
  }

  /** Adds a line, and returns it as it is read back. */
  add<Entry extends UntimedEntry>(entry: Entry): Entry & { readonly at: number } {
    const timed = { ...entry, at: nowMs() };
    writeSync(this.#file, `${JSON.stringify(timed)}\n`);
    return timed;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** All that a journal holds; nothing where there is none. */
export function readJournal(path: string): JournalEntry[] {
  return existsSync(path) ? parseLines(readFileSync(path, "utf8").split("\n")) : [];
}

/** Reads a journal as it grows. */
export class JournalTail {
  readonly #path: string;
  #offset = 0;
  #rest = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** What was added since the last call. */
  read(): JournalEntry[] {
    if (!existsSync(this.#path)) return [];
    const file = openSync(this.#path, "r");
    try {
      const lines = (this.#rest + this.#readOn(file)).split("\n");
      this.#rest = lines.pop() ?? "";
      return parseLines(lines);
    } finally {
      closeSync(file);
    }
  }

  #readOn(file: number): string {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let text = "";
    for (;;) {
      const length = readSync(file, chunk, 0, CHUNK_BYTES, this.#offset);
      if (length === 0) return text;
      this.#offset += length;
      // All that the journal holds is ASCII: no character is cut in two.
      text += chunk.toString("latin1", 0, length);
    }
  }
}

const CHUNK_BYTES = 1 << 20;

function parseLines(lines: readonly string[]): JournalEntry[] {
  return lines.flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as JournalEntry];
    } catch {
      return []; // The line that a process was killed in: its call was never made, or never acknowledged.
    }
  });
}
