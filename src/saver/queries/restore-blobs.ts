import { sql } from "kysely";
import type { BoundStatement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import { blobIsHeld } from "./conflict-rules.js";
import { BLOB_COLUMNS } from "./inserted-columns.js";
import {
  type ColumnTypes,
  type DifferingRow,
  namedGiven,
  type RestoredBlob,
  restoredRows,
  type RowParams,
  type RowShape,
  shapeOf,
  type StoredRow,
  toRowParams,
} from "./restored-rows.js";

const COLUMNS: ColumnTypes<RestoredBlob> = {
  thread_id: "text",
  checkpoint_ns: "text",
  channel: "text",
  version: "text",
  type: "text",
  blob: "bytea",
};

interface Given {
  thread_id: string;
  checkpoint_ns: string;
  channel: string;
  version: string;
  type: string;
  blob: Uint8Array | null;
}

/**
 * Stores the rows whose keys are not stored yet, and returns a row for each. It locks the others, so that nobody deletes
 * them before the transaction ends.
 */
export function restoreBlobs(schema: string, rows: readonly RestoredBlob[]): BoundStatement<StoredRow> {
  const shape = shapeOf(rows);
  return inserts.of(shape, shape).bind(schema, toRowParams(COLUMNS, rows, shape));
}

/** Finds those of the rows that are there and differ. */
export function differingBlobs(schema: string, rows: readonly RestoredBlob[]): BoundStatement<DifferingRow> {
  const shape = shapeOf(rows);
  return compares.of(shape, shape).bind(schema, toRowParams(COLUMNS, rows, shape));
}

const inserts = /* @__PURE__ */ new StatementFamily<RowShape, RowParams, StoredRow>(
  (shape) => (db, parameter) =>
    db
      .insertInto("checkpoint_blobs")
      .columns(BLOB_COLUMNS)
      .expression((eb) =>
        eb
          .selectFrom(restoredRows<Given>(COLUMNS, parameter, shape).as<"given">(namedGiven(COLUMNS)))
          .select(BLOB_COLUMNS),
      )
      .onConflict(blobIsHeld)
      .returning(sql<number>`coalesce(octet_length(blob), 0)`.as("bytes")),
);

const compares = /* @__PURE__ */ new StatementFamily<RowShape, RowParams, DifferingRow>(
  (shape) => (db, parameter) =>
    db
      .selectFrom(restoredRows<Given>(COLUMNS, parameter, shape).as<"given">(namedGiven(COLUMNS)))
      .innerJoin("checkpoint_blobs as stored", (join) =>
        join
          .onRef("stored.thread_id", "=", "given.thread_id")
          .onRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
          .onRef("stored.channel", "=", "given.channel")
          .onRef("stored.version", "=", "given.version"),
      )
      .where((eb) =>
        eb.or([
          eb("stored.type", "is distinct from", eb.ref("given.type")),
          eb("stored.blob", "is distinct from", eb.ref("given.blob")),
        ]),
      )
      .select(["given.thread_id", "given.checkpoint_ns"])
      .select((eb) => [sql<null>`null::text`.as("checkpoint_id"), eb.ref("given.channel").as("channel")]),
);
