import { randomBytes } from "node:crypto";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "../../src/index.js";
import type { ActName, ActOrders } from "./act-orders.js";
import { type Claim, checkClaims } from "./claims.js";
import { drawThread } from "./draw-thread.js";
import { Journal, type JournalEntry } from "./journal.js";
import { announce, paint, say } from "./narrator.js";
import { type ActEnd, runAct } from "./run-act.js";
import { threadNodes } from "./thread-node.js";

/** Options of the demo. */
export interface PlayOptions {
  readonly url: string;
  readonly schema: string;
  /** The file in which the processes log what they did. */
  readonly journal: string;
  /** Whether the thread is kept in the database. */
  readonly keep: boolean;
}

/**
 * Runs the acts of the demo on a new thread, draws the thread, and checks the claims of the demo.
 *
 * @throws Error that names the act that failed, or the claims that are not true.
 */
export async function play({ url, schema, journal, keep }: PlayOptions): Promise<void> {
  const threadId = `trip-${randomBytes(3).toString("hex")}`;
  const orders = { url, schema, threadId, journal };
  say("thread", `${threadId}, in the schema ${schema}`);
  const ends = {
    begin: await killedAct({ ...orders, act: "begin" }),
    resume: await finishedAct({ ...orders, act: "resume" }),
    answer: await finishedAct({ ...orders, act: "answer" }),
    fork: await finishedAct({ ...orders, act: "fork" }),
  };
  await using saver = PostgresSaver.fromConnString(url, { schema });
  const tuples = await readThread(saver, threadId);
  conclude({ ends, tuples, journal: new Journal(journal).read() });
  if (keep) say("kept", `the thread ${threadId}`);
  else await saver.deleteThread(threadId);
}

async function killedAct(orders: ActOrders): Promise<ActEnd> {
  const end = await runAct(orders);
  if (end.signal !== "SIGKILL")
    throw new Error(`Act "${orders.act}" should have been killed, but ${outcome(end)}`);
  say(
    "SIGKILL",
    "reserve_train had finished, reserve_room had not: only the stored checkpoints and writes are left",
    "red",
  );
  return end;
}

async function finishedAct(orders: ActOrders): Promise<ActEnd> {
  const end = await runAct(orders);
  if (end.code !== 0) throw new Error(`Act "${orders.act}" ${outcome(end)}`);
  return end;
}

function outcome({ code, signal }: ActEnd): string {
  return signal === null ? `ended with exit code ${code ?? "?"}` : `was ended by ${signal}`;
}

async function readThread(saver: PostgresSaver, threadId: string): Promise<CheckpointTuple[]> {
  const tuples: CheckpointTuple[] = [];
  for await (const tuple of saver.list({ configurable: { thread_id: threadId } })) tuples.push(tuple);
  return tuples;
}

interface Story {
  readonly ends: Readonly<Record<ActName, ActEnd>>;
  readonly tuples: readonly CheckpointTuple[];
  readonly journal: readonly JournalEntry[];
}

function conclude(story: Story): void {
  const nodes = threadNodes(story.tuples);
  announce("The thread, as saver.list() returns it");
  for (const line of drawThread(nodes, deaths(story.journal))) console.log(`   ${line}`);
  announce("Checked");
  const claims = checkClaims({ ...story, nodes });
  claims.forEach(show);
  const failed = claims.filter(({ holds }) => !holds);
  if (failed.length > 0) throw new Error(`Not true: ${failed.map(({ text }) => text).join("; ")}`);
}

function deaths(journal: readonly JournalEntry[]): Map<string, string> {
  const stored = journal.filter(({ event }) => event === "stored");
  return new Map(
    stored.map(({ subject, pid }) => [subject, `process ${pid} died in the step after this one`]),
  );
}

function show({ text, holds }: Claim): void {
  console.log(`   ${holds ? paint("green", "✓") : paint("red", "✗")} ${text}`);
}
