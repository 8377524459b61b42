import { expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, END, interrupt, MessagesAnnotation, Send, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import type { PostgresSaver } from "../../src/index.js";
import { besidePython } from "./beside-python.js";
import { describePythonAgents } from "./python-graphs.js";
import { configOf } from "./two-languages.js";

/** How an agent runs. */
interface Options {
  readonly say?: string;
  readonly resume?: unknown;
  /** The nodes that it stops before. */
  readonly before?: readonly string[];
  /** Whether a person is asked before a tool runs. */
  readonly asks?: boolean;
  /** How an agent of LangChain.js hands calls to its tools: `v2`, its default, sends each call by itself. */
  readonly version?: "v1" | "v2";
}

const Outcome = z.object({
  /** The receivers of the mails that were sent. */
  sent: z.array(z.string()),
  failed: z.string().nullable(),
  next: z.array(z.string()),
  questions: z.array(z.array(z.string())),
  /** The content of the last message. */
  last: z.string(),
});
const Snapshot = z.object({
  next: z.array(z.string()),
  tasks: z.array(z.object({ interrupts: z.array(z.object({ value: z.record(z.string(), z.unknown()) })) })),
  values: z.object({ messages: z.array(z.object({ text: z.string() })) }),
});
type Outcome = z.infer<typeof Outcome>;

type State = typeof MessagesAnnotation.State;

const ENDED = { failed: null, next: [], questions: [], last: "done" };
const sent: string[] = [];

const sendMail = tool(
  ({ to }) => {
    sent.push(to);
    return `sent ${to}`;
  },
  { name: "send_mail", description: "Sends a mail.", schema: z.object({ to: z.string() }) },
);

/** Asks to send so many mails, and then answers. */
function model({ messages }: State) {
  const last = messages.at(-1);
  const count = last?.type === "human" ? Number(last.text) : 0;
  const tool_calls = Array.from({ length: count }, (_, nth) => ({
    ...{ name: "send_mail", args: { to: String(nth) } },
    ...{ id: `${messages.length}-${nth}`, type: "tool_call" as const },
  }));
  return { messages: [new AIMessage({ content: count > 0 ? "" : "done", tool_calls })] };
}

/** A graph with the nodes of LangChain.js's `createAgent`, and with what it sends between them. */
function createAgent(saver: PostgresSaver, { asks = false, version = "v2" }: Options) {
  const route = (state: State) => {
    const last = state.messages.at(-1);
    const calls = last instanceof AIMessage ? (last.tool_calls ?? []) : [];
    if (calls.length === 0) return END;
    return version === "v1"
      ? "tools"
      : calls.map((call) => new Send("tools", { ...state, lg_tool_call: call }));
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model_request", model)
    .addNode("HumanInTheLoopMiddleware.after_model", () => {
      interrupt({ actionRequests: [], reviewConfigs: [] });
      return {};
    })
    .addNode("tools", new ToolNode([sendMail]))
    .addEdge(START, "model_request")
    .addEdge("tools", "model_request");
  if (asks) {
    const needsAnswer = (state: State) =>
      route(state) === END ? END : "HumanInTheLoopMiddleware.after_model";
    graph
      .addConditionalEdges("model_request", needsAnswer)
      .addConditionalEdges("HumanInTheLoopMiddleware.after_model", route);
  } else graph.addConditionalEdges("model_request", route);
  return graph.compile({ checkpointer: saver });
}

await describePythonAgents("an agent of LangChain", (target, start) => {
  const shared = besidePython(target, start);

  const there = async (thread: string, options: Options = {}): Promise<Outcome> =>
    Outcome.parse(await shared.python.do("run", { thread, ...options }));

  async function here(thread: string, options: Options = {}): Promise<Outcome> {
    sent.length = 0;
    const agent = createAgent(shared.saver, options);
    const { say, resume, before = [] } = options;
    const input = say === undefined ? null : { messages: [new HumanMessage(say)] };
    const failed = await agent
      .invoke(resume === undefined ? input : new Command({ resume }), {
        ...configOf(thread),
        // The names of nodes, which the type of the graph has as literals.
        interruptBefore: before.includes("tools") ? ["tools"] : before.length > 0 ? ["model_request"] : [],
      })
      .then(
        () => null,
        (error: unknown) => String(error),
      );
    const { next, tasks, values } = Snapshot.parse(await agent.getState(configOf(thread)));
    const questions = tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => Object.keys(value)));
    return {
      sent: [...sent].sort(),
      failed,
      next: [...next],
      questions,
      last: values.messages.at(-1)?.text ?? "",
    };
  }

  it.each(["1", "2"])("goes on with the next turn in the other language, with %s calls", async (say) => {
    const mails = say === "1" ? ["0"] : ["0", "1"];
    for (const run of [there, here, there])
      expect(await run(`turns ${say}`, { say })).toEqual({ ...ENDED, sent: mails });
  });

  it.each<[string, typeof there, typeof there]>([
    ["Python, answered in TypeScript", there, here],
    ["TypeScript, answered in Python", here, there],
  ])("can be asked before its tools run: by %s", async (thread, ask, answer) => {
    const keys = ask === there ? ["action_requests", "review_configs"] : ["actionRequests", "reviewConfigs"];
    expect(await ask(thread, { say: "2", asks: true })).toMatchObject({ sent: [], questions: [keys] });
    const decisions = [{ type: "approve" }, { type: "approve" }];
    expect(await answer(thread, { resume: { decisions }, asks: true })).toEqual({
      ...ENDED,
      sent: ["0", "1"],
    });
  });

  it.each(["1", "2"])("of Python that stopped before %s calls goes on in Python alone", async (say) => {
    const thread = `before tools, there ${say}`;
    await there(thread, { say, before: ["tools"] });
    expect(await here(thread)).toMatchObject({
      sent: [],
      failed: expect.stringMatching(/ToolNode only accepts|Multiple errors/),
    });
    expect(await there(thread)).toEqual({ ...ENDED, sent: say === "1" ? ["0"] : ["0", "1"] });
  });

  it("of TypeScript that stopped before one call goes on in either language", async () => {
    await here("before one call", { say: "1", before: ["tools"] });
    expect(await there("before one call")).toEqual({ ...ENDED, sent: ["0"] });
  });

  it("of TypeScript that stopped before several calls goes on in Python with version v1", async () => {
    await here("before calls, v1", { say: "2", before: ["tools"], version: "v1" });
    expect(await there("before calls, v1")).toEqual({ ...ENDED, sent: ["0", "1"] });
  });

  it("of TypeScript that stopped before several calls sends no mail twice: with version v2 Python refuses it", async () => {
    await here("before calls, v2", { say: "2", before: ["tools"] });
    const refused = { sent: [], failed: "KeyError('tool_call')", next: ["tools", "tools"] };
    expect(await there("before calls, v2")).toMatchObject(refused);
    expect(await here("before calls, v2")).toEqual({ ...ENDED, sent: ["0", "1"] });
  });

  it.each<[string, typeof there, typeof there, string]>([
    ["Python", there, here, "model"],
    ["TypeScript", here, there, "model_request"],
  ])(
    "of %s that stopped before its model has no next node in the other language",
    async (language, stop, go, node) => {
      const thread = `before model, ${language}`;
      expect(await stop(thread, { say: "0", before: [node] })).toMatchObject({ next: [node], last: "0" });
      expect(await go(thread)).toMatchObject({ failed: null, next: [], last: "0" });
      expect(await stop(thread)).toEqual({ ...ENDED, sent: [] });
    },
  );
});
