/** Matches the part of a task's path that names its node. Postgres reads the pattern in the same way. */
export const NODE_IN_PATH = String.raw`~__pregel_pull, (.+?)(?:$|, \d{10})`;

const PATTERN = new RegExp(NODE_IN_PATH, "s");

/** Returns the node of a task that was triggered, or that of the task that called it. The path of a Send names none. */
export function nodeOfPath(taskPath: string): string | undefined {
  return PATTERN.exec(taskPath)?.[1];
}
