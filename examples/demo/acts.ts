import { setTimeout as pause } from "node:timers/promises";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { PostgresSaver } from "../../src/index.js";
import type { ActName } from "./act-orders.js";
import type { Journal } from "./journal.js";
import { announce, say } from "./narrator.js";
import { questionOf } from "./thread-node.js";
import { createTripAgent } from "./trip-agent.js";
import { REQUEST } from "./trip-script.js";

/** The saver, the thread and the journal of an act. */
export interface Stage {
  readonly saver: PostgresSaver;
  readonly threadId: string;
  readonly journal: Journal;
}

/** The acts, in their order. Each runs in its own process. */
export const ACTS: Record<ActName, (stage: Stage) => Promise<void>> = { begin, resume, answer, fork };

async function begin(stage: Stage): Promise<void> {
  announce("1  An agent starts to work, and is killed", process.pid);
  await stage.saver.setup();
  const agent = createTripAgent(stage.saver, {
    journal: stage.journal,
    inReserveRoom: async () => {
      const { checkpoint } = await waitForPendingWrite(stage);
      stage.journal.append("stored", checkpoint.id);
      process.kill(process.pid, "SIGKILL");
    },
  });
  say("person", `“${REQUEST}”`, "green");
  await agent.invoke({ messages: [new HumanMessage(REQUEST)] }, runConfig(stage));
  throw new Error("The agent finished its run, but should have been killed in the middle");
}

async function resume(stage: Stage): Promise<void> {
  announce("2  Another process continues where that one stopped", process.pid);
  const agent = createAgent(stage);
  const { tasks } = await agent.getState(runConfig(stage));
  const results = pendingToolMessages(await latest(stage)).map(({ name }) => name ?? "?");
  say(
    "found",
    `a step with ${tasks.length} tasks, and the stored write of one of them: ${results.join(", ")}`,
  );
  await agent.invoke(null, runConfig(stage));
  await sayQuestion(stage, "the process ends, the question stays");
}

async function answer(stage: Stage): Promise<void> {
  announce("3  A person answers", process.pid);
  say("person", "“yes”", "green");
  const { messages } = await createAgent(stage).invoke(new Command({ resume: "yes" }), runConfig(stage));
  stage.journal.append("answered", messages.at(-1)?.text ?? "");
}

async function fork(stage: Stage): Promise<void> {
  announce("4  What if the answer were no? The thread is forked at the question", process.pid);
  const agent = createAgent(stage);
  const { config } = await checkpointThatAsked(stage);
  await agent.invoke(null, { ...runConfig(stage), ...config });
  await sayQuestion(stage, "on the new branch");
  say("person", "“no”", "green");
  const { messages } = await agent.invoke(new Command({ resume: "no" }), runConfig(stage));
  stage.journal.append("answered", messages.at(-1)?.text ?? "");
}

async function sayQuestion(stage: Stage, remark: string): Promise<void> {
  const question = questionOf(await latest(stage));
  if (question === undefined) throw new Error("The agent did not wait for an answer");
  say("waits", `“${question}”, ${remark}`, "yellow");
}

function createAgent({ saver, journal }: Stage) {
  return createTripAgent(saver, { journal, inReserveRoom: () => Promise.resolve() });
}

// With "sync" a checkpoint is stored before the next step begins, so that the killed step can be resumed from it.
function runConfig({ threadId }: Stage) {
  return { configurable: { thread_id: threadId }, durability: "sync" as const };
}

/** Waits until the database has the write of the other task of this step. */
async function waitForPendingWrite(stage: Stage): Promise<CheckpointTuple> {
  for (;;) {
    const tuple = await latest(stage);
    if (pendingToolMessages(tuple).length > 0) return tuple;
    await pause(5);
  }
}

function pendingToolMessages({ pendingWrites = [] }: CheckpointTuple): ToolMessage[] {
  return pendingWrites
    .flatMap(([, channel, value]) => (channel === "messages" ? value : []))
    .filter((value) => ToolMessage.isInstance(value));
}

async function latest({ saver, threadId }: Stage): Promise<CheckpointTuple> {
  const tuple = await saver.getTuple({ configurable: { thread_id: threadId } });
  if (tuple === undefined) throw new Error(`Thread ${threadId} has no checkpoint`);
  return tuple;
}

async function checkpointThatAsked({ saver, threadId }: Stage): Promise<CheckpointTuple> {
  for await (const tuple of saver.list({ configurable: { thread_id: threadId } })) {
    if (questionOf(tuple) !== undefined) return tuple;
  }
  throw new Error(`No checkpoint of thread ${threadId} waited for an answer`);
}
