import { TASKS } from "@langchain/langgraph-checkpoint";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointTables } from "../../../db/checkpoint-tables.js";
import { runStatement } from "../../../db/run-statement.js";
import { type BoundStatement, Statement } from "../../../db/statement.js";
import type { NamespaceKey } from "../../checkpoint-key.js";
import type { CheckpointsKey } from "./drop-checkpoints.js";
import { isUuid6 } from "../is-uuid6.js";
import type { LockRow } from "../take-locks.js";

/** Which writes count as lost. */
export interface OrphanScope extends NamespaceKey {
  /** Only those of checkpoints whose id, a UUID of version 6, is smaller: those of others may still come. */
  readonly cutoff: string;
}

/**
 * The checkpoints that never came, or are gone, while writes of theirs are there. Writes may come before their checkpoint:
 * those of late ones are left alone, and those of one that would be the newest.
 */
export async function selectOrphanedWrites(tables: CheckpointTables, scope: OrphanScope): Promise<string[]> {
  const rows = await runStatement(tables, orphans, scope);
  return rows.map(({ checkpoint_id }) => checkpoint_id);
}

// By EXCEPT, which is never a loop in a loop, however wrong the statistics.
const orphans = /* @__PURE__ */ new Statement<OrphanScope, { checkpoint_id: string }>((db, parameter) =>
  db
    .selectFrom("checkpoint_writes as write")
    .select("write.checkpoint_id")
    .where("write.thread_id", "=", parameter("threadId"))
    .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
    .where(sql`write.checkpoint_id collate "C"`, "<", parameter("cutoff"))
    .where((eb) => isUuid6(eb.ref("write.checkpoint_id")))
    .where((eb) => {
      const head = eb
        .selectFrom("checkpoints as head")
        .select("head.checkpoint_id")
        .where("head.thread_id", "=", parameter("threadId"))
        .where("head.checkpoint_ns", "=", parameter("checkpointNs"))
        .orderBy(sql`head.checkpoint_id collate "C"`, "desc")
        .limit(sql.lit(1));
      return sql<SqlBool>`coalesce(write.checkpoint_id collate "C" < (${head}), true)`;
    })
    .except(
      db
        .selectFrom("checkpoints as stored")
        .select("stored.checkpoint_id")
        .where("stored.thread_id", "=", parameter("threadId"))
        .where("stored.checkpoint_ns", "=", parameter("checkpointNs")),
    ),
);

/** Writes that are counted or deleted by their checkpoints. */
export interface WritesKey extends CheckpointsKey {
  /** Those of the checkpoints whose sends stay, since a checkpoint of an old format reads them. */
  readonly sendersKept: readonly string[];
}

/** How many writes, and how much they hold. */
export interface WrittenRow {
  writes: number;
  bytes: number;
}

/** Locks the writes of checkpoints until the transaction ends: whoever restores one of them waits, or is waited for. */
export function lockWrites(schema: string, key: CheckpointsKey): BoundStatement<LockRow> {
  return lockThose.bind(schema, key);
}

const lockThose = /* @__PURE__ */ new Statement<CheckpointsKey, LockRow>((db, parameter) =>
  db
    .selectFrom(
      db
        .selectFrom("checkpoint_writes")
        .select("idx")
        .where("thread_id", "=", parameter("threadId"))
        .where("checkpoint_ns", "=", parameter("checkpointNs"))
        .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
        // Every writer locks rows in this order.
        .orderBy(sql`checkpoint_id collate "C"`)
        .orderBy(sql`task_id collate "C"`)
        .orderBy("idx")
        .forUpdate()
        .as("locked"),
    )
    .select([
      sql<string>`current_setting('transaction_isolation')`.as("isolation"),
      sql<string>`count(*)`.as("locked"),
    ]),
);

/**
 * Deletes writes whose checkpoints are not there. To be sent after {@link lockWrites} in the same transaction: then it sees
 * every checkpoint that was restored with one of them.
 */
export function dropOrphanedWrites(schema: string, key: WritesKey): BoundStatement<WrittenRow> {
  return dropThose.bind(schema, key);
}

const dropThose = /* @__PURE__ */ new Statement<WritesKey, WrittenRow>((db, parameter) =>
  db
    .with("gone", (qb) =>
      qb
        .deleteFrom("checkpoint_writes as write")
        .where("write.thread_id", "=", parameter("threadId"))
        .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
        .where(sql<SqlBool>`write.checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
        .where(isNoSendKept(parameter("sendersKept")))
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("checkpoints as stored")
                .select("stored.checkpoint_id")
                .where("stored.thread_id", "=", parameter("threadId"))
                .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
                .whereRef("stored.checkpoint_id", "=", "write.checkpoint_id")
                // Has each looked up by the index, whatever the statistics say.
                .offset(sql.lit(0)),
            ),
          ),
        )
        .returning(sql<number>`octet_length(write.blob)`.as("bytes")),
    )
    .selectFrom("gone")
    .select([
      sql<number>`count(*)::float8`.as("writes"),
      sql<number>`coalesce(sum(gone.bytes), 0)::float8`.as("bytes"),
    ]),
);

/** Counts the writes of checkpoints. */
export async function countWrites(tables: CheckpointTables, key: WritesKey): Promise<WrittenRow> {
  const [row] = await runStatement(tables, countThose, key);
  return row ?? { writes: 0, bytes: 0 };
}

const countThose = /* @__PURE__ */ new Statement<WritesKey, WrittenRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_writes as write")
    .select([
      sql<number>`count(*)::float8`.as("writes"),
      sql<number>`coalesce(sum(octet_length(write.blob)), 0)::float8`.as("bytes"),
    ])
    .where("write.thread_id", "=", parameter("threadId"))
    .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
    .where(sql<SqlBool>`write.checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
    .where(isNoSendKept(parameter("sendersKept"))),
);

/** Whether `write` is none of the sends that stay. */
function isNoSendKept(sendersKept: RawBuilder<readonly string[]>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(write.channel <> ${sql.lit(TASKS)} or write.checkpoint_id <> all (${sendersKept}::text[]))`;
}
