import { afterAll, afterEach, beforeAll } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { PostgresConversations } from "../../src/conversations/index.js";
import { PostgresSaver } from "../../src/index.js";
import type { DatabaseSource, Target, TestDatabase } from "../../test-support/targets.js";

/** Conversations, and a saver, on the tables of a suite, which are emptied after each test. */
export interface OpenedConversations<Source extends DatabaseSource = DatabaseSource> {
  readonly threads: PostgresConversations;
  readonly saver: PostgresSaver;
  readonly database: TestDatabase<Source>;
}

/** Opens conversations for the tests of a suite. */
export function useConversations<Source extends DatabaseSource>(
  target: Target<Source>,
): OpenedConversations<Source> {
  let opened: OpenedConversations<Source> | undefined;
  const required = (): OpenedConversations<Source> => {
    if (opened === undefined) throw new Error("before the suite has begun");
    return opened;
  };
  beforeAll(async () => {
    const database = await target.createDatabase();
    const [threads, saver] = [new PostgresConversations(database.source), new PostgresSaver(database.source)];
    await threads.setup();
    opened = { database, threads, saver };
  });
  afterEach(async () => {
    for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_conversations"])
      await opened?.database.exec(`delete from ${table}`);
  });
  afterAll(async () => {
    await Promise.all([opened?.threads.end(), opened?.saver.end()]);
  });
  return {
    get threads() {
      return required().threads;
    },
    get saver() {
      return required().saver;
    },
    get database() {
      return required().database;
    },
  };
}

/** Stores a checkpoint of the root graph, or of another namespace. */
export function putCheckpoint(
  saver: PostgresSaver,
  threadId: string,
  checkpointNs = "",
): Promise<RunnableConfig> {
  const checkpoint = {
    ...emptyCheckpoint(),
    id: uuid6(0),
    channel_values: { a: threadId },
    channel_versions: { a: 1 },
  };
  const config = { configurable: { thread_id: threadId, checkpoint_ns: checkpointNs } };
  return saver.put(config, checkpoint, { source: "input", step: -1, parents: {} }, { a: 1 });
}
