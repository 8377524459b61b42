import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { tool } from "@langchain/core/tools";
import { Annotation, Command, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { PostgresSaver } from "../../src/index.js";
import type { Decision, RunRequest } from "../../src/inspector/api/runs.js";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  asked: Annotation<unknown>,
  answers: Annotation<unknown[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

const send = tool(() => "sent", {
  name: "send",
  description: "Sends a mail",
  schema: z.object({ to: z.string().describe("The receiver"), copies: z.number().optional() }),
});

const ARGS = { to: "bob" };
const DEFAULT = "Tool execution requires approval\n\nTool: send\nArgs: ";

function reviewOf(description: string, argsSchema?: object): object {
  return {
    actionRequests: [{ name: "send", args: ARGS, description }],
    reviewConfigs: [
      {
        actionName: "send",
        allowedDecisions: ["approve", "edit", "reject"],
        ...(argsSchema !== undefined && { argsSchema }),
      },
    ],
  };
}

describeAnyTarget("what a question says of its calls, and the story of the answers", (target) => {
  let saver: PostgresSaver;
  let calls: InspectorCalls;

  function graphOf(checkpointer: PostgresSaver) {
    const ask = ({ asked }: typeof State.State) => ({ answers: [interrupt<unknown, unknown>(asked)] });
    return new StateGraph(State)
      .addNode("ask", ask)
      .addNode("also", ({ asked }) => (asked === "both?" ? ask({ asked } as typeof State.State) : {}))
      .addNode("tools", new ToolNode([send]))
      .addEdge(START, "ask")
      .addEdge(START, "also")
      .addConditionalEdges("ask", () => "__end__", ["tools", "__end__"])
      .compile({ checkpointer });
  }

  beforeAll(async () => {
    const { source } = await target.sharedDatabase();
    saver = new PostgresSaver(source, undefined, { metadataFromConfig: ["answered_by"] });
    calls = new InspectorCalls(saver, {
      authorize: () => ({ user: "ada" }),
      graphs: { agent: graphOf(saver) },
    });
  });
  afterAll(() => saver.end());

  async function asking(asked: unknown): Promise<string> {
    const threadId = newThread();
    await graphOf(saver).invoke({ asked }, threadConfig(threadId));
    return threadId;
  }

  async function answer(threadId: string, given: { value: unknown } | { decisions: Decision[] }) {
    const { checkpointId = "", questions } = await calls.read("openThread", { threadId });
    const answers = [{ key: questions[0]?.key ?? "", ...given }];
    const request: RunRequest = { threadId, graph: "agent", checkpointId, kind: "answer", answers };
    expect(await (await calls.postTo("/run", request)).text()).toContain('"kind":"ended"');
  }

  it.each([
    ["JavaScript", `${DEFAULT}${JSON.stringify(ARGS, null, 2)}`, undefined],
    ["Python", `${DEFAULT}{'to': 'bob'}`, undefined],
    ["a prefix of the application", `Mail\n\nTool: send\nArgs: ${JSON.stringify(ARGS, null, 2)}`, "Mail"],
    ["other arguments", `${DEFAULT}{"to": "eve"}`, `${DEFAULT}{"to": "eve"}`],
    ["an own description", "Customers read it.", "Customers read it."],
  ])("does not repeat the arguments by the description of LangChain: %s", async (_what, description, own) => {
    const threadId = await asking(reviewOf(description));
    const { questions } = await calls.read("openThread", { threadId });
    const [question] = questions;
    expect(question?.text).toBe(own ?? "The agent asks before it calls send.");
    expect(question?.form).toMatchObject({ kind: "decisions", rejectionStopsAll: true });
    const [action] = question?.form.kind === "decisions" ? question.form.actions : [];
    expect(action?.description).toBe(own);
  });

  it("has the schema of the arguments: that of the question, or else that of the graph’s tool", async () => {
    const schemaOf = async (asked: object): Promise<unknown> => {
      const { questions } = await calls.read("openThread", { threadId: await asking(asked) });
      const form = questions[0]?.form;
      return form?.kind === "decisions" ? form.actions[0]?.schema : undefined;
    };
    const own = { type: "object", properties: { to: { type: "string", enum: ["bob", "eve"] } } };
    expect(await schemaOf(reviewOf("", own))).toEqual(own);
    expect(await schemaOf(reviewOf(""))).toMatchObject({
      properties: { to: { type: "string", description: "The receiver" }, copies: { type: "number" } },
      required: ["to"],
    });
  });

  it.each([
    ["a text", "?", { value: "certainly" }, "certainly"],
    ["a value", "?", { value: { days: 2 } }, '{"days":2}'],
    ["an approval", reviewOf(""), { decisions: [{ type: "approve" }] }, "approved send"],
    [
      "an edit",
      reviewOf(""),
      { decisions: [{ type: "edit", args: { to: "eve" } }] },
      'edited send to {"to":"eve"}',
    ],
    [
      "a rejection",
      reviewOf(""),
      { decisions: [{ type: "reject", message: "too late" }] },
      "rejected send: “too late”",
    ],
    [
      "decisions of the Agent Inbox",
      [
        { action_request: { action: "send", args: ARGS }, config: { allow_edit: true } },
        { action_request: { action: "pay", args: {} }, config: { allow_respond: true } },
        { action_request: { action: "log", args: {} }, config: { allow_ignore: true } },
      ],
      {
        decisions: [
          { type: "edit", args: { to: "eve" } },
          { type: "respond", message: "later" },
          { type: "reject" },
        ],
      },
      'edited send to {"to":"eve"}; answered pay: “later”; rejected log',
    ],
  ] as const)("tells what was answered, and by whom: %s", async (_what, asked, given, told) => {
    const threadId = await asking(asked);
    await answer(threadId, "value" in given ? given : { decisions: [...given.decisions] });
    const { steps } = await calls.read("story", { threadId, namespace: "" });
    const step = steps.find(({ ran }) => ran?.tasks.some(({ node }) => node === "ask"));
    expect(step?.answeredBy).toBe("ada");
    expect(step?.ran?.tasks.find(({ node }) => node === "ask")?.questions[0]?.answer).toBe(told);
  });

  it("tells which question was answered with what, where several tasks ask, and nothing before a task has gone on", async () => {
    const threadId = await asking("both?");
    const answersIn = async (): Promise<unknown> => {
      const { steps } = await calls.read("story", { threadId, namespace: "" });
      const told = steps.map(({ ran, open }) => ran ?? open);
      const task = told.find((each) => each?.tasks.some(({ node }) => node === "ask"));
      return Object.fromEntries(task?.tasks.map(({ node, questions }) => [node, questions[0]?.answer]) ?? []);
    };
    expect(await answersIn()).toEqual({ ask: undefined, also: undefined });
    const { tasks } = await graphOf(saver).getState(threadConfig(threadId));
    const resume = Object.fromEntries(
      tasks.map(({ name, interrupts }) => [interrupts[0]?.id ?? "", `to ${name}`]),
    );
    await graphOf(saver).invoke(new Command({ resume }), threadConfig(threadId));
    expect(await answersIn()).toEqual({ ask: "to ask", also: "to also" });
  });

  it("tells what a task of a subgraph was answered, also where the graph around it asked", async () => {
    const inner = new StateGraph(State)
      .addNode("approve", ({ asked }) => ({ answers: [interrupt<unknown, unknown>(asked)] }))
      .addEdge(START, "approve")
      .compile();
    const graph = new StateGraph(State)
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .compile({ checkpointer: saver });
    const threadId = newThread();
    await graph.invoke({ asked: reviewOf("") }, threadConfig(threadId));
    const resume = { decisions: [{ type: "approve" }] };
    await graph.invoke(new Command({ resume }), threadConfig(threadId));
    const { namespaces } = await calls.read("thread", { threadId });
    expect(namespaces).toHaveLength(2);
    for (const { namespace } of namespaces) {
      const { steps } = await calls.read("story", { threadId, namespace });
      const [question] = steps[0]?.ran?.tasks[0]?.questions ?? [];
      expect(question?.answer).toBe("approved send");
      // Nobody has said who it was.
      expect(steps[0]?.answeredBy).toBeUndefined();
    }
  });
});
