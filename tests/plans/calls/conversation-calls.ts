import type { PostgresConversations } from "../../../src/conversations/index.js";
import { collect } from "../../../test-support/checkpoints.js";
import type { MethodsOf } from "../../saver/every-call.js";
import type { NamedCall } from "./saver-calls.js";

type Method = Exclude<MethodsOf<PostgresConversations>, symbol | "setup" | "end">;

/** A call of each method. A method without an entry here does not compile. */
const EACH: Record<Method, (threads: PostgresConversations) => Promise<unknown>> = {
  set: async (threads) => {
    await threads.set("t1", { kind: "put", metadata: { title: "Rome", owner: "alice" } });
    await threads.set("t1", { kind: "patch", metadata: { title: "Naples" } });
  },
  get: (threads) => threads.get("t1"),
  touch: (threads) => threads.touch("t1"),
  search: async (threads) => {
    const [found] = await collect(threads.search());
    const after = found?.thread;
    await collect(threads.search({ after, sortBy: "created_at", sortOrder: "asc" }));
    await collect(threads.search({ after, metadata: { owner: "alice" } }));
    await collect(threads.search({ metadata: { a: 1 }, exactTotal: true }));
    await collect(threads.search({ title: "rome", metadata: { owner: "alice", a: 1 } }));
  },
  delete: (threads) => threads.delete("t9"),
};

/** Calls of every method of conversations, with the arguments that change their statements. */
export function conversationCalls(threads: PostgresConversations): NamedCall[] {
  return Object.entries(EACH).map(([name, call]) => [name, () => call(threads)]);
}
