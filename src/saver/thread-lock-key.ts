import { createHash } from "node:crypto";

/**
 * The number of a thread's advisory lock: the first 8 bytes of a SHA-256, so that two threads share one about as often as
 * two random numbers of 64 bits are equal. Other programs may compute it as well.
 */
export function threadLockKey(schema: string, threadId: string): bigint {
  // Neither of the names can contain U+0000.
  const name = ["langgraph-checkpoint-kysely", "thread", schema, threadId].join("\0");
  return createHash("sha256").update(name).digest().readBigInt64BE();
}
