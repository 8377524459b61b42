import {
  AIMessage,
  type AIMessageFields,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from "@langchain/core/messages";
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  DeltaChannel,
  entrypoint,
  interrupt,
  messagesStateReducer,
  Send,
  START,
  StateGraph,
  task,
} from "@langchain/langgraph";

/** The nodes and tasks that ran in this process, in order. */
export const runs: string[] = [];

/** The nodes that fail. */
export const broken = new Set<string>();

function step<Result>(name: string, result: Result): Result {
  runs.push(name);
  if (broken.has(name)) throw new Error(`${name} is broken`);
  return result;
}

const TalkState = Annotation.Root({
  messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
  baggage: Annotation<Record<string, unknown>>,
  count: Annotation<number>,
  ratio: Annotation<number>,
  whole: Annotation<number>,
  note: Annotation<string>,
  flag: Annotation<boolean>,
  nothing: Annotation<null>,
  huge: Annotation<bigint>,
  points: Annotation<unknown[]>,
  price: Annotation<string>,
  token: Annotation<string>,
  mood: Annotation<string>,
  when: Annotation<Date>,
  labels: Annotation<Set<string>>,
});

type Talk = typeof TalkState.State;

function lookUp({ messages, count }: Talk): typeof TalkState.Update {
  const n = messages.length;
  const call = { name: "search", args: { n }, id: `call-${n}`, type: "tool_call" as const };
  const usage_metadata = { input_tokens: n, output_tokens: 1, total_tokens: n + 1 };
  const response_metadata = { model: "m" };
  const fields: AIMessageFields = { content: "", id: `ai-${n}`, tool_calls: [call], response_metadata };
  // The type of the fields has no usage, though the class has.
  const answer = new AIMessage(Object.assign(fields, { usage_metadata }));
  const tool = new ToolMessage({
    content: "found",
    id: `tool-${n}`,
    tool_call_id: call.id,
    name: "search",
    artifact: { raw: n },
  });
  return step("look_up", { messages: [answer, tool], count: ((count as number | undefined) ?? 0) + 1 });
}

/** Writes the values that it read. */
function carry(state: Talk): typeof TalkState.Update {
  const { baggage, points } = state as Partial<Talk>;
  return step("carry", {
    ...(baggage && { baggage }),
    points: [...(points ?? []), { x: state.messages.length, y: 1 }],
  });
}

function ask({ messages }: Talk): typeof TalkState.Update {
  const answer = String(interrupt({ question: "more?", point: { x: 1, y: 2 } }));
  return step("ask", { messages: [new HumanMessage({ content: answer, id: `human-${messages.length}` })] });
}

/** A conversation that ends each run with an interrupt. */
export function talk(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(TalkState)
    .addNode("look_up", lookUp)
    .addNode("carry", carry)
    .addNode("ask", ask)
    .addEdge(START, "look_up")
    .addEdge("look_up", "carry")
    .addEdge("carry", "ask")
    .compile({ checkpointer });
}

const LogState = Annotation.Root({
  log: Annotation<string[]>({ reducer: (current, added) => [...current, ...added], default: () => [] }),
});

function says(name: string): () => { log: string[] } {
  return () => step(name, { log: [name] });
}

/** Two nodes in one super-step, either of which may be broken, and a node that waits for both. */
export function parallel(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(LogState)
    .addNode("left", says("left"))
    .addNode("right", says("right"))
    .addNode("join", says("join"))
    .addEdge(START, "left")
    .addEdge(START, "right")
    .addEdge(["left", "right"], "join")
    .compile({ checkpointer });
}

interface Task {
  readonly item: number;
  readonly point: { readonly x: number };
}

/** A node that sends tasks, and an interrupt before they run in the other language. */
export function fanOut(checkpointer: BaseCheckpointSaver) {
  const sends = [0, 1, 2].map((item) => new Send("work", { item, point: { x: item, y: 2 } }));
  return new StateGraph(LogState)
    .addNode("split", () => step("split", new Command({ update: { log: ["split"] }, goto: sends })), {
      ends: ["work"],
    })
    .addNode("work", ({ item, point }: Task) => step("work", { log: [`work ${item} at ${point.x}`] }))
    .addEdge(START, "split")
    .compile({ checkpointer, interruptAfter: ["split"] });
}

