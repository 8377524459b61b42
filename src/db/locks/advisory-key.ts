import { createHash } from "node:crypto";

/**
 * The number of an advisory lock, which Postgres knows no names for.
 *
 * @param purpose - Keeps locks for one thing apart from those for another, and ours from an application's own.
 * @param parts - What is locked.
 * @returns A signed number of 64 bits. Two things share one with a probability of 1 to 2^64: they would then only wait
 *   for each other.
 */
export function advisoryKey(purpose: string, ...parts: readonly string[]): bigint {
  const text = JSON.stringify(["langgraph-checkpoint-kysely", purpose, ...parts]);
  return createHash("sha256").update(text).digest().readBigInt64BE();
}
