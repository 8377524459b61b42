import { closeSync, existsSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { nowMs } from "../clock.js";
import type { JournalEntry, UntimedEntry } from "./entry.js";

/**
 * Appends to a journal. Each line is one `write` to an append-only file without a buffer, so it survives a kill of the process.
 * It would not survive a crash of the machine.
 */
export class JournalFile<Line extends object = UntimedEntry> {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, "a");
    // The previous process may have been killed in the middle of a line.
    writeSync(this.#file, "\n");
  }

  /** Appends a line, and returns it as it will be read back. */
  add<Entry extends Line>(entry: Entry): Entry & { readonly at: number } {
    const timed = { ...entry, at: nowMs() };
    writeSync(this.#file, `${JSON.stringify(timed)}\n`);
    return timed;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Reads all entries of a journal; none if the file doesn't exist. */
export function readJournal<Entry = JournalEntry>(path: string): Entry[] {
  return existsSync(path) ? parseLines(readFileSync(path, "utf8").split("\n")) : [];
}

/** Follows a growing journal. */
export class JournalTail<Entry = JournalEntry> {
  readonly #path: string;
  #offset = 0;
  #rest = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the entries that were appended since the last call. */
  read(): Entry[] {
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
      // The journal is ASCII, so no chunk ends in the middle of a character.
      text += chunk.toString("latin1", 0, length);
    }
  }
}

const CHUNK_BYTES = 1 << 20;

function parseLines<Entry>(lines: readonly string[]): Entry[] {
  return lines.flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as Entry];
    } catch {
      return []; // A process was killed while writing this line: its call was never made, or never acknowledged.
    }
  });
}
