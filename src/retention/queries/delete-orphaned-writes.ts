import { TASKS } from "@langchain/langgraph-checkpoint";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { storedSize } from "../../saver/queries/stored-size.js";
import type { CheckpointsKey } from "./lock-checkpoints.js";

/** The checkpoints whose pending writes are deleted or counted. */
export interface WritesKey extends CheckpointsKey {
  /** The checkpoints whose sends stay, because a kept checkpoint of a format before version 4 reads them. */
  readonly keptSenders: readonly string[];
}

/** How many writes were deleted or counted, and their size. */
export interface WriteCountRow {
  writes: number;
  bytes: number;
}

/**
 * Deletes the pending writes of those of the checkpoints that have no row. Send it after `lockWrites` in the same transaction:
 * it then sees every checkpoint that was restored together with one of them.
 */
export function deleteWritesWithoutCheckpoint(schema: string, key: WritesKey): BoundStatement<WriteCountRow> {
  return deleteRows.bind(schema, key);
}

const deleteRows = /* @__PURE__ */ new Statement<WritesKey, WriteCountRow>((db, parameter) =>
  db
    .with("deleted", (qb) =>
      qb
        .deleteFrom("checkpoint_writes as write")
        .where("write.thread_id", "=", parameter("threadId"))
        .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
        .where(sql<SqlBool>`write.checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
        .where(isNotKeptSend(parameter("keptSenders")))
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("checkpoints as stored")
                .select("stored.checkpoint_id")
                .where("stored.thread_id", "=", parameter("threadId"))
                .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
                .whereRef("stored.checkpoint_id", "=", "write.checkpoint_id")
                // Makes Postgres use the index for each write, whatever the statistics say.
                .offset(sql.lit(0)),
            ),
          ),
        )
        // Not the size (N3).
        .returning("write.blob"),
    )
    .selectFrom("deleted")
    .select([
      sql<number>`count(*)::float8`.as("writes"),
      sql<number>`coalesce(sum(${storedSize("deleted.blob")}), 0)::float8`.as("bytes"),
    ]),
);

/** Whether `write` is not a send of one of the given checkpoints. */
export function isNotKeptSend(keptSenders: RawBuilder<readonly string[]>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(write.channel <> ${sql.lit(TASKS)} or write.checkpoint_id <> all (${keptSenders}::text[]))`;
}
