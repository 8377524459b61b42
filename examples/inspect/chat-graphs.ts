import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import {
  Annotation,
  DeltaChannel,
  type Messages,
  messagesDeltaReducer,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import type { CheckpointSaver } from "../../src/index.js";
import { ScriptedChatModel } from "../demo/scripted-chat-model.js";
import type { Clock } from "./clock.js";

const TOPICS = ["the weather", "a recipe", "the night train", "a book", "the garden", "an old song", "chess"];
const ANSWERS = [
  "It depends on the day.\n\n- In the morning: yes\n- In the evening: better not",
  "I would take the slower one. `slow` is *more fun* than `fast`.",
  "That is a long story, and it begins in winter.",
  "Two of them are enough; three are a crowd.",
];

/** The question of a turn. */
export function questionOf(turn: number): HumanMessage {
  const content = `Question ${turn}: what do you think about ${TOPICS[turn % TOPICS.length] ?? ""}?`;
  return new HumanMessage({ id: `question-${turn}`, content });
}

/** A conversation that was led elsewhere. */
export function earlierConversation(turns: number): BaseMessage[] {
  const start = new SystemMessage({ id: "system", content: "You are a patient friend. Answer briefly." });
  const spoken = Array.from({ length: turns }, (_, turn) => [questionOf(turn + 1), answerOf(turn + 1)]);
  return [start, ...spoken.flat()];
}

/** A chat without tools. */
export function createChatGraph(checkpointer: CheckpointSaver, clock: Clock) {
  const model = chatModel(clock);
  return new StateGraph(MessagesAnnotation)
    .addNode("answer", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addEdge(START, "answer")
    .compile({ checkpointer });
}

/** A chat whose messages are in a delta channel: most checkpoints store only what is new. */
export function createDeltaChatGraph(checkpointer: CheckpointSaver, clock: Clock) {
  const model = chatModel(clock);
  const State = Annotation.Root({
    messages: new DeltaChannel<BaseMessage[], Messages>(messagesDeltaReducer, { snapshotFrequency: 8 }),
  });
  return new StateGraph(State)
    .addNode("answer", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addEdge(START, "answer")
    .compile({ checkpointer });
}

function chatModel(clock: Clock): ScriptedChatModel {
  return new ScriptedChatModel((conversation) => {
    clock.now += 2_500;
    return answerOf(conversation.filter(({ type }) => type === "human").length);
  });
}

function answerOf(turn: number): AIMessage {
  return new AIMessage({ id: `answer-${turn}`, content: ANSWERS[turn % ANSWERS.length] ?? "" });
}
