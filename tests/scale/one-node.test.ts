import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { loadModule } from "libpg-query";
import { PostgresConversations } from "../../src/conversations/index.js";
import { PostgresSaver } from "../../src/index.js";
import { lookDistributed } from "../../test-support/distributed-catalog.js";
import { type RecordingKysely, recordStatements } from "../../test-support/recorded-statements.js";
import { lintStatement } from "../../test-support/statement-lint/lint-statement.js";
import { describeCitus, describeServer } from "../../test-support/targets.js";
import { CALLS, storeCountedThread } from "../saver/every-call.js";

/** Options that change the statements of a saver. */
const SAVERS = {
  default: {},
  keepLast: { keepLast: 9 },
  splices: { splices: true },
  optimistic: { concurrency: "optimistic" },
} as const;

/** Calls that concern more than one thread, or that a Kysely can't make. */
const OTHERS: ReadonlySet<string> = new Set(["copyThread", "importThreads", "watch"]);

/** Citus passes a statement for one node on as it is, with the system columns that it reads. */
const SYSTEM_COLUMN = /^reads (xmin|xmax|ctid) in a subquery$/;

const CASES = Object.entries(SAVERS).flatMap(([name, options]) =>
  Object.entries(CALLS).flatMap(([method, call]) =>
    OTHERS.has(method) ? [] : [{ name, method, options, call }],
  ),
);

describeServer("each statement of a call about one thread, where tables are distributed", (target) => {
  let recording: RecordingKysely;

  beforeAll(async () => {
    await loadModule();
    const database = await target.createDatabase();
    await using conversations = new PostgresConversations(database.source);
    await conversations.setup();
    await lookDistributed(database);
    recording = recordStatements(database.source);
  });
  afterAll(async () => {
    await recording[Symbol.asyncDispose]();
  });

  it.each(CASES)("names the thread for each table: $method ($name)", async ({ options, call }) => {
    const { kysely, sent } = recording;
    sent.splice(0);
    const saver = new PostgresSaver(kysely, undefined, { keepTombstones: true, ...options });
    const thread = await storeCountedThread(saver);
    await call(thread);
    const problems = sent.flatMap(({ text, parameters }) => {
      const names = parameters.map((value) => (value === thread.id ? "threadId" : "other"));
      return lintStatement(text, names).map((problem) => ({ problem, text }));
    });
    expect(problems.filter(({ problem }) => !SYSTEM_COLUMN.test(problem))).toEqual([]);
  });
});

/** Calls that Citus passes on to the node of their thread as they are. */
const OF_ONE_NODE = [
  "getTuple",
  "put",
  "putWrites",
  "batch",
  "deleteThread",
  "history",
  "getDeltaChannelHistory",
] as const;

describeCitus("each statement of a call", (target) => {
  it.each(OF_ONE_NODE)("is one task of one node: %s", async (method) => {
    const database = await target.createDatabase();
    await using first = new PostgresSaver(database.source);
    await first.setup();
    for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_tombstones"]) {
      await database.query("select create_distributed_table($1, 'thread_id')", [table]);
    }
    await using recording = recordStatements(database.source);
    const { kysely, sent } = recording;
    const thread = await storeCountedThread(new PostgresSaver(kysely));
    sent.splice(0);
    await CALLS[method](thread);
    const ofTables = sent.filter(({ text }) => text.includes('"checkpoint'));
    expect(ofTables.length).toBeGreaterThan(0);
    for (const { text, parameters } of ofTables) {
      const rows = await database.query(`explain (costs off) ${text}`, [...parameters]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toMatch(/^Custom Scan \(Citus Adaptive\)\n +Task Count: 1\n/);
    }
  });
});
