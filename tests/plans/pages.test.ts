import { beforeAll, expect, it } from "@jest/globals";
import pg from "pg";
import { z } from "zod";
import { PostgresSaver } from "../../src/index.js";
import { createOptionalIndexes } from "../../src/migrations/index.js";
import { checkpointOf, collect, metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { recordStatements, type SentStatement } from "../../test-support/recorded-statements.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { withClient } from "../../test-support/with-client.js";
import { isPlanned } from "./estimated-cost.js";
import { analyzeAsMillion, enlargeTables, SAVER_TABLES } from "./filled-tables.js";

const ROWS = 4_000_000;
/** A twentieth of all checkpoints is of this thread. */
const LONG = "long";
/** What a page needs is less. It is a tenth of the long thread. */
const MOST_SORTED = 20_000;
/** Where so many rows match, the first thousand are found at once. */
const MANY = ROWS / 2;

const WITHOUT_INDEXES = "begin; drop index checkpoint_time_idx, checkpoint_metadata_idx";

type Page = (saver: PostgresSaver) => Promise<unknown>;

/** Calls that show a page of a thread, however long it is. */
const OF_THREAD: Readonly<Record<string, Page>> = {
  "list of a namespace": (saver) => list(saver, { checkpoint_ns: "" }),
  "list of a thread": (saver) => list(saver, {}),
  history: (saver) => saver.history(LONG),
  "history before": (saver) => saver.history(LONG, { limit: 100, before: "5" }),
};

/** Calls that show a page of all threads, which optional indexes are for. */
const OF_ALL: Readonly<Record<string, Page>> = {
  "list of all threads": (saver) => collect(saver.list({}, { limit: 20 })),
  "list of all threads by what many match": (saver) =>
    collect(saver.list({}, { limit: 20, filter: { source: "loop" } })),
  "list of all threads by what few match": (saver) =>
    collect(saver.list({}, { limit: 20, filter: { source: "none" } })),
  listThreads: (saver) => saver.listThreads({ limit: 20, after: "a" }),
  "listThreads by what many match": (saver) => saver.listThreads({ filter: { source: "loop" } }),
  "listThreads by what few match": (saver) => saver.listThreads({ filter: { source: "none" } }),
};

const PAGES = { ...OF_THREAD, ...OF_ALL };

const describePlans = onOneServer("the nodes plan the statements about their threads", describeServer);

describePlans("a call that shows a page of 4 million checkpoints", (target) => {
  let database: TestDatabase<string>;
  const sent = new Map<string, readonly SentStatement[]>();

  beforeAll(async () => {
    database = await target.migratedDatabase();
    // What a pool sends together can't be recorded.
    await using recording = recordStatements(database.source);
    await createOptionalIndexes(recording.kysely, { indexes: ["time-index", "metadata-index"] });
    const saver = new PostgresSaver(recording.kysely);
    for (const checkpoint_ns of ["", "inner"]) {
      for (let step = 0; step < 20; step++) {
        await saver.put(threadConfig(LONG, { checkpoint_ns }), checkpointOf(saver, {}), metadataOf(step), {});
      }
    }
    for (const [name, call] of Object.entries(PAGES)) {
      recording.sent.splice(0);
      await call(saver);
      sent.set(name, recording.sent.filter(isPlanned));
    }
    await enlargeTables(database, SAVER_TABLES);
    await database.query(`update checkpoints set thread_id = $1 where checkpoint_id::integer % 20 = 0`, [
      LONG,
    ]);
    await analyzeAsMillion(database, ROWS, SAVER_TABLES);
  });

  it.each(Object.keys(PAGES))("neither scans a table nor sorts one: %s", async (name) => {
    const statements = sent.get(name) ?? [];
    expect(statements.length).toBeGreaterThan(0);
    await withClient(database.source, async (client) => {
      await client.query(name in OF_THREAD ? WITHOUT_INDEXES : "begin");
      for (const statement of statements) {
        const nodes = await planOf(client, statement);
        const ended = nodes.flatMap(({ "Node Type": type, Plans = [] }) =>
          type === "Limit" ? Plans.filter((input) => input["Plan Rows"] > MANY) : [],
        );
        const scans = nodes.filter((node) => isScan(node) && !ended.includes(node));
        const sorts = nodes.filter(
          ({ "Node Type": type, Plans: [input] = [] }) =>
            type === "Sort" && (input?.["Plan Rows"] ?? 0) > MOST_SORTED,
        );
        expect({ text: statement.text, scans, sorts }).toMatchObject({ scans: [], sorts: [] });
      }
    });
  });
});

function list(saver: PostgresSaver, more: Record<string, unknown>): Promise<unknown> {
  return collect(saver.list(threadConfig(LONG, more), { limit: 20 }));
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Plan Rows": number;
  readonly "Relation Name"?: string | undefined;
  readonly Plans?: readonly PlanNode[] | undefined;
}

const Node: z.ZodType<PlanNode> = z.object({
  "Node Type": z.string(),
  "Plan Rows": z.number(),
  "Relation Name": z.string().optional(),
  Plans: z.array(z.lazy(() => Node)).optional(),
});
const Explained = z.tuple([z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: Node })]) })]);

/** All nodes of the plan for the values that were sent. */
async function planOf(client: pg.Client, { text, parameters }: SentStatement): Promise<readonly PlanNode[]> {
  const { rows } = await client.query(`explain (format json) ${text}`, [...parameters]);
  const [{ "QUERY PLAN": plan }] = Explained.parse(rows);
  const nodes = [plan[0].Plan];
  for (const node of nodes) nodes.push(...(node.Plans ?? []));
  return nodes;
}

/** Whether a node reads a whole table that grows. */
function isScan({ "Node Type": type, "Relation Name": relation = "" }: PlanNode): boolean {
  return type === "Seq Scan" && SAVER_TABLES.some((table) => table === relation);
}
