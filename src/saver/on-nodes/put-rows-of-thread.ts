import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { CheckpointRows, HeaderRow } from "../queries/checkpoint-rows.js";
import { insertBlobs, insertHeaders, insertWrites } from "./insert-rows.js";
import { sql } from "kysely";
import { takesInline, withInline } from "../queries/header-parts.js";

/** The most rows that one statement inserts. Each number of rows is a statement of its own. */
const ROWS_OF_STATEMENT = 16;

/**
 * The statements that store rows of one thread on its node, by the rules of `putRows`, whose one statement nodes don't run (N5).
 *
 * The locks are taken in the order of all writers: checkpoints, writes, values (C2).
 */
export function putRowsOfThread(
  schema: string,
  threadId: string,
  { checkpoints, writes, blobs }: CheckpointRows,
): BoundStatement<unknown>[] {
  const isCarried = (row: (typeof blobs)[number]): boolean => row.isCarried === true;
  return [
    ...portions(checkpoints).map((rows) => insertHeaders(schema, threadId, rows)),
    ...checkpoints
      .filter(({ inlineSources }) => inlineSources !== "{}")
      .map((row) => carryInline(schema, row)),
    ...portions(writes).map((rows) => insertWrites(schema, threadId, rows)),
    ...portions(blobs.filter((row) => !isCarried(row))).map((rows) => insertBlobs(schema, threadId, rows)),
    ...portions(blobs.filter(isCarried)).map((rows) => insertBlobs(schema, threadId, rows, true)),
  ];
}

function portions<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / ROWS_OF_STATEMENT);
  return Array.from({ length: count }, (_, nth) =>
    rows.slice(nth * ROWS_OF_STATEMENT, (nth + 1) * ROWS_OF_STATEMENT),
  );
}

/**
 * Copies unchanged values into a stored header from the headers of their sources; see `bindPut`. It is a statement of its own
 * after the insert, whose values must not be subqueries (N5).
 */
export function carryInline(schema: string, row: HeaderRow): BoundStatement<unknown> {
  return carry.bind(schema, row);
}

const carry = new Statement<HeaderRow, unknown>((db, parameter) => {
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
