import { createCheckpoint, type PostgresCheckpointStore } from "../../../src/checkpoint-store/index.js";
import type { MethodsOf } from "../../saver/every-call.js";
import type { NamedCall } from "./saver-calls.js";

type Method = Exclude<MethodsOf<PostgresCheckpointStore>, symbol | "toJSON" | "setup" | "end">;

const OF_THREAD = { threadId: "t1" };
const saved = (id: string) =>
  createCheckpoint({
    id,
    executionId: "e1",
    nodeName: "node",
    state: { a: 1 },
    metadata: { threadId: "t1" },
  });

/** A call of each method. A method without an entry here does not compile. */
const EACH: Record<Method, (store: PostgresCheckpointStore) => unknown> = {
  save: async (store) => {
    await store.save(saved("c1"));
    await store.save(saved("c2"), { keepLast: 5 });
  },
  saveMany: async (store) => {
    await store.saveMany([saved("c3"), saved("c4")]);
    await store.saveMany([saved("c3"), saved("c4")], { keepLast: 5 });
  },
  load: (store) => store.load("c1"),
  list: async (store) => {
    await store.list("e1");
    await store.list(OF_THREAD);
    await store.list(OF_THREAD, { limit: 10, order: "desc" });
  },
  latest: async (store) => {
    await store.latest("e1");
    await store.latest(OF_THREAD);
  },
  delete: (store) => store.delete("c2"),
  clear: async (store) => {
    await store.clear("e2");
    await store.clear({ threadId: "t2" });
  },
  verify: (store) => store.verify(),
  health: (store) => store.health(),
};

/** Every call of a checkpoint store. */
export function checkpointStoreCalls(store: PostgresCheckpointStore): NamedCall[] {
  return Object.entries(EACH).map(([name, call]) => [name, () => Promise.resolve(call(store))]);
}
