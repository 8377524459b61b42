import { expect } from "@jest/globals";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { type CheckpointDatabase, PostgresSaver } from "../src/index.js";
import { putValues, threadConfig } from "./checkpoints.js";
import type { TestDatabase } from "./test-database.js";

export type Watch = AsyncGenerator<CheckpointTuple, undefined>;

/**
 * Begins a watch, and waits until it has looked for what it missed. From then on it is told by the server alone: of what
 * savers with `notify` store, in the order of the commits. Before, it finds more, and in the order of the ids.
 *
 * @param threadId - The thread that it watches; two checkpoints are stored there, and read.
 */
export async function beginWatch(watch: Watch, database: TestDatabase, threadId: string): Promise<Watch> {
  const db = database.kysely<CheckpointDatabase>();
  const storeIn = (source: typeof db) =>
    putValues(new PostgresSaver(source, undefined, { notify: true }), threadConfig(threadId), {});
  const first = nextYieldedId(watch);
  const offered = await storeIn(db);
  expect(await first).toBe(offered.checkpoint.id);
  // Of what is stored in a transaction that was lent the server tells, once it listens; or the watch finds it when it looks.
  const told = await db.transaction().execute(storeIn);
  expect(await nextYieldedId(watch)).toBe(told.checkpoint.id);
  return watch;
}

/** The id of the next checkpoint that a watch yields. */
export async function nextYieldedId(watch: Watch): Promise<string | undefined> {
  return (await watch.next()).value?.checkpoint.id;
}
