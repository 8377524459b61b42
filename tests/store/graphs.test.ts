import { expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import type { BaseStore, InMemoryStore } from "@langchain/langgraph-checkpoint";
import type { PostgresStoreConfig } from "@langchain/langgraph-checkpoint-postgres/store";
import {
  Annotation,
  END,
  entrypoint,
  getStore,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  task,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { PostgresSaver, SerializationError } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { describeAnyTarget, describeServer } from "../../test-support/targets.js";
import { useStore } from "./stored.js";

const State = Annotation.Root({
  said: Annotation<string>,
  known: Annotation<string[]>({ reducer: (_, next) => next, default: () => [] }),
});

/** The store of a node, which it always has in these graphs. */
function storeOf(config: LangGraphRunnableConfig): BaseStore {
  if (config.store === undefined) throw new Error("the graph has no store");
  return config.store;
}

describeAnyTarget("the store of a graph", (target) => {
  const suite = useStore(target);

  it("is what its nodes read and write, in every thread", async () => {
    await using checkpointer = new PostgresSaver(suite.database.source);
    await checkpointer.setup();
    const graph = new StateGraph(State)
      .addNode("remember", async ({ said }, config: LangGraphRunnableConfig) => {
        await storeOf(config).put(["users", "ada"], said, { said });
        return {};
      })
      .addNode("recall", async () => {
        const found = (await getStore()?.search(["users"], { filter: { said: { $ne: "forget" } } })) ?? [];
        return { known: found.map(({ key }) => key) };
      })
      .addNode("forget", async (_, config: LangGraphRunnableConfig) => {
        await storeOf(config).delete(["users", "ada"], "forget");
        expect(await storeOf(config).get(["users", "ada"], "forget")).toBeNull();
        return {};
      })
      .addEdge(START, "remember")
      .addEdge("remember", "recall")
      .addEdge("recall", "forget")
      .addEdge("forget", END)
      .compile({ checkpointer, store: suite.store });
    for (const said of ["tea", "forget", "pizza"])
      await graph.invoke({ said }, { configurable: { thread_id: `about ${said}` } });
    const state = await graph.getState({ configurable: { thread_id: "about pizza" } });
    expect(state.values).toEqual({ said: "pizza", known: ["pizza", "tea"] });
    expect(await suite.store.count(["users", "ada"])).toBe(2);
  });

  it("keeps what parallel nodes put in one moment, and gives their items the time to live of its rules", async () => {
    const store = suite.open({ namespaces: [{ prefix: ["notes"], ttl: 5 }] });
    const graph = new StateGraph(State)
      .addNode("note", async ({ said }: typeof State.State, config: LangGraphRunnableConfig) => {
        await storeOf(config).put(["notes"], said, { said });
        return {};
      })
      .addConditionalEdges(START, () =>
        Array.from({ length: 8 }, (_, nth) => new Send("note", { said: `n${nth}` })),
      )
      .addEdge("note", END)
      .compile({ store });
    await graph.invoke({ said: "" });
    const notes = await store.search(["notes"], { limit: 100 });
    expect(notes).toHaveLength(8);
    expect(notes.every(({ expiresAt }) => expiresAt !== undefined)).toBe(true);
  });

  it("tells a node what is wrong with its value, and stores nothing of that moment", async () => {
    const graph = new StateGraph(State)
      .addNode("remember", async (_, config: LangGraphRunnableConfig) => {
        const store = storeOf(config);
        const puts = [store.put(["a"], "good", {}), store.put(["a"], "bad", { call: () => 1 })];
        const [, bad] = await Promise.allSettled(puts);
        throw bad?.status === "rejected" ? bad.reason : new Error("it was stored");
      })
      .addEdge(START, "remember")
      .compile({ store: suite.store });
    await expect(graph.invoke({ said: "" })).rejects.toBeInstanceOf(SerializationError);
    expect(await suite.store.search([])).toEqual([]);
  });

  it("is the store of its tools", async () => {
    const remember = tool(
      async ({ fact }, config: LangGraphRunnableConfig) => {
        await storeOf(config).put(["facts"], fact, { fact });
        return `remembered ${fact}`;
      },
      { name: "remember", description: "remembers a fact", schema: z.object({ fact: z.string() }) },
    );
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode([remember]))
      .addEdge(START, "tools")
      .compile({ store: suite.store });
    const call = (fact: string) => ({
      name: "remember",
      args: { fact },
      id: fact,
      type: "tool_call" as const,
    });
    const { messages } = await graph.invoke({
      messages: [new AIMessage({ content: "", tool_calls: [call("likes tea"), call("lives in Zürich")] })],
    });
    expect(messages.slice(1).map(({ content }) => content)).toEqual([
      "remembered likes tea",
      "remembered lives in Zürich",
    ]);
    expect((await suite.store.search(["facts"])).map(({ key }) => key).sort()).toEqual([
      "likes tea",
      "lives in Zürich",
    ]);
  });

  it("is the store of an entrypoint and its tasks", async () => {
    const count = task("count", async (name: string) => {
      const before = await getStore()?.get(["counts"], name);
      const visits = z.object({ visits: z.number() }).parse(before?.value ?? { visits: 0 }).visits + 1;
      await getStore()?.put(["counts"], name, { visits });
      return visits;
    });
    const workflow = entrypoint({ name: "visit", store: suite.store }, (name: string) => count(name));
    expect([
      await workflow.invoke("ada"),
      await workflow.invoke("ada"),
      await workflow.invoke("bob"),
    ]).toEqual([1, 2, 1]);
  });
});

describeServer("code for another store", (target) => {
  it("takes this one for the official one, with the same arguments", async () => {
    const { source } = await target.createDatabase();
    const { hostname, port, username, pathname } = new URL(source);
    const options: Omit<PostgresStoreConfig, "connectionOptions" | "index"> = {
      schema: "memory",
      ensureTables: true,
      ttl: { defaultTtl: 60, refreshOnRead: true, sweepIntervalMinutes: 30 },
      textSearchLanguage: "german",
    };
    const poolConfig = {
      ...{ host: hostname, port: Number(port), user: username, database: pathname.slice(1), max: 2 },
      password: decodeURIComponent(new URL(source).password),
    };
    const configs: Omit<PostgresStoreConfig, "index">[] = [
      { ...options, connectionOptions: source },
      { ...options, connectionOptions: poolConfig },
    ];
    const stores = [
      ...configs.map((config) => new PostgresStore(config)),
      PostgresStore.fromConnString(source, options),
    ];
    for (const [nth, store] of stores.entries()) {
      await store.start();
      await store.put(["a", `${nth}`], "k", { text: "Häuser" }, false, { ttl: 5 });
      expect(await store.get(["a", `${nth}`], "k")).toMatchObject({ value: { text: "Häuser" } });
      const found = await store.search(["a"], { query: "haus", mode: "text", refreshTtl: true, limit: 5 });
      expect(found).toHaveLength(nth + 1);
      expect(await store.listNamespaces({ prefix: ["a"], maxDepth: 1 })).toEqual([["a"]]);
      expect(await store.sweepExpiredItems()).toBe(0);
      await store.stop();
    }
  });

  it("takes this one for InMemoryStore, by every method that InMemoryStore has", async () => {
    const { source } = await target.createDatabase();
    await using opened = new PostgresStore(source);
    const store: Pick<InMemoryStore, keyof BaseStore> = opened;
    await store.start();
    await store.put(["a"], "k", { n: 1 });
    await store.put(["a"], "gone", { n: 1 });
    await store.delete(["a"], "gone");
    const [item, found] = await store.batch([{ namespace: ["a"], key: "k" }, { namespacePrefix: ["a"] }]);
    expect(item).toEqual(await store.get(["a"], "k"));
    expect(found).toEqual(await store.search(["a"], { filter: { n: 1 } }));
    expect(await store.listNamespaces()).toEqual([["a"]]);
    await store.stop();
  });
});
