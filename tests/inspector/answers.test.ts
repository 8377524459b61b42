import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Annotation, interrupt, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { ConnectionError, PostgresSaver } from "../../src/index.js";
import type { Answer, RunEvent, RunRequest } from "../../src/inspector/api/runs.js";
import type { InspectorAudit } from "../../src/inspector/index.js";
import { collect, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const State = Annotation.Root({
  asked: Annotation<unknown>,
  answers: Annotation<unknown[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

describeAnyTarget("answers of a person in the inspector", (target) => {
  let saver: PostgresSaver;
  let calls: InspectorCalls;
  let audits: InspectorAudit[];
  /** How often the graph fails before it goes on. */
  let failures = 0;
  /** Lets a run that waits here go on. */
  let held: Promise<void> = Promise.resolve();

  function askingGraph() {
    return new StateGraph(State)
      .addNode("ask", ({ asked }) => {
        const first: unknown = interrupt(asked);
        const second: unknown = first === "again" ? interrupt(asked) : undefined;
        return { answers: second === undefined ? [first] : [first, second] };
      })
      .addNode("act", async () => {
        await held;
        if (failures-- > 0) throw new RangeError("not today");
        return { answers: ["acted"] };
      })
      .addEdge(START, "ask")
      .addEdge("ask", "act")
      .compile({ checkpointer: saver });
  }

  beforeAll(async () => {
    saver = new PostgresSaver((await target.sharedDatabase()).source);
    calls = new InspectorCalls(saver, {
      authorize: () => ({ user: "ada" }),
      audit: (event) => {
        audits.push(event);
      },
      graphs: {
        agent: askingGraph(),
        other: ({ threadId }) => askingGraph().withConfig({ tags: [threadId] }),
      },
    });
    audits = [];
  });
  afterAll(() => saver.end());

  async function asking(asked: unknown): Promise<string> {
    const threadId = newThread();
    await askingGraph().invoke({ asked }, threadConfig(threadId));
    return threadId;
  }

  async function requestFor(threadId: string, answer: object): Promise<RunRequest> {
    const { checkpointId = "", questions } = await calls.read("openThread", { threadId });
    const key = questions[0]?.key ?? "";
    const answers = [{ key, ...answer }] as Answer[];
    return { threadId, graph: "agent", checkpointId, kind: "answer", answers };
  }

  /** Runs to the end, and returns what the run has reported. */
  async function run(request: RunRequest): Promise<RunEvent[]> {
    const response = await calls.postTo("/run", request);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => JSON.parse(json) as RunEvent);
  }

  const answersOf = async (threadId: string): Promise<unknown> =>
    (await saver.getTuple(threadConfig(threadId)))?.checkpoint.channel_values.answers;

  it("let the graph go on, with what the person said", async () => {
    const threadId = await asking({ question: "May I?" });
    const open = await calls.read("openThread", { threadId });
    expect(open).toMatchObject({
      status: "interrupted",
      next: ["ask"],
      questions: [{ node: "ask", text: "May I?", form: { kind: "free" } }],
      graphs: [{ name: "agent" }, { name: "other" }],
    });
    audits = [];
    const events = await run(await requestFor(threadId, { value: { yes: true } }));
    expect(events.map((event) => ("node" in event ? `${event.kind} ${event.node}` : event.kind))).toEqual([
      ...["started", "node ask", "node act", "ended"],
    ]);
    expect(await answersOf(threadId)).toEqual([{ yes: true }, "acted"]);
    expect(await calls.read("openThread", { threadId })).toMatchObject({ status: "done", questions: [] });
    const { steps } = await calls.read("story", { threadId, namespace: "" });
    expect(steps.map(({ ran }) => ran?.tasks.map(({ node }) => node))).toEqual([
      ...[["act"], ["ask"], ["__start__"], undefined],
    ]);
    expect(audits.map(({ user, action, operation, phase }) => [user, action, operation, phase])).toEqual([
      ["ada", "answer", "run", "begins"],
      ["ada", "answer", "run", "done"],
    ]);
  });

  it.each([
    [
      "LangChain's for JavaScript",
      {
        actionRequests: [
          { name: "send", args: { to: "bob" }, description: "Send it?" },
          { name: "pay", args: { euros: 1 } },
        ],
        reviewConfigs: [{ actionName: "send", allowedDecisions: ["approve", "edit"] }],
      },
      {
        decisions: [
          { type: "edit", editedAction: { name: "send", args: { to: "eve" } } },
          { type: "reject", message: "too much" },
        ],
      },
    ],
    [
      "LangChain's for Python",
      {
        action_requests: [
          { name: "send", args: { to: "bob" } },
          { name: "pay", args: { euros: 1 } },
        ],
        review_configs: [{ action_name: "pay", allowed_decisions: ["reject"] }],
      },
      {
        decisions: [
          { type: "edit", edited_action: { name: "send", args: { to: "eve" } } },
          { type: "reject", message: "too much" },
        ],
      },
    ],
    [
      "the Agent Inbox's",
      [
        { action_request: { action: "send", args: {} }, config: { allow_edit: true } },
        { action_request: { action: "pay", args: {} }, config: { allow_ignore: true } },
      ],
      [
        { type: "edit", args: { action: "send", args: { to: "eve" } } },
        { type: "ignore", args: null },
      ],
    ],
  ])("are decisions in the shape that the question has: %s", async (_name, asked, expected) => {
    const threadId = await asking(asked);
    const decisions = [
      { type: "edit", args: { to: "eve" } },
      { type: "reject", message: "too much" },
    ];
    await run(await requestFor(threadId, { decisions }));
    expect(await answersOf(threadId)).toEqual([expected, "acted"]);
  });

  it("are refused where the question does not allow the decision", async () => {
    const action = { action_request: { action: "send", args: {} }, config: { allow_edit: true } };
    const threadId = await asking(action);
    const request = await requestFor(threadId, { decisions: [{ type: "approve" }] });
    await expect(run(request)).rejects.toThrow("must have one of the allowed decisions for each action");
    // Neither as the value that the decision stands for.
    const value = [{ type: "accept", args: null }];
    await expect(run(await requestFor(threadId, { value }))).rejects.toThrow("must be decisions");
    // Also where there are more actions than anybody reviews.
    const many = await asking(Array.from({ length: 300 }, () => action));
    await expect(run(await requestFor(many, { value }))).rejects.toThrow("must be decisions");
    expect(await answersOf(threadId)).toBeUndefined();
  });

  it("must fit the schema that the graph has given", async () => {
    const schema = z.object({ days: z.int().min(1) });
    const graph = new StateGraph(State)
      .addNode("ask", () => ({ answers: [interrupt("How long?", { responseSchema: schema })] }))
      .addEdge(START, "ask")
      .compile({ checkpointer: saver });
    const threadId = newThread();
    await graph.invoke({ asked: "" }, threadConfig(threadId));
    const { questions } = await calls.read("openThread", { threadId });
    expect(questions[0]?.form).toMatchObject({ kind: "schema", schema: { properties: { days: {} } } });
    await expect(run(await requestFor(threadId, { value: { days: 0 } }))).rejects.toThrow("answer.days");
  });

  it("reach the graph as they were given where a schema takes long: by nested references, or by patterns", async () => {
    const $defs: Record<string, object> = { d0: { type: "string" } };
    for (let at = 1; at <= 30; at++)
      $defs[`d${at}`] = { anyOf: Array(2).fill({ $ref: `#/$defs/d${at - 1}` }) };
    const type = "object" as const;
    const schemas = [
      { $defs, type, properties: { a: { $ref: "#/$defs/d30" } } },
      { type, properties: { a: { type: "string" as const, pattern: "^(a+)+$" } } },
    ];
    for (const responseSchema of schemas) {
      const graph = new StateGraph(State)
        .addNode("ask", () => ({ answers: [interrupt("Which?", { responseSchema })] }))
        .addEdge(START, "ask")
        .compile({ checkpointer: saver });
      const threadId = newThread();
      await graph.invoke({ asked: "" }, threadConfig(threadId));
      const answering = new InspectorCalls(saver, { graphs: { agent: graph } });
      const value = { a: `${"a".repeat(40)}!` };
      const request = await requestFor(threadId, { value });
      expect(await (await answering.postTo("/run", request)).text()).toContain('"kind":"ended"');
      expect(await answersOf(threadId)).toEqual([value]);
    }
  });

  it("are for as many questions of a write as can be answered at once", async () => {
    const threadId = newThread();
    const { config } = await putValues(saver, threadConfig(threadId), { "branch:to:ask": null });
    const asked = Array.from({ length: 120 }, (_, at) => ({ id: `${at}`, value: "?" }));
    await saver.putWrites(config, [["__interrupt__", asked]], "1");
    const { questions } = await calls.read("openThread", { threadId });
    expect(new Set(questions.map(({ key }) => key)).size).toBe(100);
  });

  it("have one winner where two people answer at once, and the other one is told", async () => {
    const threadId = await asking("again?");
    const [mine, theirs] = await Promise.all(
      ["mine", "theirs"].map((value) => requestFor(threadId, { value })),
    );
    if (mine === undefined || theirs === undefined) throw new Error("there are two");
    const results = await Promise.allSettled([run(mine), run(theirs)]);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const [lost] = results.flatMap((result) => (result.status === "rejected" ? String(result.reason) : []));
    expect(lost).toContain('"ALREADY_ANSWERED"');
    expect(await answersOf(threadId)).toHaveLength(2);
    // Also afterwards, where the same node has asked the same again.
    const asksAgain = await asking("again?");
    const [first, second] = await Promise.all(
      ["again", "late"].map((value) => requestFor(asksAgain, { value })),
    );
    if (first === undefined || second === undefined) throw new Error("there are two");
    await run(first);
    await expect(run(second)).rejects.toThrow("somebody else has answered");
    expect(await calls.read("openThread", { threadId: asksAgain })).toMatchObject({ status: "interrupted" });
  });

  it("repeat what failed, and say what fails again", async () => {
    const threadId = await asking("?");
    failures = 2;
    const failed = { kind: "failed", message: "RangeError: not today" };
    expect((await run(await requestFor(threadId, { value: "yes" }))).at(-1)).toEqual(failed);
    const open = await calls.read("openThread", { threadId });
    expect(open).toMatchObject({
      status: "failed",
      errors: [{ node: "act", text: "RangeError: not today" }],
    });
    const again = {
      threadId,
      graph: "other",
      checkpointId: open.checkpointId ?? "",
      kind: "continue",
    } as const;
    expect((await run(again)).at(-1)).toEqual(failed);
    expect((await run(again)).at(-1)).toEqual({ kind: "ended" });
    expect(await answersOf(threadId)).toEqual(["yes", "acted"]);
    await expect(run(again)).rejects.toThrow("has gone on");
  });

  it("say nothing that a driver or a server has said", async () => {
    const threadId = await asking("?");
    const { checkpointId = "" } = await calls.read("openThread", { threadId });
    const cause = Object.assign(new Error("role svc_user at db.internal"), { code: "28000" });
    for (const [error, expected] of [
      [
        new ConnectionError("svc_user at db.internal", { cause }),
        /^ConnectionError: no connection to the database/,
      ],
      [cause, /^Error of a driver or a server: see the log/],
    ] as const) {
      const agent = {
        ...{ nodes: { ask: {} }, checkpointer: saver },
        stream: () => Promise.reject(error),
        updateState: () => Promise.reject(error),
      };
      const failing = new InspectorCalls(saver, { graphs: { agent }, write: true });
      const place = { threadId, checkpointId, graph: "agent" };
      const text = await (await failing.postTo("/run", { ...place, kind: "continue" })).text();
      const [, message = ""] = /"kind":"failed","message":"(.*)"/.exec(text) ?? [];
      expect(message).toMatch(expected);
      const update = await (await failing.post("updateState", { ...place, values: {} })).text();
      expect(text + update).not.toMatch(/svc_user|db\.internal/);
    }
  });

  it("go on from any checkpoint, on a branch of its own", async () => {
    const threadId = await asking("?");
    const { checkpointId = "" } = await calls.read("openThread", { threadId });
    await run(await requestFor(threadId, { value: "yes" }));
    await run({ threadId, graph: "agent", checkpointId, kind: "replay" });
    expect(await calls.read("openThread", { threadId })).toMatchObject({ status: "interrupted" });
  });

  it("go on when the page goes away", async () => {
    const threadId = await asking("?");
    let letGo = (): void => undefined;
    held = new Promise((resolve) => {
      letGo = resolve;
    });
    const response = await calls.postTo("/run", await requestFor(threadId, { value: "yes" }));
    await response.body?.cancel();
    letGo();
    // The lock of the thread is free when the run has ended.
    await saver.withThreadLock(threadId, () => Promise.resolve(), { waitMs: 30_000 });
    expect(await answersOf(threadId)).toEqual(["yes", "acted"]);
  });

  it("come with edits of the state, as a node makes them, which are shown before they are stored", async () => {
    const threadId = await asking("?");
    await run(await requestFor(threadId, { value: "yes" }));
    const { checkpointId = "" } = await calls.read("openThread", { threadId });
    const editing = new InspectorCalls(saver, { graphs: { agent: askingGraph() }, write: true });
    const update = { threadId, checkpointId, graph: "agent", node: "ask", values: { answers: ["edited"] } };
    expect(await editing.read("graphs", { threadId, checkpointId })).toEqual({
      graphs: [{ name: "agent", nodes: ["ask", "act"], channels: ["asked", "answers"] }],
      graph: "agent",
      reason: '"agent" has the nodes and channels of this thread.',
    });
    // Rows of a thread may come in any order, and the last line has a checksum of it.
    const stored = async () =>
      (await collect(saver.exportThreads({ threads: [threadId] }))).slice(0, -1).toSorted();
    const before = await stored();
    const checked = await editing.write("checkUpdate", update);
    expect(await stored()).toEqual(before);
    expect(checked.next).toEqual(["act"]);
    expect(checked.values.map(({ channel }) => channel)).toEqual(["answers", "branch:to:act"]);
    expect(checked.values.find(({ channel }) => channel === "answers")).toMatchObject({
      before: { text: '["yes", "acted"]' },
      after: { text: '["yes", "acted", "edited"]' },
    });
    const created = await editing.write("updateState", update);
    expect(await answersOf(threadId)).toEqual(["yes", "acted", "edited"]);
    expect(await calls.read("openThread", { threadId })).toMatchObject({
      status: "pending",
      next: ["act"],
      ...created,
    });
    const wrong = { ...update, node: "nobody" };
    expect(await editing.refusal("checkUpdate", wrong)).toEqual([422, "UPDATE_REFUSED"]);
    expect((await calls.post("updateState", update)).status).toBe(403);
  });

  it("are not possible without graphs, and not for whoever may not answer", async () => {
    const threadId = await asking("?");
    const request = await requestFor(threadId, { value: "yes" });
    const without = new InspectorCalls(saver, { write: true });
    expect((await without.postTo("/run", request)).status).toBe(403);
    expect(await without.read("openThread", { threadId })).toMatchObject({ graphs: [] });
    const runs = { answer: false, continue: false, replay: false, update: false };
    expect((await without.read("overview", {})).may).toEqual({
      ...runs,
      fork: true,
      edit: true,
      delete: true,
    });
    const graphs = { agent: askingGraph() };
    const refusing = new InspectorCalls(saver, { graphs, authorize: (_, { action }) => action === "read" });
    expect((await refusing.postTo("/run", request)).status).toBe(403);
    const foreign = { "sec-fetch-site": "cross-site" };
    expect((await calls.postTo("/run", request, foreign)).status).toBe(403);
    expect(await answersOf(threadId)).toBeUndefined();
  });

  it("need a graph that stores its checkpoints, and a thread that waits", async () => {
    const threadId = newThread();
    const { checkpoint } = await putValues(saver, threadConfig(threadId), { asked: "?" });
    const request = { threadId, graph: "agent", checkpointId: checkpoint.id, kind: "continue" } as const;
    await expect(run(request)).rejects.toThrow("has gone on");
    await expect(run({ ...request, graph: "none" })).rejects.toThrow("is no graph of the inspector");
    const stateless = new StateGraph(State)
      .addNode("ask", () => ({}))
      .addEdge(START, "ask")
      .compile();
    const lost = new InspectorCalls(saver, { graphs: { agent: stateless } });
    expect(await (await lost.postTo("/run", request)).text()).toContain("without a checkpointer");
  });
});
