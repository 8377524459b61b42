import { z } from "zod";

/** What a process is to do whose memory is looked at. */
export const MemoryTask = z.object({
  subject: z.enum(["ours", "official"]),
  url: z.string(),
  thread: z.string(),
  /** Reads every checkpoint of the thread: each by its id, or all by one list. */
  kind: z.enum(["load", "list"]),
  /** How many checkpoints it must come across. */
  checkpoints: z.number(),
});

export type MemoryTask = z.infer<typeof MemoryTask>;

/** What came out, in millions of bytes of resident memory. */
export const MemoryFigures = z.object({
  /** With everything loaded, connected and collected, before the task. */
  idle: z.number(),
  /** The most while the task ran. */
  peak: z.number(),
});

export type MemoryFigures = z.infer<typeof MemoryFigures>;
