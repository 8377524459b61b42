import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { headerIsHeld } from "../../saver/queries/conflict-rules.js";
import {
  type ColumnTypes,
  type DifferingRow,
  namedGiven,
  type RestoredCheckpoint,
  restoredRows,
  type RowParams,
  type StoredRow,
  toRowParams,
} from "../../saver/queries/restored-rows.js";

const COLUMNS: ColumnTypes<RestoredCheckpoint> = {
  thread_id: "text",
  checkpoint_ns: "text",
  checkpoint_id: "text",
  parent_checkpoint_id: "text",
  type: "text",
  checkpoint: "jsonb",
  metadata: "jsonb",
};
const NAMES = [
  "thread_id",
  "checkpoint_ns",
  "checkpoint_id",
  "parent_checkpoint_id",
  "type",
  "checkpoint",
  "metadata",
] as const;

/** What the columns take, where JSONB is JSONB already. */
interface Given {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  type: string | null;
  checkpoint: string;
  metadata: string;
}

/**
 * Stores the rows whose keys are not stored yet, and returns a row for each. It locks the others, so that nobody deletes
 * them before the transaction ends.
 */
export function restoreCheckpoints(
  schema: string,
  rows: readonly RestoredCheckpoint[],
): BoundStatement<StoredRow> {
  return insert.bind(schema, toRowParams(COLUMNS, rows, "many"));
}

/** Finds those of the rows that are there and differ, be it in how a number is spelled. */
export function differingCheckpoints(
  schema: string,
  rows: readonly RestoredCheckpoint[],
): BoundStatement<DifferingRow> {
  return compare.bind(schema, toRowParams(COLUMNS, rows, "many"));
}

const insert = /* @__PURE__ */ new Statement<RowParams, StoredRow>((db, parameter) =>
  db
    .insertInto("checkpoints")
    .columns(NAMES)
    .expression((eb) =>
      eb
        .selectFrom(restoredRows<Given>(COLUMNS, parameter, "many").as<"given">(namedGiven(COLUMNS)))
        .select(NAMES),
    )
    .onConflict(headerIsHeld)
    .returning(sql<number>`0`.as("bytes")),
);

const compare = /* @__PURE__ */ new Statement<RowParams, DifferingRow>((db, parameter) =>
  db
    .selectFrom(restoredRows<Given>(COLUMNS, parameter, "many").as<"given">(namedGiven(COLUMNS)))
    .innerJoin("checkpoints as stored", (join) =>
      join
        .onRef("stored.thread_id", "=", "given.thread_id")
        .onRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
        .onRef("stored.checkpoint_id", "=", "given.checkpoint_id"),
    )
    .where((eb) =>
      eb.or([
        eb("stored.parent_checkpoint_id", "is distinct from", eb.ref("given.parent_checkpoint_id")),
        eb("stored.type", "is distinct from", eb.ref("given.type")),
        // As text: to JSONB 1.0 equals 1, which is an integer in Python, and no float.
        sql<boolean>`stored.checkpoint::text is distinct from given.checkpoint::text`,
        sql<boolean>`stored.metadata::text is distinct from given.metadata::text`,
      ]),
    )
    .select(["given.thread_id", "given.checkpoint_ns"])
    .select((eb) => [eb.ref("given.checkpoint_id").as("checkpoint_id"), sql<null>`null::text`.as("channel")]),
);
