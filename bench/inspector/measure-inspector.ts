import { AIMessage } from "@langchain/core/messages";
import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { type Summary, summarize } from "../measure/statistics.js";
import { timed } from "../measure/take-turns.js";
import { openPool } from "../open-pool.js";
import type { Size } from "../scenarios/scenario.js";
import type { CheckpointDatabase, CheckpointSaver } from "../../src/index.js";
import type { OptionalIndex } from "../../src/migrations/index.js";
import { checkpointOf, metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { measurePaints, type PaintResult } from "./first-paint.js";
import { type Newest, pageCalls } from "./inspector-calls.js";
import { measureLiveSteps } from "./live-steps.js";
import {
  AGENT_THREAD,
  type Amounts,
  amountsOf,
  LARGE_THREAD,
  LONG_THREAD,
  type Messages,
  seedThreads,
} from "./seed.js";

// The addresses are not literals, so TypeScript does not resolve them: types are checked before there is a build.
const { PostgresSaver } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely")
)) as typeof import("../../src/index.js");
const { createInspector, nodeListener } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely/inspector")
)) as typeof import("../../src/inspector/index.js");

const { createOptionalIndexes } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely/migrations")
)) as typeof import("../../src/migrations/index.js");

/** What the server took to answer a call of a page. */
export interface InspectorCallResult extends Summary {
  readonly page: string;
  readonly call: string;
  /** The length of the answer. */
  readonly bytes: number;
}

/** The figures of the inspector on a large database. */
export interface InspectorResult {
  readonly amounts: Amounts;
  readonly calls: readonly InspectorCallResult[];
  readonly paints: readonly PaintResult[];
  /** From the end of `put` in another saver, with `notify`, until the page of the thread shows the step. */
  readonly live?: Summary | undefined;
}

const ROUNDS = { quick: 2, full: 7 };

/** Serves the inspector of a large database, and asks it for what its pages ask first. */
export async function measureInspector(server: BenchServer, size: Size): Promise<InspectorResult> {
  const amounts = amountsOf(size);
  const database = await server.emptyDatabase();
  const pool = openPool(database.source);
  const others = openPool(database.source);
  const saver = new PostgresSaver(pool);
  const inspector = createServer(nodeListener(createInspector(saver, { authorize: () => true })));
  try {
    await saver.setup();
    await seedThreads(database, amounts, await messagesOf(saver, amounts));
    await putLarge(saver, amounts);
    await createIndexes(pool, ["metadata-index", "waiting-index"]);
    await new Promise<void>((resolve) => inspector.listen(0, "127.0.0.1", resolve));
    const { port } = inspector.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const newest = await newestOf(database);
    const calls: InspectorCallResult[] = [];
    for (const { page, call, args, index } of pageCalls(newest)) {
      if (index !== undefined) await createIndexes(pool, [index]);
      const rounds = size.quick ? ROUNDS.quick : ROUNDS.full;
      calls.push({ page, call, ...(await measureCall(`${url}api/${call}`, args, rounds)) });
    }
    // The times of the server took minutes, and are worth having without those of the browser.
    const failed = (error: unknown): undefined => {
      process.stderr.write(`  the browser failed: ${String(error)}\n`);
    };
    const paints = (await measurePaints(url, newest, amounts).catch(failed)) ?? [];
    const announcing = new PostgresSaver(others, undefined, { notify: true });
    return { amounts, calls, paints, live: await measureLiveSteps(url, announcing, size).catch(failed) };
  } finally {
    inspector.close();
    inspector.closeAllConnections();
    await saver.end();
    await Promise.all([pool.end(), others.end()]);
    await database.giveBack();
  }
}

async function measureCall(
  address: string,
  args: object,
  rounds: number,
): Promise<Summary & { readonly bytes: number }> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(args) };
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    times.push(
      await timed(async () => {
        const response = await fetch(address, init);
        const body = await response.arrayBuffer();
        if (!response.ok) throw new Error(`${address}: ${Buffer.from(body).toString()}`);
        bytes = body.byteLength;
      }),
    );
  }
  return { ...summarize(times), bytes };
}

/** Messages of a model that calls a tool. All steps write the same one: with an id it would count for the first of them only. */
async function messagesOf({ serde }: CheckpointSaver, { steps }: Amounts): Promise<Messages> {
  const hexOf = async (value: unknown): Promise<string> => {
    const [, bytes] = await serde.dumpsTyped(value);
    return Buffer.from(bytes).toString("hex");
  };
  const conversation = Array.from({ length: steps }, (_, step) => messageOf({ id: `message ${step}` }));
  return { written: await hexOf([messageOf({})]), conversation: await hexOf(conversation) };
}

function messageOf(id: { readonly id?: string }): AIMessage {
  const content = "I look that up, and answer when I know more about it. ".repeat(4);
  const call = { id: "call", name: "look_up", args: { order: 7 } };
  return Object.assign(new AIMessage({ ...id, content, tool_calls: [call] }), {
    usage_metadata: { input_tokens: 1_200, output_tokens: 40, total_tokens: 1_240 },
  });
}

/** The optional indexes of lists of threads. */
async function createIndexes(pool: pg.Pool, indexes: readonly OptionalIndex[]): Promise<void> {
  // Its end would also be that of the pool.
  const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
  await createOptionalIndexes(kysely, { indexes });
}

/** One long text beside a small value. */
async function putLarge(saver: CheckpointSaver, { valueBytes }: Amounts): Promise<void> {
  const words = Array.from({ length: 2_000 }, (_, n) => `word${(n * 7_919) % 10_007}`).join(" ");
  const text = words.repeat(Math.ceil(valueBytes / words.length)).slice(0, valueBytes);
  const checkpoint = checkpointOf(saver, { text, title: "large" });
  await saver.put(threadConfig(LARGE_THREAD), checkpoint, metadataOf(), checkpoint.channel_versions);
}

async function newestOf(database: BenchDatabase): Promise<Newest> {
  const idOf = async (thread: string): Promise<string> => {
    const rows = await database.query<{ id: string }>(
      `select max(checkpoint_id collate "C") as id from checkpoints where thread_id = $1`,
      [thread],
    );
    return rows[0]?.id ?? "";
  };
  const listed = await database.query<{ id: string }>(
    "select distinct thread_id as id from checkpoints order by 1 limit 100",
  );
  return {
    long: await idOf(LONG_THREAD),
    agent: await idOf(AGENT_THREAD),
    large: await idOf(LARGE_THREAD),
    listed: listed.map(({ id }) => id),
  };
}
