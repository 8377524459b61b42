import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Annotation, interrupt, START, StateGraph } from "@langchain/langgraph";
import fc from "fast-check";
import { PostgresSaver } from "../../src/index.js";
import type { InspectorOptions } from "../../src/inspector/index.js";
import { listIds, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget } from "../../test-support/targets.js";

/** The names of a graph. Each one also has the node `gate`, which asks a person. */
interface Names {
  readonly nodes: readonly string[];
  readonly channels: readonly string[];
}

const PLAIN: Names = { nodes: [], channels: ["x"] };

describeAnyTarget("the graph that a thread belongs to", (target) => {
  let saver: PostgresSaver;
  /** Which graphs have run a node. */
  let ran: string[] = [];

  beforeAll(async () => {
    const options = { metadataFromConfig: ["graph_id", "country"] };
    saver = new PostgresSaver((await target.sharedDatabase()).source, undefined, options);
  });
  afterAll(() => saver.end());

  function graphWith(name: string, { nodes, channels }: Names) {
    const State = Annotation.Root(
      Object.fromEntries(["answer", ...channels].map((channel) => [channel, Annotation<unknown>()])),
    );
    const all = [...nodes, "gate"];
    const graph = new StateGraph<typeof State, typeof State.State, typeof State.Update, string>(State);
    for (const node of all) {
      graph.addNode(node, () => {
        ran.push(name);
        return node === "gate" ? { answer: interrupt("May I?") } : {};
      });
    }
    for (const [index, node] of all.entries()) graph.addEdge(all[index - 1] ?? START, node);
    return graph.compile({ checkpointer: saver });
  }

  /** Runs a graph until it asks, with the same value in each channel. */
  async function asked(
    names: Names,
    metadata: Readonly<Record<string, string>> = {},
    value: unknown = 1,
  ): Promise<string> {
    const threadId = newThread();
    const input = Object.fromEntries(names.channels.map((channel) => [channel, value]));
    await graphWith("writer", names).invoke(input, { ...threadConfig(threadId), metadata });
    ran = [];
    return threadId;
  }

  const callsWith = (options: Partial<InspectorOptions>): InspectorCalls =>
    new InspectorCalls(saver, { write: true, ...options });

  type Act = "answer" | "continue" | "replay" | "checkUpdate" | "updateState";

  /** Acts by a graph, and returns the answer as text. */
  async function act(calls: InspectorCalls, threadId: string, graph: string, kind: Act): Promise<string> {
    const { checkpointId = "", questions } = await calls.read("openThread", { threadId });
    const place = { threadId, checkpointId, graph };
    if (kind === "checkUpdate" || kind === "updateState")
      return (await calls.post(kind, { ...place, values: { x: 2 }, node: "gate" })).text();
    const answers = kind === "answer" ? [{ key: questions[0]?.key, value: "yes" }] : undefined;
    return (await calls.postTo("/run", { ...place, kind, answers })).text();
  }

  const subset = (...names: string[]) => fc.subarray(names);
  const names = fc.record({ nodes: subset("a", "b"), channels: subset("x", "y") });

  it("is the only one that an action runs, whatever two graphs have in common", async () => {
    const owner = fc.constantFrom("the application", "the metadata", "nobody");
    const kind = fc.constantFrom<Act>("answer", "continue", "replay", "checkUpdate", "updateState");
    const law = fc.asyncProperty(names, names, owner, kind, async (writer, other, says, action) => {
      const graphs = { writer: graphWith("writer", writer), other: graphWith("other", other) };
      const threadId = await asked(writer, says === "the metadata" ? { graph_id: "writer" } : {});
      const calls = callsWith({ graphs, ...(says === "the application" && { graphOf: () => "writer" }) });
      const hasAll = (["nodes", "channels"] as const).every((part) =>
        writer[part].every((name) => other[part].includes(name)),
      );
      const mayBeOther = says === "nobody" && hasAll;
      const bound = await calls.read("openThread", { threadId });
      expect(bound.graph).toBe(mayBeOther ? undefined : "writer");
      expect(bound.graphs.map(({ name }) => name)).toEqual(mayBeOther ? ["writer", "other"] : ["writer"]);
      const before = await listIds(saver.list(threadConfig(threadId)));
      const text = await act(calls, threadId, "other", action);
      expect(text.includes('"WRONG_GRAPH"')).toBe(!mayBeOther);
      if (mayBeOther) return;
      expect(ran).toEqual([]);
      expect(await listIds(saver.list(threadConfig(threadId)))).toEqual(before);
      expect(await act(calls, threadId, "writer", action)).not.toContain('"error"');
    });
    await fc.assert(law, runs(12));
  });

  it("is asked for with the metadata of the newest checkpoint, which also decides about factories", async () => {
    const threadId = await asked(PLAIN, { country: "france" });
    const graph = graphWith("agent", PLAIN);
    const only =
      (country: string) =>
      ({ metadata }: { readonly metadata: Readonly<Record<string, unknown>> }) =>
        metadata.country === country ? graph : undefined;
    const graphs = { germany: graph, france: graph };
    const told = callsWith({ graphs, graphOf: ({ metadata }) => String(metadata.country) });
    expect(await told.read("openThread", { threadId })).toMatchObject({
      graph: "france",
      reason: 'The thread belongs to "france": the application says so.',
    });
    // Nobody else's graph is made, so that none can fail here.
    const germany = () => Promise.reject(new Error("germany is closed"));
    const alone = callsWith({ graphs: { germany, france: graph }, graphOf: () => "france" });
    expect(await alone.read("openThread", { threadId })).toMatchObject({ graph: "france" });
    const made = callsWith({ graphs: { germany: only("germany"), france: only("france") } });
    expect(await made.read("openThread", { threadId })).toMatchObject({ graph: "france" });
    expect(await act(made, threadId, "germany", "answer")).toContain('"WRONG_GRAPH"');
    expect(
      await callsWith({ graphs: { germany: only("germany") } }).read("openThread", { threadId }),
    ).toMatchObject({
      graphs: [],
      reason: "The inspector has no graph for this thread.",
    });
  });

  it("can't be one that the inspector does not have, and no other one runs instead", async () => {
    const threadId = await asked(PLAIN, { graph_id: "elsewhere" });
    const calls = callsWith({ graphs: { agent: graphWith("agent", PLAIN) } });
    const { graphs, graph, reason } = await calls.read("openThread", { threadId });
    expect({ graphs, graph }).toEqual({ graphs: [], graph: undefined });
    expect(reason).toContain('belongs to "elsewhere": it is the graph_id in the metadata');
    expect(await act(calls, threadId, "agent", "answer")).toContain("The inspector has no such graph");
    expect(ran).toEqual([]);
  });

  it("must have the nodes that are next and the channels that have a value, whoever names it", async () => {
    const threadId = await asked({ nodes: [], channels: ["x", "iban"] }, {}, "DE".repeat(5_000));
    const other = new StateGraph(Annotation.Root({ x: Annotation<unknown>() }))
      .addNode("start", () => ({}))
      .addEdge(START, "start")
      .compile({ checkpointer: saver });
    const calls = callsWith({ graphs: { other }, graphOf: () => "other" });
    for (const kind of ["answer", "replay", "updateState"] as const) {
      expect(JSON.parse(await act(calls, threadId, "other", kind))).toEqual({
        error: {
          code: "WRONG_GRAPH",
          message: expect.stringContaining('"other" has no node "gate", no channel "iban"'),
        },
      });
    }
  });

  it("is left to a person where an earlier version of a graph may have written the thread", async () => {
    const threadId = await asked({ nodes: ["old"], channels: ["x"] });
    const calls = callsWith({ graphs: { agent: graphWith("agent", { nodes: ["new"], channels: ["x"] }) } });
    const { graphs, graph, reason } = await calls.read("openThread", { threadId });
    expect([graphs.map(({ name }) => name), graph]).toEqual([["agent"], undefined]);
    expect(reason).toContain('"agent" has no node "old"');
    expect(await act(calls, threadId, "agent", "answer")).toContain('{"kind":"ended"}');
  });

  it("is told by what ran on another branch, and within subgraphs", async () => {
    const withInner = (name: string) => {
      const inner = new StateGraph(Annotation.Root({ x: Annotation<unknown>() }))
        .addNode(name, () => ({ x: interrupt("May I?") }))
        .addEdge(START, name)
        .compile();
      return new StateGraph(Annotation.Root({ x: Annotation<unknown>() }))
        .addNode("team", inner)
        .addEdge(START, "team")
        .compile({ checkpointer: saver });
    };
    const graphs = { france: withInner("virement"), germany: withInner("ueberweisung") };
    const inner = newThread();
    await graphs.germany.invoke({ x: 1 }, threadConfig(inner));
    expect(await callsWith({ graphs }).read("openThread", { threadId: inner })).toMatchObject({
      graph: "germany",
    });

    // Of several runs of a subgraph, the latest tells.
    for (const [first, last] of [
      ["germany", "france"],
      ["france", "germany"],
    ] as const) {
      const again = newThread();
      await graphs[first].invoke({ x: 1 }, threadConfig(again));
      await graphs[last].invoke({ x: 2 }, threadConfig(again));
      expect(await callsWith({ graphs }).read("openThread", { threadId: again })).toMatchObject({
        graph: last,
      });
    }

    const branched = await asked({ nodes: ["a"], channels: ["x"] });
    const [, , first = ""] = await listIds(saver.list(threadConfig(branched)));
    const both = {
      other: graphWith("other", PLAIN),
      writer: graphWith("writer", { nodes: ["a"], channels: ["x"] }),
    };
    // The newest branch begins before the node has run, and does not name it.
    await both.other.updateState(threadConfig(branched, { checkpoint_id: first }), { x: 3 }, "gate");
    expect(await callsWith({ graphs: both }).read("openThread", { threadId: branched })).toMatchObject({
      graph: "writer",
    });
  });

  const CHANNELS = ["c1", "c2", "c3", "c4", "c5", "c6", "c7"];
  const lacksChannels = (count: number) =>
    CHANNELS.slice(0, count)
      .map((channel) => `no channel "${channel}"`)
      .join(", ");
  const AGENT = { agent: PLAIN };

  it.each<
    [
      what: string,
      written: Names,
      graphs: Record<string, Names>,
      options: Partial<InspectorOptions>,
      reason: string,
    ]
  >([
    ["there is one", PLAIN, AGENT, {}, '"agent" has the nodes and channels of this thread.'],
    [
      "only one fits",
      { ...PLAIN, channels: ["c1"] },
      { ...AGENT, other: { nodes: [], channels: ["c1"] } },
      {},
      'Of the inspector’s graphs, only "other" has the nodes and channels of this thread.',
    ],
    [
      "several fit",
      PLAIN,
      { ...AGENT, other: PLAIN, more: { ...PLAIN, channels: [] } },
      {},
      'Nothing stored tells which of these graphs wrote the thread: "agent", "other" have its nodes and channels.',
    ],
    [
      "none can have written it",
      { nodes: [], channels: CHANNELS },
      { ...AGENT, other: { nodes: [], channels: ["c6", "c7"] } },
      {},
      `No graph of the inspector can have written what is stored here: "agent" has ${lacksChannels(5)} and 2 more; "other" has ${lacksChannels(5)}.`,
    ],
    [
      "none has all of its history",
      { ...PLAIN, nodes: ["old"] },
      AGENT,
      {},
      'No graph has all that the history of this thread names: "agent" has no node "old". Choose one only if an earlier version of it wrote the thread.',
    ],
    [
      "it is named and lacks something",
      { nodes: [], channels: ["c1"] },
      { ...AGENT, other: PLAIN },
      { graphOf: () => "other" },
      'The thread belongs to "other": the application says so. But "other" has no channel "c1", which the thread needs here.',
    ],
    [
      "it is named and is not there",
      PLAIN,
      AGENT,
      { graphOf: () => "other" },
      'The thread belongs to "other": the application says so. The inspector has no such graph for this thread.',
    ],
    [
      "the application does not know",
      PLAIN,
      AGENT,
      { graphOf: () => undefined },
      '"agent" has the nodes and channels of this thread.',
    ],
  ])("is told with the reason where %s", async (_, written, graphs, options, reason) => {
    const threadId = await asked(written, { graph_id: "" });
    const made = Object.fromEntries(Object.entries(graphs).map(([name, of]) => [name, graphWith(name, of)]));
    const open = await callsWith({ graphs: made, ...options }).read("openThread", { threadId });
    expect(open.reason).toBe(reason);
    for (const { name, nodes } of open.graphs)
      expect(nodes).toEqual([...(graphs[name]?.nodes ?? []), "gate"]);
  });

  it("is none where there are no graphs, or the thread has no root graph", async () => {
    const threadId = await asked(PLAIN);
    expect(await callsWith({}).read("openThread", { threadId })).toMatchObject({
      ...{ graphs: [], reason: "The inspector has no graphs." },
    });
    const calls = callsWith({ graphs: { agent: graphWith("agent", PLAIN) } });
    expect(await calls.read("openThread", { threadId: newThread() })).toEqual({
      ...{ status: "done", next: [], questions: [], errors: [] },
      ...{ graphs: [], reason: "The thread has no checkpoint of a root graph." },
    });
  });
});
