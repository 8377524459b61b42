import { appendFileSync, readFileSync } from "node:fs";
import { z } from "zod";

const Entry = z.object({
  pid: z.number(),
  event: z.enum(["started", "finished", "stored", "answered"]),
  /** The tool, the checkpoint at which the process is killed, or the agent's last message. */
  subject: z.string(),
});

/** An event, and the process in which it happened. */
export type JournalEntry = z.infer<typeof Entry>;

/**
 * A log of events outside the database, so that the claims about what ran do not depend on the checkpoints. A line is in the file
 * when `append` returns, so it survives if the process is killed next.
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
