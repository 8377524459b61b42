import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { AIMessage, type AIMessageFields, HumanMessage, ToolMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  interrupt,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { PostgresSaver } from "../../src/index.js";
import { EncryptedSerializer } from "../../src/serde/index.js";
import type { StoryPage, StoryQuery, StoryStep } from "../../src/inspector/api/story.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeEachTarget } from "../../test-support/targets.js";

const Log = Annotation.Root({
  log: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});
const says = (name: string) => () => ({ log: [name] });
/** A message of a model that has counted its tokens. */
function counted(fields: AIMessageFields, input: number, output: number): AIMessage {
  const tokens = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return Object.assign(new AIMessage(fields), { usage_metadata: tokens });
}

describeEachTarget("the story of a thread", (target) => {
  let saver: PostgresSaver;
  let calls: InspectorCalls;
  beforeEach(async () => {
    saver = new PostgresSaver((await target.sharedDatabase()).source);
    calls = new InspectorCalls(saver);
  });
  afterEach(() => saver.end());

  const storyOf = (threadId: string, more: Partial<StoryQuery> = {}) =>
    calls.read("story", { threadId, namespace: "", ...more });

  /** Asks, calls two tools of which one fails, and answers. */
  const agent = () =>
    new StateGraph(MessagesAnnotation)
      .addNode("model", ({ messages }) => ({
        messages:
          messages.length === 1
            ? counted(
                {
                  id: "a1",
                  content: "I look",
                  tool_calls: [
                    { id: "c1", name: "look", args: {} },
                    { id: "c2", name: "book", args: {} },
                  ],
                },
                10,
                3,
              )
            : counted({ id: "a2", content: "yes" }, 25, 7),
      }))
      .addNode("tools", () => ({
        messages: [
          new ToolMessage({ tool_call_id: "c1", name: "look", content: "blue" }),
          new ToolMessage({ tool_call_id: "c2", name: "book", content: "full", status: "error" }),
        ],
      }))
      .addEdge(START, "model")
      .addConditionalEdges("model", ({ messages }) => (messages.length === 2 ? "tools" : "__end__"))
      .addEdge("tools", "model")
      .compile({ checkpointer: saver });

  it("names the nodes of each step, their tools, tokens and messages, and finds these in the conversation", async () => {
    const thread = newThread();
    await agent().invoke({ messages: [new HumanMessage("yes")] }, threadConfig(thread));
    const { steps, hasMore } = await storyOf(thread);
    expect(hasMore).toBe(false);
    expect(steps.map((step) => [step.step, step.source, nodesOf(step), step.ran?.tokens, step.ran?.messageCount])).toEqual([
      [3, "loop", ["model"], { input: 25, output: 7 }, 1],
      [2, "loop", ["tools"], undefined, 2],
      [1, "loop", ["model"], { input: 10, output: 3 }, 1],
      [0, "loop", ["__start__"], undefined, 1],
      [-1, "input", [], undefined, undefined],
    ]); // oxfmt-ignore
    expect(steps.map(({ tookMs }) => tookMs)).toEqual([...Array.from({ length: 4 }, () => expect.any(Number)), undefined]);
    expect(steps[1]?.ran?.tools).toEqual([{ name: "look", outcome: "done" }, { name: "book", outcome: "failed" }]);
    expect(steps[2]?.ran?.tools.map(({ outcome }) => outcome)).toEqual(["called", "called"]);
    const place = { threadId: thread, namespace: "", checkpointId: steps[0]?.checkpointId ?? "", channel: "messages" };
    const positions = await Promise.all(steps.slice(0, 4).map(async ({ ran }, index) => {
      const followedBy = steps[index - 1]?.ran?.messages[0];
      return (await calls.read("findMessages", { ...place, messages: ran?.messages ?? [], followedBy })).positions;
    }));
    expect(positions).toEqual([[4], [2, 3], [1], [0]]);
    expect(await calls.read("findMessages", { ...place, messages: [{ role: "ai", id: "none" }] })).toEqual({ positions: [null] });
  }); // oxfmt-ignore

  it("tells a message that is written again by the step that wrote it first", async () => {
    const thread = newThread();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("a", () => ({ messages: [counted({ id: "a", content: "one" }, 1, 1)] }))
      .addNode("b", ({ messages }) => ({
        messages: [...messages, new AIMessage({ id: "b", content: "two" })],
      }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    await graph.invoke({ messages: [new HumanMessage({ id: "h", content: "hi" })] }, threadConfig(thread));
    const { steps } = await storyOf(thread);
    expect(steps.slice(0, 3).map(({ ran }) => [ran?.messages.map(({ id }) => id), ran?.tokens])).toEqual([
      [["b"], undefined],
      [["a"], { input: 1, output: 1 }],
      [["h"], undefined],
    ]);
  });

  it("tells messages that are alike apart, and what an edit added from what ran at the same checkpoint", async () => {
    const thread = newThread();
    const chat = new StateGraph(MessagesAnnotation)
      .addNode("chat", ({ messages }) => ({
        messages: new AIMessage({ id: `a${messages.length}`, content: "why?" }),
      }))
      .addEdge(START, "chat")
      .compile({ checkpointer: saver });
    for (let turn = 0; turn < 2; turn++)
      await chat.invoke({ messages: [new HumanMessage("yes")] }, threadConfig(thread));
    const { steps } = await storyOf(thread);
    const place = { ...placeOf(thread, steps[0]), channel: "messages" };
    const find = async (asked: number) => {
      const messages = steps[asked]?.ran?.messages ?? [];
      const followedBy = steps[asked - 1]?.ran?.messages[0];
      return (await calls.read("findMessages", { ...place, messages, followedBy })).positions;
    };
    expect([await find(1), await find(4)]).toEqual([[2], [0]]);
    await chat.updateState(threadConfig(thread), { messages: [new HumanMessage({ id: "edit", content: "no" })] }, "chat");
    const [edit, before] = (await storyOf(thread)).steps;
    expect(edit).toMatchObject({ source: "update", ran: { tasks: [], messages: [{ id: "edit" }] } });
    expect(before).toEqual({ ...steps[0], writes: before?.writes });
  }); // oxfmt-ignore

  it("tells why a thread failed, and that a task went on after it had failed", async () => {
    const thread = newThread();
    const problem = `no answer: ${"x".repeat(20_000)}`;
    let fails = true;
    const graph = new StateGraph(Log)
      .addNode("ask", () => {
        if (fails) throw new TypeError(problem);
        return { log: ["asked"] };
      })
      .addNode("other", says("other"))
      .addEdge(START, "ask")
      .addEdge(START, "other")
      .compile({ checkpointer: saver });
    await expect(graph.invoke({ log: [] }, threadConfig(thread))).rejects.toThrow("no answer");
    const [failed] = (await storyOf(thread)).steps;
    expect(failed?.open).toMatchObject({
      status: "failed",
      tasks: [{ node: "ask", isDone: false, error: { name: "TypeError", isCut: true } }, { node: "other", isDone: true }],
    }); // oxfmt-ignore
    const { text = "", taskId = "", idx = 0, path = [] } = failed?.open?.tasks[0]?.error ?? {};
    expect(problem.startsWith(text)).toBe(true);
    const place = { kind: "write", ...placeOf(thread, failed), taskId, idx } as const;
    const rest = await calls.read("text", { place, path, offset: text.length });
    expect(text + rest.text).toBe(problem.slice(0, text.length + rest.text.length));
    fails = false;
    await graph.invoke(null, threadConfig(thread));
    const [done] = (await storyOf(thread)).steps;
    expect(done).toMatchObject({ ran: { tasks: [{ node: "ask", isDone: true, error: { name: "TypeError" } }, { node: "other" }] } });
    expect(done?.open).toBeUndefined();
  }); // oxfmt-ignore

  it("tells that an agent of a swarm has handed over, and of no failure", async () => {
    const thread = newThread();
    const agentThat = (name: string, ends: () => object) =>
      new StateGraph(MessagesAnnotation)
        .addNode("work", ends)
        .addEdge(START, "work")
        .compile({ name });
    const handsOver = () => new Command({ graph: Command.PARENT, goto: "bob", update: { messages: [new AIMessage("Ask Bob.")] } });
    const swarm = new StateGraph(MessagesAnnotation)
      .addNode("alice", agentThat("alice", handsOver), { ends: ["bob"] })
      .addNode("bob", agentThat("bob", () => ({ messages: [new AIMessage("Done.")] })))
      .addEdge(START, "alice")
      .compile({ checkpointer: saver });
    await swarm.invoke({ messages: [new HumanMessage("hi")] }, threadConfig(thread));
    const { namespaces } = await calls.read("thread", { threadId: thread });
    const [, alice, bob] = namespaces;
    expect([alice, bob]).toMatchObject([{ status: "done", next: [], handedOver: true }, { status: "done" }]);
    expect(bob?.handedOver).toBeUndefined();
    const namespace = alice?.namespace ?? "";
    const [last] = (await storyOf(thread, { namespace })).steps;
    expect(last).toMatchObject({ failed: false, open: { status: "done", tasks: [{ node: "work", handedOver: true, isDone: true }] } });
    expect(last?.open?.tasks[0]?.error).toBeUndefined();
    const { steps } = await storyOf(thread);
    // Each agent writes the whole conversation, and has added its own message only.
    expect(steps.map(({ ran }) => ran?.messageCount)).toEqual([1, 1, 1, undefined]);
    const [, called] = steps;
    expect(called?.ran?.tasks).toMatchObject([{ node: "alice", leadsTo: ["bob"] }]);
    const history = await calls.read("history", { threadId: thread, namespace });
    expect(history.points.map(({ failed }) => failed)).toEqual([false, false]);
  }); // oxfmt-ignore

  it("tells what a person is asked, in a subgraph too, and that a step waited for the answer", async () => {
    const thread = newThread();
    const inner = new StateGraph(Log)
      .addNode("approve", () => ({
        log: [String(interrupt({ question: "Pay 24 €?", euros: 24 })), String(interrupt("Really?"))],
      }))
      .addEdge(START, "approve")
      .compile();
    const graph = new StateGraph(Log)
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .compile({ checkpointer: saver });
    const run = (id: string) => ({ ...threadConfig(thread), runId: id });
    await graph.invoke({ log: [] }, run("00000000-0000-4000-8000-000000000001"));
    const [asking] = (await storyOf(thread)).steps;
    const [task] = asking?.open?.tasks ?? [];
    expect(asking?.open).toMatchObject({ status: "interrupted", tasks: [{ node: "inner", isAnswered: false }] });
    expect(task?.questions).toMatchObject([{ text: "Pay 24 €?", details: '{"euros":24}', id: expect.any(String) }]);
    const namespace = `inner:${task?.taskIds[0]}`;
    const { namespaces } = await calls.read("thread", { threadId: thread });
    expect(namespaces.map((each) => each.namespace)).toEqual(["", namespace]);
    const inside = (await storyOf(thread, { namespace })).steps[0];
    expect(inside?.open?.tasks).toMatchObject([{ node: "approve", questions: [{ text: "Pay 24 €?" }] }]);
    await graph.invoke(new Command({ resume: "yes" }), threadConfig(thread));
    expect((await storyOf(thread)).steps[0]?.open?.tasks).toMatchObject([{ questions: [{ text: "Really?" }] }]);
    await graph.invoke(new Command({ resume: "yes" }), threadConfig(thread));
    const [answered] = (await storyOf(thread)).steps;
    expect(answered).toMatchObject({ waitedFor: "person", ran: { tasks: [{ node: "inner", isDone: true, isAnswered: true, questions: [{ text: "Really?" }] }] } });
  }); // oxfmt-ignore

  it("tells Sends, edits, forks and branches, whichever page they are on", async () => {
    const thread = newThread();
    const graph = new StateGraph(Log)
      .addNode("plan", says("plan"))
      .addNode("work", says("work"))
      .addNode("sum", says("sum"))
      .addEdge(START, "plan")
      .addConditionalEdges("plan", () => [1, 2, 3].map((n) => new Send("work", { log: [String(n)] })), [
        "work",
      ])
      .addEdge("work", "sum")
      .compile({ checkpointer: saver });
    await graph.invoke({ log: [] }, threadConfig(thread));
    const planned = (await storyOf(thread)).steps[2];
    await graph.invoke(null, threadConfig(thread, { checkpoint_id: planned?.checkpointId }));
    await graph.updateState(threadConfig(thread), { log: ["edited"] }, "sum");
    const whole = await storyOf(thread);
    expect(whole.steps.map((step) => [step.source, nodesOf(step).join()])).toEqual([
      ["update", ""],
      ["loop", "sum"],
      ["loop", "work,work,work"],
      ["fork", ""],
      ["loop", "sum"],
      ["loop", "work,work,work"],
      ["loop", "plan"],
      ["loop", "__start__"],
      ["input", ""],
    ]);
    const paged: StoryStep[] = [];
    for (let page: StoryPage = { steps: [], hasMore: true }; page.hasMore;) {
      page = await storyOf(thread, { limit: 2, before: paged.at(-1)?.checkpointId });
      paged.push(...page.steps);
    }
    expect(paged.map((step) => [step.checkpointId, nodesOf(step)])).toEqual(
      whole.steps.map((step) => [step.checkpointId, nodesOf(step)]),
    );
  });

  it("names the nodes of what is left after a prune, by what they have seen", async () => {
    const thread = newThread();
    await agent().invoke({ messages: [new HumanMessage("yes")] }, threadConfig(thread));
    await saver.prune({ threads: [thread], keepLast: 1 });
    const { steps } = await storyOf(thread);
    expect(steps).toMatchObject([{ step: 3, ran: { tasks: [{ node: "model" }], isPartial: true } }]);
  });

  it("reads the nodes of LangGraph 0.x from the metadata", async () => {
    const thread = newThread();
    const { checkpoint } = await putValues(saver, threadConfig(thread), { log: [] });
    await (
      await target.sharedDatabase()
    ).exec(`update checkpoints set metadata = metadata || '{"writes": {"old": {"log": ["x"]}}}' where thread_id = '${thread}'`);
    const { steps } = await storyOf(thread);
    expect(steps).toMatchObject([{ checkpointId: checkpoint.id, ran: { tasks: [{ node: "old" }] } }]);
  }); // oxfmt-ignore

  it("tells what it can where values are encrypted with another key", async () => {
    const thread = newThread();
    const { source } = await target.sharedDatabase();
    const secret = new PostgresSaver(source, EncryptedSerializer.fromAesKey("k".repeat(32)));
    const graph = new StateGraph(Log)
      .addNode("ask", () => ({ log: [String(interrupt("secret?"))] }))
      .addEdge(START, "ask")
      .compile({ checkpointer: secret });
    await graph.invoke({ log: ["a"] }, threadConfig(thread));
    await secret.end();
    const { steps } = await storyOf(thread);
    expect(steps.map(nodesOf)).toEqual([["__start__"], []]);
    expect(steps[0]).toMatchObject({ ran: { isPartial: true }, open: { status: "interrupted", tasks: [{ node: "ask", questions: [{ text: expect.stringContaining("not read") }] }] } });
  }); // oxfmt-ignore

  it("leaves long values unread, and bounds what it reads of a page", async () => {
    const thread = newThread();
    const long = (id: string) => new AIMessage({ id, content: "x".repeat(250_000) });
    const { config } = await putValues(saver, threadConfig(thread), { messages: [] });
    await saver.putWrites(config, Array.from({ length: 30 }, (_, n) => ["messages", long(`m${n}`)]), "t", "~__pregel_pull, agent"); // oxfmt-ignore
    const [step] = (await storyOf(thread)).steps;
    expect(step?.open).toMatchObject({ isPartial: true, messageCount: 16, tasks: [{ node: "agent" }] });
  });

  it("refuses bad arguments", async () => {
    for (const args of [{ threadId: "t" }, { threadId: "t", namespace: "", limit: 201 }])
      expect(await calls.refusal("story", args)).toEqual([400, "INVALID_CONFIG"]);
    const place = { threadId: "t", namespace: "", checkpointId: "c", channel: "messages" };
    for (const messages of [[{ role: "king" }], Array.from({ length: 51 }, () => ({ role: "ai" }))])
      expect(await calls.refusal("findMessages", { ...place, messages })).toEqual([400, "INVALID_CONFIG"]);
    expect(await storyOf("none")).toEqual({ steps: [], hasMore: false });
  });
});

function nodesOf({ ran }: StoryStep): (string | undefined)[] {
  return ran?.tasks.map(({ node }) => node) ?? [];
}

function placeOf(threadId: string, step: StoryStep | undefined) {
  return { threadId, namespace: "", checkpointId: step?.checkpointId ?? "" };
}
