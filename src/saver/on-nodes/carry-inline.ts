import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { takesInline, withInline } from "../queries/carried-inline.js";
import type { HeaderRow } from "../queries/checkpoint-rows.js";

/**
 * Copies unchanged values into a stored header from the headers of their sources; see `bindPut`. It is a statement of its own
 * after the insert, whose values must not be subqueries (N5).
 */
export function carryInline(schema: string, row: HeaderRow): BoundStatement<unknown> {
  return carry.bind(schema, row);
}

const carry = /* @__PURE__ */ new Statement<HeaderRow, unknown>((db, parameter) => {
  const value = sql<string>`source.checkpoint -> 'channel_values' -> carried.name`;
  return db
    .updateTable("checkpoints")
    .from((eb) =>
      eb
        .selectFrom(
          sql<{
            name: string;
            checkpoint_id: string;
          }>`jsonb_each_text(${parameter("inlineSources")}::jsonb)`.as<"carried">(
            sql`carried(name, checkpoint_id)`,
          ),
        )
        .innerJoin("checkpoints as source", (join) =>
          join
            .on("source.thread_id", "=", parameter("threadId"))
            .on("source.checkpoint_ns", "=", parameter("checkpointNs"))
            .onRef("source.checkpoint_id", "=", "carried.checkpoint_id"),
        )
        .innerJoin("checkpoints as stored", (join) =>
          join
            .on("stored.thread_id", "=", parameter("threadId"))
            .on("stored.checkpoint_ns", "=", parameter("checkpointNs"))
            .on("stored.checkpoint_id", "=", parameter("checkpointId")),
        )
        .where(takesInline(sql.ref("stored.checkpoint"), sql.ref("source.checkpoint")))
        .select(sql<string | null>`jsonb_object_agg(carried.name, ${value})`.as("taken"))
        .as("found"),
    )
    .set({
      checkpoint: withInline(sql.ref("checkpoints.checkpoint"), sql.ref("found.taken")),
    })
    .where("checkpoints.thread_id", "=", parameter("threadId"))
    .where("checkpoints.checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoints.checkpoint_id", "=", parameter("checkpointId"))
    .where("found.taken", "is not", null);
});
