import { afterAll, afterEach, beforeAll } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { PostgresConversations } from "../../src/conversations/index.js";
import { PostgresSaver } from "../../src/index.js";
import type { Target, TestDatabase } from "../../test-support/targets.js";

/** Conversations, and a saver, on the tables of a suite, which are emptied after each test. */
export interface OpenedConversations {
  readonly threads: PostgresConversations;
  readonly saver: PostgresSaver;
  readonly database: TestDatabase;
}

/** Opens conversations for the tests of a suite. */
export function useConversations(target: Target): OpenedConversations {
  const opened: Partial<{ -readonly [Key in keyof OpenedConversations]: OpenedConversations[Key] }> = {};
  const required = <Key extends keyof OpenedConversations>(key: Key): OpenedConversations[Key] => {
    const value = opened[key];
    if (value === undefined) throw new Error("before the suite has begun");
    return value;
  };
  beforeAll(async () => {
    const database = await target.createDatabase();
    opened.database = database;
    opened.threads = new PostgresConversations(database.source);
    opened.saver = new PostgresSaver(database.source);
    await opened.threads.setup();
  });
  afterEach(async () => {
    for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_conversations"])
      await opened.database?.exec(`delete from ${table}`);
  });
  afterAll(async () => {
    await Promise.all([opened.threads?.end(), opened.saver?.end()]);
  });
  return {
    get threads() {
      return required("threads");
    },
    get saver() {
      return required("saver");
    },
    get database() {
      return required("database");
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
