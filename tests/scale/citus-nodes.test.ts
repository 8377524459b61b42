import { readFileSync } from "node:fs";
import type { RunnableConfig } from "@langchain/core/runnables";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { openDatabase } from "../../src/db/index.js";
import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { distributeTables } from "../../src/migrations/index.js";
import {
  checkpointOf,
  collect,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeCitus, type TestDatabase } from "../../test-support/targets.js";

const PAGE = readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8");
const THREADS = 12;
const OF_TRANSACTIONS = /^(?:begin|start|commit|rollback|set|savepoint|release)\b/i;

interface Thread {
  readonly id: string;
  readonly first: RunnableConfig;
  readonly last: RunnableConfig;
}

type Call = (saver: PostgresSaver, thread: Thread) => Promise<unknown>;

/** What the node of a thread answers alone. The names are those of the table in docs/scale.md. */
const OF_ONE_NODE: Readonly<Record<string, Call>> = {
  getTuple: (saver, { id }) => saver.getTuple(threadConfig(id)),
  put: (saver, { last }) => putValues(saver, last, { list: ["next"] }),
  putWrites: (saver, { last }) => saver.putWrites(last, [["list", 1]], "other"),
  batch: (saver, { last }) =>
    saver.batch(async (batch) => {
      const next = checkpointOf(saver, { list: ["batch"] });
      await batch.put(last, next, metadataOf(3), next.channel_versions);
      await batch.putWrites(last, [["list", 2]], "third");
    }),
  list: (saver, { id }) => collect(saver.list(threadConfig(id))),
  history: (saver, { id }) => saver.history(id),
  getDeltaChannelHistory: (saver, { last }) =>
    saver.getDeltaChannelHistory({ config: last, channels: ["list"] }),
  diff: (saver, { first, last }) => saver.diff(first, last),
  writesOf: (saver, { last }) => saver.writesOf(last),
  taskStats: (saver, { id }) => saver.taskStats(id),
  "verify(thread)": (saver, { id }) => saver.verify(id),
  "storage({ threadId })": (saver, { id }) => saver.storage({ threadId: id }),
  "exportThreads({ threads })": (saver, { id }) => collect(saver.exportThreads({ threads: [id] })),
  "prune([thread])": (saver, { id }) => saver.prune([id]),
  deleteThread: (saver, { id }) => saver.deleteThread(id),
};

/** What every node is asked for. */
const OF_ALL_NODES: Readonly<Record<string, Call>> = {
  listThreads: (saver) => saver.listThreads(),
  "list without a thread": (saver) => collect(saver.list({}, { limit: 3 })),
  listTombstones: (saver) => saver.listTombstones(),
  deleteForRuns: (saver) => saver.deleteForRuns(["run"]),
  "prune({ olderThanMs })": (saver) => saver.prune({ olderThanMs: 60_000 }),
  "storage()": (saver) => saver.storage(),
  "taskStats({})": (saver) => saver.taskStats({}),
};

describeCitus("on tables that are distributed by thread", (target) => {
  let database: TestDatabase<string>;
  let sent: SentStatement[];
  let saver: PostgresSaver;
  let close: () => Promise<void>;

  beforeAll(async () => {
    database = await target.createDatabase();
    const opened = openDatabase(database.source);
    await new PostgresSaver(opened.kysely).setup();
    await distributeTables(opened.kysely, { shards: 8 });
    await opened.close();
    const recording = recordingKysely(database.source);
    ({ sent } = recording);
    saver = new PostgresSaver(recording.kysely);
    for (let count = 0; count < THREADS; count++) await newStoredThread(saver);
    // What a saver asks once is not what is tested.
    await saver.getTuple(threadConfig("none"));
    close = () => recording.kysely.destroy();
  });

  afterAll(() => close());

  /** The plans of what a call sends. */
  async function plansOf(call: Call): Promise<Plan[]> {
    const thread = await newStoredThread(saver);
    sent.length = 0;
    await call(saver, thread);
    const statements = sent.filter(({ text }) => !OF_TRANSACTIONS.test(text));
    const plans = await Promise.all(statements.map((statement) => explain(database, statement)));
    return plans.filter(({ isOfCitus }) => isOfCitus);
  }

  it.each(Object.entries(OF_ONE_NODE))("%s is sent to the node of its thread alone", async (_, call) => {
    const plans = await plansOf(call);
    expect(plans.length).toBeGreaterThan(0);
    expect(plans.filter(({ tasks }) => tasks > 1)).toEqual([]);
  });

  it.each(Object.entries(OF_ALL_NODES))("%s asks every node", async (_, call) => {
    expect(Math.max(...(await plansOf(call)).map(({ tasks }) => tasks))).toBe(8);
  });

  it("docs/scale.md says the same", () => {
    const cellOf = (row: string): string[] => {
      const [, calls = ""] = new RegExp(`^\\| ${row} +\\| ([^|]+) \\|`, "m").exec(PAGE) ?? [];
      return [...calls.matchAll(/`([^`]+)`( without a thread)?/g)].map(
        ([, name = "", more = ""]) => name + more,
      );
    };
    expect(cellOf("the node of the thread")).toEqual(Object.keys(OF_ONE_NODE));
    expect(cellOf("every node")).toEqual(expect.arrayContaining(Object.keys(OF_ALL_NODES)));
  });
});

async function newStoredThread(saver: PostgresSaver): Promise<Thread> {
  const id = newThread();
  const first = await putValues(saver, threadConfig(id), { list: ["first"] });
  const last = await putValues(saver, first.config, { list: ["last"] }, first.checkpoint);
  await saver.putWrites(last.config, [["list", 1]], "task");
  return { id, first: first.config, last: last.config };
}

interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A Kysely that records its statements. A pool would send several of them at once. */
function recordingKysely(connectionString: string): {
  kysely: Kysely<CheckpointDatabase>;
  sent: SentStatement[];
} {
  const sent: SentStatement[] = [];
  const dialect = new PostgresDialect({ pool: new pg.Pool({ connectionString }) });
  const kysely = new Kysely<CheckpointDatabase>({
    dialect,
    log: ({ query }) => {
      sent.push({ text: query.sql, values: query.parameters });
    },
  });
  return { kysely, sent };
}

interface Plan {
  readonly text: string;
  /** Whether it reads or writes distributed tables. */
  readonly isOfCitus: boolean;
  /** On how many shards its parts run, the most of them. 0 for rows that the coordinator sends to a shard. */
  readonly tasks: number;
}

async function explain(database: TestDatabase, { text, values }: SentStatement): Promise<Plan> {
  const rows = await database.query<{ "QUERY PLAN": string }>(`explain ${text}`, [...values]);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  const counts = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
  return { text, isOfCitus: plan.includes("Custom Scan (Citus"), tasks: Math.max(0, ...counts) };
}
