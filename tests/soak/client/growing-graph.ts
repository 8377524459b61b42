import type { BaseCheckpointSaver, BaseStore, LangGraphRunnableConfig } from "@langchain/langgraph";
import type { BaseCache } from "@langchain/langgraph-checkpoint";
import { KEPT_ITEMS } from "../laws/soak-history.js";

/** The number of answers that the cache keeps. */
const QUESTIONS = 7;

/** What a graph is compiled with. */
interface Parts {
  readonly checkpointer: BaseCheckpointSaver;
  readonly store: BaseStore;
  readonly cache: BaseCache;
}

/** What a node gets beside its state. */
type NodeConfig = LangGraphRunnableConfig<{
  /** Called when the store has acknowledged an item. */
  onItem?: (number: number) => void;
  onViolation?: (text: string) => void;
}>;

/**
 * A graph whose state has the turns of its thread, and a text that grows with them. A turn writes an item to the store, reads it back, and
 * looks something up through the cache.
 */
export function growingGraph(
  { Annotation, END, START, StateGraph }: typeof import("@langchain/langgraph"),
  parts: Parts,
) {
  const State = Annotation.Root({
    turns: Annotation<string[]>({ reducer: (current, added) => [...current, ...added], default: () => [] }),
    text: Annotation<string>({ reducer: (current, added) => current + added, default: () => "" }),
    turn: Annotation<string>(),
    user: Annotation<number>(),
    number: Annotation<number>(),
    answer: Annotation<string>(),
  });
  type Turn = typeof State.State;
  return new StateGraph(State)
    .addNode("remember", async ({ user, number }: Turn, config: NodeConfig) => {
      const { store, configurable } = config;
      if (store === undefined) throw new Error("the graph has no store");
      const namespace = ["soak", String(user)];
      await store.put(namespace, String(number), { number });
      configurable?.onItem?.(number);
      const item = await store.get(namespace, String(number));
      if (item?.value.number !== number)
        configurable?.onViolation?.(`user ${user}: item ${number} is not read back`);
      if (number % 10 === 0) {
        const found = await store.search(namespace, { filter: { number }, limit: 1 });
        if (found.length !== 1) configurable?.onViolation?.(`user ${user}: item ${number} is not found`);
      }
      if (number > 2 * KEPT_ITEMS) await store.delete(namespace, String(number - 2 * KEPT_ITEMS));
      return {};
    })
    .addNode("lookUp", ({ number }: Turn) => ({ answer: answerTo(number) }), {
      cachePolicy: { ttl: 60, keyFunc: (args) => String((args as [Turn])[0].number % QUESTIONS) },
    })
    .addNode("say", ({ turn }: Turn) => ({ turns: [turn] }))
    .addEdge(START, "remember")
    .addEdge(START, "lookUp")
    .addEdge(["remember", "lookUp"], "say")
    .addEdge("say", END)
    .compile(parts);
}

/** What the graph answers in a turn with this number. */
export function answerTo(number: number): string {
  return `answer ${number % QUESTIONS}`;
}
