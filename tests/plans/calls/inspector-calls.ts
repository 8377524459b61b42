import type { PostgresSaver } from "../../../src/index.js";
import type { ReadCalls, WriteCalls } from "../../../src/inspector/api/inspector-api.js";
import { InspectorCalls } from "../../../test-support/inspector-calls.js";
import type { Filled } from "../../cli/filled-database.js";
import type { NamedCall } from "./saver-calls.js";

type Arguments<Calls extends Record<keyof Calls, { readonly args: unknown }>> = {
  readonly [Name in keyof Calls]: readonly Calls[Name]["args"][];
};

/** Every call of an inspector on a database that `fillDatabase` has filled. */
export function inspectorCalls(saver: PostgresSaver, { ids }: Filled): NamedCall[] {
  const calls = new InspectorCalls(saver, { write: true });
  const [first = "", second = "", , last = ""] = ids;
  const of = (checkpointId: string) => ({ threadId: "42", namespace: "", checkpointId });
  const plan = { kind: "channel", channel: "plan", ...of(last) } as const;
  const compared = { before: of(first), after: of(last) };
  const item = { namespace: ["users", "7"], key: "tea" };
  const entry = { namespace: '["nodes"]', key: "1" };
  const forked = { ...of(last), values: { plan: "Z" } };
  const reads: Arguments<ReadCalls> = {
    overview: [{}],
    threads: [
      {},
      { search: "4", filter: { source: "loop" }, limit: 20 },
      { order: "recent" },
      { order: "recent", search: "4", filter: { source: "loop" }, limit: 20 },
      { state: "interrupted", search: "4", filter: { source: "loop" }, order: "oldest", limit: 20 },
      { state: "failed", before: Date.UTC(2100, 0) },
      { state: "pending", search: "4", limit: 20 },
      { failedTools: true, limit: 20 },
      { search: "no such words", since: 0, limit: 20 },
    ],
    threadCounts: [{}],
    metadataSuggestions: [{}],
    threadSizes: [{ threadIds: Array.from({ length: 50 }, (_, n) => String(n)) }],
    searchThread: [
      { threadId: "42", search: "hi" },
      { threadId: "42", search: "hi", before: last },
    ],
    lastMessages: [{ threadIds: Array.from({ length: 50 }, (_, n) => String(n)) }],
    thread: [{ threadId: "42" }],
    graphs: [{ threadId: "42", checkpointId: last }],
    // It needs a graph, and reads what `graphs` and `openThread` read.
    graphPicture: [],
    openThread: [{ threadId: "42" }],
    history: [
      { threadId: "42", namespace: "" },
      { threadId: "42", namespace: "", before: last, limit: 20 },
    ],
    story: [
      { threadId: "42", namespace: "" },
      { threadId: "42", namespace: "", before: last, limit: 200 },
    ],
    findMessages: [{ ...of(last), channel: "messages", messages: [{ role: "human", text: "hi" }] }],
    neighbours: [of(second)],
    checkpoint: [of(last)],
    value: [{ place: plan, path: [] }],
    text: [{ place: { ...plan, ...of(first), channel: "messages" }, path: [], offset: 0 }],
    searchValue: [{ place: plan, search: "pack" }],
    conversation: [{ ...of(last), channel: "messages" }],
    compare: [compared],
    compareChannel: [{ ...compared, channel: "plan" }],
    tables: [{}],
    storage: [{}, { threadId: "42" }],
    stepBytes: [{ threadId: "42", namespace: "" }],
    chains: [{ threadId: "42" }],
    checkPrune: [{ keepLast: 1 }, { threadId: "42", keepLast: 1 }],
    memory: [{}],
    memoryNamespaces: [{ prefix: [] }, { prefix: ["users"] }],
    items: [{ prefix: [] }, { prefix: ["users"], query: "tea", filter: { a: 1 } }],
    itemSums: [{ prefix: ["users", "7"] }, { label: "7" }],
    item: [item],
    editableItem: [item],
    cacheNamespaces: [{}, { after: "[", limit: 10 }],
    cacheEntries: [{ namespace: entry.namespace }, entry],
    health: [{}],
    editableValue: [{ ...of(last), channel: "plan" }],
  };
  const writes: Arguments<WriteCalls> = {
    fork: [forked],
    // These two need a graph. They read and store by public methods of the saver.
    checkUpdate: [],
    updateState: [],
    rollback: [of(second)],
    copyThread: [{ source: "42", target: "42-other" }],
    prune: [{ threadId: "42-copy", keepLast: 1 }],
    deleteThread: [{ threadId: "42" }],
    createItem: [{ ...item, value: { search: "tea" } }],
    editItem: [{ ...item, value: { search: "tea" }, version: 1 }],
    deleteItem: [item],
    deleteItems: [{ namespace: ["users", "none"], items: 0 }],
    deleteCacheEntry: [entry],
    clearCacheNamespace: [{ namespace: entry.namespace }],
    clearCachePrefix: [{}],
  };
  return [
    ...Object.entries(reads).flatMap(([name, every]) =>
      every.map((args): NamedCall => [`${name} ${JSON.stringify(args)}`, () => calls.post(name, args)]),
    ),
    ...Object.entries(writes).flatMap(([name, every]) =>
      every.map((args): NamedCall => [name, () => calls.post(name, args)]),
    ),
  ];
}
