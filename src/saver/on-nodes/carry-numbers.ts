import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { takesNumber, withNumbers } from "../queries/carried-numbers.js";
import type { HeaderRow } from "../queries/checkpoint-rows.js";

/**
 * Spells each unchanged number of a stored header as in the header of its source; see `bindPut`. It is a statement of its own
 * after the insert, whose values must not be subqueries (N5).
 */
export function carryNumbers(schema: string, row: HeaderRow): BoundStatement<unknown> {
  return carry.bind(schema, row);
}

const carry = /* @__PURE__ */ new Statement<HeaderRow, unknown>((db, parameter) => {
  const number = sql<string>`source.checkpoint -> 'channel_values' -> carried.name`;
  return db
    .updateTable("checkpoints")
    .from((eb) =>
      eb
        .selectFrom(
          sql<{
            name: string;
            checkpoint_id: string;
          }>`jsonb_each_text(${parameter("numberSources")}::jsonb)`.as<"carried">(
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
        .where(takesNumber(sql.ref("stored.checkpoint"), sql.ref("source.checkpoint")))
        .select(sql<string | null>`jsonb_object_agg(carried.name, ${number})`.as("numbers"))
        .as("spelled"),
    )
    .set({
      checkpoint: withNumbers(sql.ref("checkpoints.checkpoint"), sql.ref("spelled.numbers")),
    })
    .where("checkpoints.thread_id", "=", parameter("threadId"))
    .where("checkpoints.checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoints.checkpoint_id", "=", parameter("checkpointId"))
    .where("spelled.numbers", "is not", null);
});
