import type { RunnableConfig } from "@langchain/core/runnables";
import { HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import type { CheckpointSaver } from "../../src/index.js";
import { createChatGraph, createDeltaChatGraph, earlierConversation, questionOf } from "./chat-graphs.js";
import type { Clock } from "./clock.js";
import { createDocumentGraph } from "./document-graph.js";
import { createJourneyGraph } from "./journey-graph.js";
import { createReportGraph } from "./report-graph.js";
import { createResearchGraph } from "./research-graph.js";
import { createSupportAgent } from "./support-agent.js";
import { createValuesGraph } from "./values-graph.js";

/** What a scene plays with. */
export interface Stage {
  readonly saver: CheckpointSaver;
  readonly clock: Clock;
}

/** What happens in a thread. */
export interface Scene {
  readonly threadId: string;
  /** When it begins: how many minutes before the end of the history. */
  readonly minutesAgo: number;
  readonly play: (stage: Stage, threadId: string) => Promise<void>;
}

const HOUR = 60;
const DAY = 24 * HOUR;
const COMPLAINT = "I got only one blue cup of the two in my order";

/** The scenes, the oldest first. */
export const SCENES: readonly Scene[] = [
  { threadId: "values-of-every-kind", minutesAgo: 21 * DAY, play: keepEveryKind },
  { threadId: "chat-with-ada", minutesAgo: 6 * DAY, play: chatForLong },
  { threadId: "delta-chat", minutesAgo: 5 * DAY, play: chatInDeltas },
  { threadId: "document-7", minutesAgo: 3 * DAY, play: writeDocument },
  { threadId: "research/cities", minutesAgo: DAY + 2 * HOUR, play: research },
  { threadId: "order-4711", minutesAgo: 7 * HOUR, play: answerInterrupt },
  { threadId: "journey-of-bob", minutesAgo: 3 * HOUR, play: askWhatIf },
  { threadId: "nightly-report", minutesAgo: 55, play: fail },
  { threadId: "order-4712", minutesAgo: 4, play: waitForAnswer },
  { threadId: "order-4713", minutesAgo: 2, play: waitForFrance },
];

/** What the option `metadataFromConfig` of the saver has to be, so that the metadata of a run are stored. */
export const STORED_METADATA = ["run_id", "user", "channel", "graph_id"];

/** A run as a service would start it: the metadata tell whose it is, and which one. */
function runOf(threadId: string, run: number, user = "ada"): RunnableConfig & { durability: "sync" } {
  return {
    configurable: { thread_id: threadId },
    metadata: { user, channel: "web", run_id: `${threadId}-run-${run}` },
    durability: "sync",
  };
}

/** What a run goes on from, with the metadata of another run. */
function runFrom({ configurable }: RunnableConfig, run: number): RunnableConfig & { durability: "sync" } {
  const { configurable: named, ...others } = runOf(String(configurable?.thread_id), run, "bob");
  return { ...others, configurable: { ...named, ...configurable } };
}

async function keepEveryKind({ saver }: Stage, threadId: string): Promise<void> {
  await createValuesGraph(saver).invoke({ number: 1 }, runOf(threadId, 1));
}

async function chatForLong({ saver, clock }: Stage, threadId: string): Promise<void> {
  const chat = createChatGraph(saver, clock);
  await chat.updateState(runOf(threadId, 0), { messages: earlierConversation(190) }, "answer");
  for (let turn = 191; turn <= 200; turn++) {
    clock.now += 5 * 60_000;
    await chat.invoke({ messages: [questionOf(turn)] }, runOf(threadId, turn));
  }
}

async function chatInDeltas({ saver, clock }: Stage, threadId: string): Promise<void> {
  const chat = createDeltaChatGraph(saver, clock);
  for (let turn = 1; turn <= 6; turn++) {
    clock.now += 60_000;
    await chat.invoke({ messages: [questionOf(turn)] }, runOf(threadId, turn, "bob"));
  }
}

async function writeDocument({ saver, clock }: Stage, threadId: string): Promise<void> {
  await createDocumentGraph(saver, clock, 12).invoke({ document: "", chapters: 0 }, runOf(threadId, 1));
  await saver.compact({ threads: [threadId] });
}

async function research({ saver, clock }: Stage, threadId: string): Promise<void> {
  const question = "What makes a city good for walking";
  await createResearchGraph(saver, clock).invoke({ question }, runOf(threadId, 1));
}

async function waitForAnswer({ saver, clock }: Stage, threadId: string): Promise<void> {
  const agent = createSupportAgent(saver, clock);
  const order = threadId.replace("order-", "");
  await agent.invoke({ messages: [new HumanMessage(`${COMPLAINT} ${order}.`)] }, runOf(threadId, 1));
}

/** The metadata tell the inspector that the thread belongs to this agent, whose nodes are those of the other one. */
async function waitForFrance({ saver, clock }: Stage, threadId: string): Promise<void> {
  const config = runOf(threadId, 1, "chloe");
  const metadata = { ...config.metadata, graph_id: "support-france" };
  const question = new HumanMessage(`${COMPLAINT} 4713.`);
  await createSupportAgent(saver, clock).invoke({ messages: [question] }, { ...config, metadata });
}

async function answerInterrupt(stage: Stage, threadId: string): Promise<void> {
  await waitForAnswer(stage, threadId);
  stage.clock.now += 20 * 60_000;
  const agent = createSupportAgent(stage.saver, stage.clock);
  await agent.invoke(new Command({ resume: "yes" }), runOf(threadId, 2));
}

async function fail({ saver, clock }: Stage, threadId: string): Promise<void> {
  const report = createReportGraph(saver, clock);
  await report.invoke({ region: "south" }, runOf(threadId, 1)).then(
    () => Promise.reject(new Error("the report should have failed")),
    () => undefined,
  );
}

/** Plans a journey, asks three times what if, and takes the thread back to the first plan. */
async function askWhatIf({ saver, clock }: Stage, threadId: string): Promise<void> {
  const journey = createJourneyGraph(saver, clock);
  await journey.invoke({ city: "Lisbon", days: 3 }, runOf(threadId, 1, "bob"));
  const [first, , chosen] = await checkpointsOf(saver, threadId);
  if (first === undefined || chosen === undefined) throw new Error("the journey has too few steps");
  const whatIfs = [{ city: "Oslo" }, { days: 5 }, { city: "Kyoto", days: 6 }];
  for (const [at, values] of whatIfs.entries()) {
    clock.now += 10 * 60_000;
    await journey.invoke(null, runFrom(await saver.fork(chosen, { values }), at + 2));
  }
  clock.now += 15 * 60_000;
  await saver.rollback(threadId, String(first.configurable?.checkpoint_id));
}

/** The configs of the checkpoints of a thread, the newest first. */
async function checkpointsOf(saver: CheckpointSaver, threadId: string): Promise<RunnableConfig[]> {
  const configs: RunnableConfig[] = [];
  for await (const { config } of saver.list({ configurable: { thread_id: threadId } })) configs.push(config);
  return configs;
}
