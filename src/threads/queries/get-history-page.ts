import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { placementOf } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily, Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { isUuid6 } from "../../saver/queries/header-parts.js";

/** A checkpoint without its values. */
export interface HistoryRow {
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  /** The metadata as JSON text. */
  metadata: string | null;
  /** The time in the header; `null` when the id contains a time. */
  ts: string | null;
  /** The number of pending writes beside the checkpoint. */
  writes: number;
  interrupted: boolean;
}

/**
 * Reads checkpoints of a namespace, the newest first.
 *
 * @param before - The last checkpoint of the preceding page; `undefined` begins with the newest.
 */
export async function getHistoryPage(
  call: CallContext,
  { threadId, checkpointNs }: NamespaceKey,
  before: string | undefined,
  pageSize: number,
): Promise<HistoryRow[]> {
  const { isOnNodes } = await placementOf(call);
  const shape = { isOlder: before !== undefined, isOnNodes };
  const params = { threadId, checkpointNs, before: before ?? "", pageSize };
  return runStatement(call, statements.of(shape), params);
}

interface HistoryParams extends NamespaceKey {
  readonly before: string;
  readonly pageSize: number;
}

interface HistoryShape {
  /** Whether the page begins after a checkpoint. */
  readonly isOlder: boolean;
  /** Whether it compares the thread of each table with its parameter. */
  readonly isOnNodes: boolean;
}

const statements = new StatementFamily<HistoryShape, HistoryParams, HistoryRow>(
  (shape) => (db, parameter) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom("checkpoints")
          .selectAll()
          .where("thread_id", "=", parameter("threadId"))
          .where("checkpoint_ns", "=", parameter("checkpointNs"))
          .$if(shape.isOlder, (query) =>
            query.where(sql<string>`checkpoint_id collate "C"`, "<", parameter("before")),
          )
          .orderBy(sql`checkpoint_id collate "C"`, "desc")
          .limit(parameter("pageSize"))
          .as("page"),
      )
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoint_writes as write")
            .where("write.thread_id", "=", shape.isOnNodes ? parameter("threadId") : eb.ref("page.thread_id"))
            .whereRef("write.checkpoint_ns", "=", "page.checkpoint_ns")
            .whereRef("write.checkpoint_id", "=", "page.checkpoint_id")
            .select([
              sql<number>`count(*)::integer`.as("writes"),
              sql<boolean>`coalesce(bool_or(write.channel = ${sql.lit(INTERRUPT)}), false)`.as("interrupted"),
            ])
            .as("counts"),
        (join) => join.onTrue(),
      )
      .select(["page.checkpoint_id", "page.parent_checkpoint_id", "counts.writes", "counts.interrupted"])
      .select((eb) => [
        sql<string | null>`${eb.ref("page.metadata")}::text`.as("metadata"),
        // Reading the header may decompress it, so read it only when the id contains no time.
        sql<string | null>`case when ${isUuid6(eb.ref("page.checkpoint_id"))} then null
          else ${eb.ref("page.checkpoint")} ->> 'ts' end`.as("ts"),
      ])
      .orderBy(sql`page.checkpoint_id collate "C"`, "desc"),
);

/** The number of checkpoints of one namespace of a thread. */
export interface NamespaceCount {
  readonly namespace: string;
  readonly checkpoints: number;
}

interface CountRow extends NamespaceCount {
  /** Those that are older than a checkpoint of any namespace. */
  readonly older: number;
}

/**
 * Counts the checkpoints of each namespace of a thread, ordered by namespace. Namespaces without checkpoints are left out.
 *
 * @param before - The checkpoint whose older ones are also counted; `""` counts none.
 */
export function countCheckpoints(tables: CallContext, threadId: string, before: string): Promise<CountRow[]> {
  return runStatement(tables, counts, { threadId, before });
}

const counts = new Statement<{ readonly threadId: string; readonly before: string }, CountRow>(
  (db, parameter) =>
    db
      .selectFrom("checkpoints")
      .where("thread_id", "=", parameter("threadId"))
      .select((eb) => [
        "checkpoint_ns as namespace",
        sql<number>`count(*)::float8`.as("checkpoints"),
        sql<number>`count(*) filter (where ${eb(sql<string>`checkpoint_id collate "C"`, "<", parameter("before"))})::float8`.as(
          "older",
        ),
      ])
      .groupBy("checkpoint_ns")
      .orderBy("checkpoint_ns"),
);
