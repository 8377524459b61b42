import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { Kysely } from "kysely";
import type { CheckpointDatabase } from "../../../src/index.js";
import type { DatabaseSource } from "../../../test-support/test-database.js";
import { collect, threadConfig } from "../../../test-support/checkpoints.js";
import { hasMethod, type Release } from "../release.js";
import { describeValue } from "./describe-value.js";
import { serializerOf } from "./serializers.js";
import { ENTRIES } from "./write-others.js";

/** What a version reads from a database, as JSON. */
export interface DatabaseContent {
  /** The tuples of each thread, in the order of a list. */
  readonly threads: Readonly<Record<string, unknown>>;
  readonly tombstones?: readonly string[];
  readonly items?: unknown;
  readonly entries?: unknown;
  readonly executions?: unknown;
}

/**
 * Reads everything in a database, by the public methods of a version.
 *
 * @param release - The version that reads.
 * @param parts - What to read beside threads. Default: everything that the version knows.
 */
export async function readDatabase(
  release: Release,
  source: DatabaseSource,
  parts: readonly string[] = partsOf(release),
): Promise<DatabaseContent> {
  return {
    threads: await readThreads(release, source),
    ...(parts.includes("tombstones") && { tombstones: await readTombstones(release, source) }),
    ...(parts.includes("items") && { items: await readItems(release, source) }),
    ...(parts.includes("entries") && { entries: await readEntries(release, source) }),
    ...(parts.includes("conversations") && { conversations: await readConversations(release, source) }),
    ...(parts.includes("executions") && { executions: await readExecutions(release, source) }),
  };
}

function partsOf(release: Release): string[] {
  return [
    ...(hasMethod(release, "listTombstones") ? ["tombstones"] : []),
    ...(release.store ? ["items"] : []),
    ...(release.cache ? ["entries"] : []),
    ...(release.conversations ? ["conversations"] : []),
    ...(release["checkpoint-store"] ? ["executions"] : []),
  ];
}

async function readThreads(release: Release, source: DatabaseSource): Promise<Record<string, unknown>> {
  const { kysely, close } = release.db.openDatabase(source);
  const threads: Record<string, unknown> = {};
  for (const thread of await threadsOf(kysely)) {
    const saver = new release.index.PostgresSaver(kysely, serializerOf(release, thread));
    threads[thread] = (await collect(saver.list(threadConfig(thread)))).map(describeTuple);
  }
  await close();
  return threads;
}

/** The ids of all threads, sorted. */
export async function threadsOf(kysely: Kysely<CheckpointDatabase>): Promise<string[]> {
  const rows = await kysely.selectFrom("checkpoints").select("thread_id").distinct().execute();
  return rows.map(({ thread_id }) => thread_id).sort();
}

function describeTuple({
  config,
  checkpoint,
  metadata,
  parentConfig,
  pendingWrites,
}: CheckpointTuple): unknown {
  return {
    config: config.configurable,
    parent: parentConfig?.configurable?.checkpoint_id as unknown,
    checkpoint: describeValue(checkpoint),
    metadata: describeValue(metadata),
    writes: describeValue(pendingWrites),
  };
}

async function readTombstones({ index }: Release, source: DatabaseSource): Promise<string[]> {
  await using saver = new index.PostgresSaver(source);
  return (await saver.listTombstones()).map(({ threadId }) => threadId);
}

async function readItems({ store }: Release, source: DatabaseSource): Promise<unknown> {
  if (store?.PostgresStore === undefined) return undefined;
  await using items = new store.PostgresStore(source, { ensureTables: false });
  const found = await items.search([], { limit: 100 });
  const filtered = await items.search(["users"], { filter: { born: { year: 1815 } } });
  return {
    found: found.map(describeValue),
    filtered: filtered.map(({ key }) => key),
    byText: (await items.search(["users"], { query: "Ada", mode: "text" })).map(({ key }) => key),
    namespaces: await items.listNamespaces(),
  };
}

async function readEntries({ cache }: Release, source: DatabaseSource): Promise<unknown> {
  if (cache?.PostgresCache === undefined) return undefined;
  await using entries = new cache.PostgresCache(source, {
    keyPrefix: "graph",
    onError: "throw",
    ensureTables: false,
    deadlineMs: 60_000,
  });
  const keys = Object.entries(ENTRIES).map(([key, namespace]): [string[], string] => [namespace, key]);
  return (await entries.get(keys)).map(describeValue);
}

async function readConversations({ conversations }: Release, source: DatabaseSource): Promise<unknown> {
  if (conversations?.PostgresConversations === undefined) return undefined;
  await using threads = new conversations.PostgresConversations(source);
  const owned = await collect(threads.search({ metadata: { owner: "ada" }, title: "grüße" }));
  return describeValue({
    begun: await threads.get("msgpack"),
    other: await threads.get("not begun"),
    owned: owned.map(({ thread }) => thread.thread_id),
  });
}

async function readExecutions(release: Release, source: DatabaseSource): Promise<unknown> {
  const { PostgresCheckpointStore } = release["checkpoint-store"] ?? {};
  if (PostgresCheckpointStore === undefined) return undefined;
  await using store = new PostgresCheckpointStore(source);
  return describeValue({
    first: await store.list("exec 1"),
    thread: (await store.list({ threadId: "thread" })).map(({ id }) => id),
    latest: await store.latest("exec 2"),
  });
}