const NestedState = Annotation.Root({ ...LogState.spec, own: Annotation<{ x: number; y: number }> });

/** A graph with a subgraph that interrupts. */
export function nested(checkpointer: BaseCheckpointSaver) {
  const inner = new StateGraph(NestedState)
    .addNode("prepare", () => step("prepare", { log: ["prepare"], own: { x: 1, y: 2 } }))
    .addNode("ask", ({ own }) => step("ask", { log: [`ask: ${String(interrupt("ask?"))} at ${own.x}`] }))
    .addEdge(START, "prepare")
    .addEdge("prepare", "ask")
    .compile();
  return new StateGraph(LogState)
    .addNode("inner", inner)
    .addNode("after", says("after"))
    .addEdge(START, "inner")
    .addEdge("inner", "after")
    .compile({ checkpointer });
}

/** A graph with a subgraph in which two nodes interrupt in one super-step. */
export function panel(checkpointer: BaseCheckpointSaver) {
  const asks = (name: string) => () => step(name, { log: [`${name}: ${String(interrupt(`${name}?`))}`] });
  const inner = new StateGraph(LogState)
    .addNode("left", asks("left"))
    .addNode("right", asks("right"))
    .addEdge(START, "left")
    .addEdge(START, "right")
    .compile();
  return new StateGraph(LogState)
    .addNode("inner", inner)
    .addNode("after", says("after"))
    .addEdge(START, "inner")
    .addEdge("inner", "after")
    .compile({ checkpointer });
}

/** A node with two interrupts in sequence. */
export function form(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(LogState)
    .addNode("fill", () => step("fill", { log: [`${String(interrupt("1?"))}, ${String(interrupt("2?"))}`] }))
    .addEdge(START, "fill")
    .compile({ checkpointer });
}

/** A workflow of the functional API with a task that finishes, and then an interrupt. */
export function workflow(checkpointer: BaseCheckpointSaver) {
  const search = task("search", (topic: string) => step("search", `about ${topic}`));
  return entrypoint({ name: "workflow", checkpointer }, async (topic: string) => {
    const found = await search(topic);
    const answer = String(interrupt({ found }));
    return step("workflow", { found, answer });
  });
}

/** A workflow whose task interrupts. */
export function interview(checkpointer: BaseCheckpointSaver) {
  const ask = task("ask", (question: string) => step("ask", String(interrupt(question))));
  return entrypoint({ name: "interview", checkpointer }, async (question: string) =>
    step("interview", { answer: await ask(question) }),
  );
}

/** A graph with deferred nodes behind a plain edge and behind an edge from two nodes, and an interrupt midway. */
export function deferred(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(LogState)
    .addNode("first", says("first"))
    .addNode("second", says("second"))
    .addNode("joined", says("joined"), { defer: true })
    .addNode("last", says("last"), { defer: true })
    .addEdge(START, "first")
    .addEdge("first", "second")
    .addEdge("first", "last")
    .addEdge(["first", "second"], "joined")
    .compile({ checkpointer, interruptBefore: ["second"] });
}

function append(current: string[], writes: string[][]): string[] {
  return [...current, ...writes.flat()];
}

const DeltaState = Annotation.Root({
  delta: new DeltaChannel<string[], string[]>(append, { snapshotFrequency: 3 }),
  plain: Annotation<string[]>({ reducer: (current, added) => [...current, ...added], default: () => [] }),
});

function both(marker: string): { delta: string[]; plain: string[] } {
  return { delta: [marker], plain: [marker] };
}

/** Writes every marker to a delta channel and to a plain channel, which must have the same value. */
export function deltas(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(DeltaState)
    .addNode("reply", ({ plain }) => step("reply", both(`reply ${plain.length}`)))
    .addNode("close", () => step("close", both("close")))
    .addEdge(START, "reply")
    .addEdge("reply", "close")
    .compile({ checkpointer });
}

/** Three nodes in one super-step that write to a delta channel and to a plain channel. */
export function sideBySide(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(DeltaState)
    .addNode("left", () => step("left", both("left")))
    .addNode("middle", () => step("middle", both("middle")))
    .addNode("right", () => step("right", both("right")))
    .addEdge(START, "left")
    .addEdge(START, "middle")
    .addEdge(START, "right")
    .compile({ checkpointer });
}
