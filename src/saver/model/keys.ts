/** Joins the parts of a key to one text. No part contains U+0000, so two different keys never give the same text. */
export function rowKey(...parts: string[]): string {
  return parts.join("\0");
}

/** Identifies a namespace of a thread. */
export interface NamespaceKey {
  readonly threadId: string;
  readonly checkpointNs: string;
}

/** Identifies a checkpoint. */
export interface CheckpointKey extends NamespaceKey {
  readonly checkpointId: string;
}

/** Compares text by its UTF-8 bytes, as Postgres does under the collation "C". */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Matches the part of a task's path that names its node. Postgres reads the pattern in the same way. */
export const NODE_IN_PATH = String.raw`~__pregel_pull, (.+?)(?:$|, \d{10})`;

const PATTERN = new RegExp(NODE_IN_PATH, "s");

/** Returns the node of a task that was triggered, or that of the task that called it. The path of a Send names none. */
export function nodeOfPath(taskPath: string): string | undefined {
  return PATTERN.exec(taskPath)?.[1];
}

/** The key of the checkpoint that a row is, or stands beside. */
export function checkpointKeyOf(row: {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
}): CheckpointKey {
  return { threadId: row.thread_id, checkpointNs: row.checkpoint_ns, checkpointId: row.checkpoint_id };
}
