import type { PGlite } from "@electric-sql/pglite";
import type { PostgresCache } from "../../../src/cache/index.js";
import type { Release } from "../release.js";
import { distinctText, langchainValues, LONG_TEXT, plainValues } from "./values.js";

/** A hundred years, so that what is to be there is there for as long as anybody tests it. */
const CENTURY_MINUTES = 100 * 365 * 24 * 60;
/** Over when it is read. */
const MOMENT_MINUTES = 1e-6;

/** Items with and without a TTL, changed, expired and long ones. */
export async function writeItems({ store }: Release, source: PGlite): Promise<void> {
  if (store?.PostgresStore === undefined) return;
  const items = new store.PostgresStore(source, {
    ttl: { defaultTtl: CENTURY_MINUTES, refreshOnRead: false },
  });
  await items.put(["users", "7"], "name", { name: "Ada", tags: ["a", "b"], born: { year: 1815 } });
  await items.put(["users", "7"], "changed", { count: 1 });
  await items.put(["users", "7"], "changed", { count: 2 });
  await items.update(["users", "7"], "changed", (value) => ({ count: Number(value?.count) + 1 }));
  await items.put(["users", "8"], "for ever", { text: "Grüße 👋", numbers: [0.1, 1e300, -5] }, false, {
    ttl: null,
  });
  await items.put(["users", "8"], "expired", { seen: false }, false, { ttl: MOMENT_MINUTES });
  await items.put(["long"], "text", { text: LONG_TEXT });
  await items.put(["a namespace", "ü"], "", { empty: {}, nothing: null, flag: false });
}

/** The keys of entries, and the namespace of each. */
export const ENTRIES = {
  values: ["node"],
  langchain: ["node"],
  text: ["node", "deeper"],
  "with a TTL": ["node"],
  expired: ["node"],
};

/** Cached results of every kind of value. */
export async function writeEntries({ cache }: Release, source: PGlite): Promise<void> {
  if (cache?.PostgresCache === undefined) return;
  const entries: PostgresCache = new cache.PostgresCache(source, { keyPrefix: "graph", onError: "throw" });
  await entries.set([
    { key: [["node"], "values"], value: plainValues() },
    { key: [["node"], "langchain"], value: langchainValues() },
    { key: [["node", "deeper"], "text"], value: distinctText(1, 2_000) },
    { key: [["node"], "with a TTL"], value: [1n], ttl: CENTURY_MINUTES * 60 },
    { key: [["node"], "expired"], value: "gone", ttl: MOMENT_MINUTES * 60 },
  ]);
}

/** The conversations of a thread and of one that has not begun. */
export async function writeConversations({ conversations }: Release, source: PGlite): Promise<void> {
  if (conversations?.PostgresConversations === undefined) return;
  const threads = new conversations.PostgresConversations(source);
  const metadata = { title: "Grüße 👋", owner: "ada", graph_id: "agent", n: [0.1, null, { deep: true }] };
  await threads.set("msgpack", { kind: "put", metadata });
  await threads.set("not begun", { kind: "put" });
}

/** The checkpoints of two executions, which are in one thread. */
export async function writeExecutions(release: Release, source: PGlite): Promise<void> {
  const { PostgresCheckpointStore, createCheckpoint } = release["checkpoint-store"] ?? {};
  if (PostgresCheckpointStore === undefined || createCheckpoint === undefined) return;
  const store = new PostgresCheckpointStore(source);
  for (const [at, executionId] of ["exec 1", "exec 1", "exec 1", "exec 2"].entries()) {
    await store.save(
      createCheckpoint({
        id: `checkpoint ${at}`,
        executionId,
        nodeName: `node ${at}`,
        threadId: "thread",
        state: { at, list: [1.5, "ü", null, { deep: [true] }], ...(at === 3 && { text: LONG_TEXT }) },
        metadata: { run: "run", tags: [at] },
        timestamp: new Date(1_700_000_000_000 + at),
        version: at + 1,
      }),
    );
  }
}
