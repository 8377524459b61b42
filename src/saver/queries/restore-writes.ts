import { sql } from "kysely";
import type { BoundStatement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import { writeIsHeld } from "./conflict-rules.js";
import { WRITE_COLUMNS } from "./inserted-columns.js";
import {
  type ColumnTypes,
  type DifferingRow,
  namedGiven,
  type RestoredWrite,
  restoredRows,
  type RowParams,
  type RowShape,
  shapeOf,
  type StoredRow,
  toRowParams,
} from "./restored-rows.js";

const COLUMNS: ColumnTypes<RestoredWrite> = {
  thread_id: "text",
  checkpoint_ns: "text",
  checkpoint_id: "text",
  task_id: "text",
  task_path: "text",
  idx: "integer",
  channel: "text",
  type: "text",
  blob: "bytea",
};

interface Given {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  task_id: string;
  task_path: string;
  idx: number;
  channel: string;
  type: string | null;
  blob: Uint8Array;
}

/**
 * Stores the rows whose keys are not stored yet, and returns a row for each. It locks the others, so that nobody deletes
 * them before the transaction ends.
 */
export function restoreWrites(schema: string, rows: readonly RestoredWrite[]): BoundStatement<StoredRow> {
  const shape = shapeOf(rows);
  return inserts.of(shape, shape).bind(schema, toRowParams(COLUMNS, rows, shape));
}

/** Finds those of the rows that are there and differ. */
export function differingWrites(
  schema: string,
  rows: readonly RestoredWrite[],
): BoundStatement<DifferingRow> {
  const shape = shapeOf(rows);
  return compares.of(shape, shape).bind(schema, toRowParams(COLUMNS, rows, shape));
}

const inserts = /* @__PURE__ */ new StatementFamily<RowShape, RowParams, StoredRow>(
  (shape) => (db, parameter) =>
    db
      .insertInto("checkpoint_writes")
      .columns(WRITE_COLUMNS)
      .expression((eb) =>
        eb
          .selectFrom(restoredRows<Given>(COLUMNS, parameter, shape).as<"given">(namedGiven(COLUMNS)))
          .select(WRITE_COLUMNS),
      )
      .onConflict(writeIsHeld)
      .returning(sql<number>`coalesce(octet_length(blob), 0)`.as("bytes")),
);

const compares = /* @__PURE__ */ new StatementFamily<RowShape, RowParams, DifferingRow>(
  (shape) => (db, parameter) =>
    db
      .selectFrom(restoredRows<Given>(COLUMNS, parameter, shape).as<"given">(namedGiven(COLUMNS)))
      .innerJoin("checkpoint_writes as stored", (join) =>
        join
          .onRef("stored.thread_id", "=", "given.thread_id")
          .onRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
          .onRef("stored.checkpoint_id", "=", "given.checkpoint_id")
          .onRef("stored.task_id", "=", "given.task_id")
          .onRef("stored.idx", "=", "given.idx"),
      )
      .where((eb) =>
        eb.or([
          eb("stored.task_path", "is distinct from", eb.ref("given.task_path")),
          eb("stored.channel", "is distinct from", eb.ref("given.channel")),
          eb("stored.type", "is distinct from", eb.ref("given.type")),
          eb("stored.blob", "is distinct from", eb.ref("given.blob")),
        ]),
      )
      .select(["given.thread_id", "given.checkpoint_ns"])
      .select((eb) => [
        eb.ref("given.checkpoint_id").as("checkpoint_id"),
        eb.ref("given.channel").as("channel"),
      ]),
);
