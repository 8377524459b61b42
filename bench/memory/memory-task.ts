import { z } from "zod";

/** The task of a process whose memory is measured. */
export const MemoryTask = z.object({
  subject: z.enum(["ours", "spliced", "official"]),
  url: z.string(),
  thread: z.string(),
  /** Reads every checkpoint of the thread, each by its id or all by one list; or stores them, each with one more record of 1 kB. */
  kind: z.enum(["load", "list", "grow"]),
  /** The number of checkpoints that it must read or store. */
  checkpoints: z.number(),
});

export type MemoryTask = z.infer<typeof MemoryTask>;

/** The result, in millions of bytes of resident memory. */
export const MemoryFigures = z.object({
  /** Before the task, with everything loaded, connected and collected. */
  idle: z.number(),
  /** The peak during the task. */
  peak: z.number(),
});

export type MemoryFigures = z.infer<typeof MemoryFigures>;
