import { expect } from "@jest/globals";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { type CheckpointDatabase, PostgresSaver } from "../src/index.js";
import { putValues, threadConfig } from "./checkpoints.js";
import type { TestDatabase } from "./test-database.js";

export type Watch = AsyncGenerator<CheckpointTuple, undefined>;

/**
 * Starts a watch, and waits until it has read what it missed. After that it depends only on the server's
 * notifications: savers with `notify` send them in the order of the commits.
 *
 * @param threadId - The watched thread. Two checkpoints are stored there, and read.
 */
export async function beginWatch(watch: Watch, database: TestDatabase, threadId: string): Promise<Watch> {
  const db = database.kysely<CheckpointDatabase>();
  const storeIn = (source: typeof db) =>
    putValues(new PostgresSaver(source, undefined, { notify: true }), threadConfig(threadId), {});
  const first = nextYieldedId(watch);
  const offered = await storeIn(db);
  expect(await first).toBe(offered.checkpoint.id);
  // The server announces a checkpoint of a passed-in transaction once it listens, or the watch finds it when it
  // looks.
  const stored = await db.transaction().execute(storeIn);
  expect(await nextYieldedId(watch)).toBe(stored.checkpoint.id);
  // Otherwise its connection stays for ten seconds, and a test that counts connections waits as long. A PGlite would be closed.
  if (typeof database.source === "string") await db.destroy();
  return watch;
}

/** Returns the id of the next checkpoint that a watch yields. */
export async function nextYieldedId(watch: Watch): Promise<string | undefined> {
  return (await watch.next()).value?.checkpoint.id;
}
