import type { RunnableConfig } from "@langchain/core/runnables";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  DeltaChannel,
  interrupt,
  messagesStateReducer,
  START,
  StateGraph,
} from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

const append = (log: string[], more: string[]): string[] => [...log, ...more];

const Log = Annotation<string[]>({ reducer: append, default: () => [] });

const Inner = Annotation.Root({ log: Log, answers: Annotation<Map<string, Date>> });

const State = Annotation.Root({
  log: Log,
  answers: Annotation<Map<string, Date>>,
  delta: new DeltaChannel<string[], string[]>((log, writes) => [...log, ...writes.flat()], {
    snapshotFrequency: 3,
  }),
  messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
});

/** An agent with a channel of each kind, and a subgraph that asks a question. */
function agent(checkpointer: BaseCheckpointSaver) {
  const inner = new StateGraph(Inner)
    .addNode("prepare", () => ({ log: ["prepare"] }))
    .addNode("ask", () => {
      const answer = interrupt<string, string>("Go on?");
      return { log: [`answer: ${answer}`], answers: new Map([[answer, new Date(0)]]) };
    })
    .addEdge(START, "prepare")
    .addEdge("prepare", "ask")
    .compile();
  return new StateGraph(State)
    .addNode("plan", ({ messages }) => ({
      log: ["plan"],
      delta: [`turn ${messages.length}`],
      messages: [new AIMessage({ id: `reply ${messages.length}`, content: "I have a plan." })],
    }))
    .addNode("inner", inner)
    .addNode("close", () => ({ log: ["close"], delta: ["closed"] }))
    .addEdge(START, "plan")
    .addEdge("plan", "inner")
    .addEdge("inner", "close")
    .compile({ checkpointer });
}

/** Runs a turn until the question. */
export async function startTurn(checkpointer: BaseCheckpointSaver, config: RunnableConfig): Promise<void> {
  await agent(checkpointer).invoke({ messages: [new HumanMessage("Hello")] }, config);
}

/** Answers the question of a thread, and returns what the agent has done since its begin. */
export async function answerTurn(
  checkpointer: BaseCheckpointSaver,
  config: RunnableConfig,
  answer: string,
): Promise<{
  readonly log: readonly string[];
  readonly delta: readonly string[];
  readonly messages: number;
}> {
  const state = await agent(checkpointer).invoke(new Command({ resume: answer }), config);
  return { log: state.log, delta: state.delta, messages: state.messages.length };
}
