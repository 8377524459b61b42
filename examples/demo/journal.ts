import { appendFileSync, readFileSync } from "node:fs";
import { z } from "zod";

const Entry = z.object({
  pid: z.number(),
  event: z.enum(["started", "finished", "stored", "answered"]),
  /** The tool, the checkpoint that the process dies at, or the agent's last words. */
  subject: z.string(),
});

/** Something that happened, and in which process. */
export type JournalEntry = z.infer<typeof Entry>;

/**
 * The outside world's memory of the story, which the checkpoints have no part in: what ran is told from here, not from
 * what was saved. A line is in the file when `append` returns, so that it outlives a process that is killed next.
 */
export class Journal {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  append(event: JournalEntry["event"], subject: string): void {
    appendFileSync(this.#file, `${JSON.stringify({ pid: process.pid, event, subject })}\n`, { mode: 0o600 });
  }

  read(): JournalEntry[] {
    const lines = readFileSync(this.#file, "utf8").trimEnd().split("\n");
    return lines.map((line) => Entry.parse(JSON.parse(line)));
  }
}
