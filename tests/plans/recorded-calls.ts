import { PostgresCache } from "../../src/cache/index.js";
import { PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { PostgresConversations } from "../../src/conversations/index.js";
import { PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import type { SentStatement } from "../../test-support/recorded-statements.js";
import { recordPool } from "../../test-support/recorded-pool.js";
import type { TestDatabase } from "../../test-support/targets.js";
import { fillDatabase } from "../cli/filled-database.js";
import { cacheCalls } from "./calls/cache-calls.js";
import { checkpointStoreCalls } from "./calls/checkpoint-store-calls.js";
import { conversationCalls } from "./calls/conversation-calls.js";
import { inspectorCalls } from "./calls/inspector-calls.js";
import { type NamedCall, readAndWideCalls, saverCalls, SAVERS } from "./calls/saver-calls.js";
import { storeCalls } from "./calls/store-calls.js";

/** A statement, and the calls that send it. */
export interface RecordedStatement extends SentStatement {
  readonly calls: Set<string>;
  /** Whether each call that sends it has set `jit` to `off` before, in its transaction. */
  readonly isUncompiled: boolean;
}

/**
 * Makes every call of conversations, a saver, a store, a cache, a checkpoint store and an inspector, and returns each statement once, without those that
 * control transactions.
 */
export async function recordEachCall(database: TestDatabase<string>): Promise<RecordedStatement[]> {
  const { source } = database;
  const recorded = new Map<string, RecordedStatement>();
  await using recording = recordPool(source, { max: 4 });
  const { pool, executed } = recording;
  const record = async (owner: string, calls: readonly NamedCall[]): Promise<void> => {
    for (const [name, call] of calls) {
      executed.splice(0);
      await call();
      const uncompiled = new Set<number>();
      for (const statement of executed.splice(0)) {
        if (isWithoutJit(statement)) uncompiled.add(statement.transaction);
        const { calls, isUncompiled } = recorded.get(statement.text) ?? {
          calls: new Set<string>(),
          isUncompiled: true,
        };
        const isOff = uncompiled.has(statement.transaction);
        calls.add(`${owner}: ${name}`);
        // The last ones, since those calls have the longest lists.
        recorded.set(statement.text, { ...statement, calls, isUncompiled: isUncompiled && isOff });
      }
    }
  };
  const filled = await fillDatabase(database);
  // First, so that the calls about whole threads are those with conversations.
  const threads = new PostgresConversations(pool, { keepTombstones: true });
  await threads.setup();
  await record("conversations", conversationCalls(threads));
  for (const [name, options] of Object.entries(SAVERS)) {
    await record(
      `saver (${name})`,
      saverCalls(new PostgresSaver(pool, undefined, { keepTombstones: true, ...options })),
    );
  }
  const shallow = new ShallowPostgresSaver(pool, undefined, { splices: true });
  await record("shallow saver", readAndWideCalls(shallow));
  const ungrouped = new PostgresSaver(pool, undefined, { splices: true, grouping: false });
  await record("saver (ungrouped)", readAndWideCalls(ungrouped));
  const store = new PostgresStore(pool);
  await store.setup();
  await record("store", storeCalls(store));
  const refreshing = new PostgresStore(pool, { ttl: { defaultTtl: 5, refreshOnRead: true }, notify: true });
  await record("store (ttl)", storeCalls(refreshing));
  const cache = new PostgresCache(pool, { sweepIntervalMinutes: false });
  await cache.setup();
  await record("cache", cacheCalls(cache));
  const checkpoints = new PostgresCheckpointStore(pool);
  await checkpoints.setup();
  await record("checkpoint store", checkpointStoreCalls(checkpoints));
  await record("inspector", inspectorCalls(new PostgresSaver(pool, undefined, { splices: true }), filled));
  await store.end();
  await refreshing.end();
  await cache.end();
  return [...recorded.values()];
}

/** Whether a statement keeps the server from compiling the others of its transaction. */
function isWithoutJit({ text, parameters }: SentStatement): boolean {
  return (
    text.includes("set_config('jit', 'off', true)") ||
    (text.includes("set_config('jit', $1, true)") && parameters[0] === "off")
  );
}
