import { type QueryCreator, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { takesInline, withInline } from "./header-parts.js";
import type { BlobRow, CheckpointRows, HeaderRow, WriteRow } from "./checkpoint-rows.js";
import { type GivenParams, givenParams, givenRows, type GivenShape, shapeOf } from "./given-rows.js";
import {
  BLOB_COLUMNS,
  BLOB_TYPES,
  blobIsHeld,
  blobIsKept,
  HEADER_COLUMNS,
  headerIsReplaced,
  insertBlobs,
  insertHeaders,
  insertWrites,
  SPLICED_BLOB_COLUMNS,
  specialWriteIsReplaced,
  WRITE_COLUMNS,
  WRITE_TYPES,
} from "./inserts.js";
import { notifyWatchers } from "./notify-watchers.js";

/** A value that was inserted. Others were stored already. */
export interface InsertedBlob {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly channel: string;
  /** Whether it is new, and not one that a parent has as well. */
  readonly is_new_value: boolean;
}

/** Whether a row is one that an insert of values returns. */
export function isInsertedBlob(row: unknown): row is InsertedBlob {
  return typeof row === "object" && row !== null && "is_new_value" in row;
}

/**
 * Returns the statements that store rows: one for each table, whatever the number of rows. What the rows require has to be locked before.
 * The statements take their locks in the order of all writers: checkpoints, writes, values (C2).
 *
 * @param scope - The scope of the notifications that they send, or `undefined` for none.
 */
export function putRows(
  schema: string,
  { checkpoints, writes, blobs }: CheckpointRows,
  scope?: string,
): BoundStatement<unknown>[] {
  const changed = blobs.filter(({ isCarried }) => isCarried !== true);
  const carried = blobs.filter(({ isCarried }) => isCarried === true);
  return [
    ...(checkpoints.length > 0 ? [putHeaders(schema, checkpoints, scope)] : []),
    ...(writes.length > 0 ? [putWrites(schema, writes)] : []),
    ...(changed.length > 0 ? [putBlobs(schema, changed)] : []),
    ...(carried.length > 0 ? [putBlobs(schema, carried, true)] : []),
  ];
}

const HEADER_TYPES = {
  thread_id: "text",
  checkpoint_ns: "text",
  checkpoint_id: "text",
  parent_checkpoint_id: "text",
  checkpoint: "jsonb",
  metadata: "jsonb",
  inline_sources: "jsonb",
} as const;

type GivenHeader = { readonly [Name in keyof typeof HEADER_TYPES]: string };

interface HeadersShape {
  readonly given: GivenShape;
  readonly notifies: boolean;
}

function putHeaders(
  schema: string,
  rows: readonly HeaderRow[],
  scope: string | undefined,
): BoundStatement<unknown> {
  const shape = { given: shapeOf(rows), notifies: scope !== undefined };
  const given = rows.map((row) => ({
    thread_id: row.threadId,
    checkpoint_ns: row.checkpointNs,
    checkpoint_id: row.checkpointId,
    parent_checkpoint_id: row.parentCheckpointId,
    checkpoint: row.checkpoint,
    metadata: row.metadata,
    inline_sources: row.inlineSources,
  }));
  const params = { scope, ...givenParams(HEADER_TYPES, given, shape.given) };
  return headerStatements.of(shape).bind(schema, params);
}

const headerStatements = new StatementFamily<HeadersShape, GivenParams, unknown>(
  ({ given, notifies }) =>
    (db, parameter) => {
      const rows = db
        .selectFrom(givenRows<GivenHeader, "given", string>("given", HEADER_TYPES, parameter, given))
        .select([
          "given.thread_id",
          "given.checkpoint_ns",
          "given.checkpoint_id",
          "given.parent_checkpoint_id",
        ])
        .select([withCarriedInline(db).as("checkpoint"), "given.metadata"]);
      const insert = insertHeaders(db, HEADER_COLUMNS, rows, headerIsReplaced);
      return notifies ? insert.returning(notifyWatchers(db, scopeOf(parameter)).as("notified")) : insert;
    },
);

function scopeOf(parameter: Parameter<GivenParams>) {
  return sql<string | undefined>`${parameter("scope")}`;
}

/** The header, with the unchanged values that it takes from other headers. See `bindPut`. */
function withCarriedInline(db: QueryCreator<CheckpointDatabase>) {
  const header = sql.ref<string>("given.checkpoint");
  const sources = sql.ref("given.inline_sources");
  const taken = db
    .selectFrom(
      sql<{ name: string; checkpoint_id: string }>`jsonb_each_text(${sources})`.as<"carried">(
        sql`carried(name, checkpoint_id)`,
      ),
    )
    .innerJoin("checkpoints as source", (join) =>
      join
        .on("source.thread_id", "=", sql.ref<string>("given.thread_id"))
        .on("source.checkpoint_ns", "=", sql.ref<string>("given.checkpoint_ns"))
        .onRef("source.checkpoint_id", "=", "carried.checkpoint_id"),
    )
    .where(takesInline(header, sql.ref("source.checkpoint")))
    .select(
      sql<string>`jsonb_object_agg(carried.name, source.checkpoint -> 'channel_values' -> carried.name)`.as(
        "taken",
      ),
    );
  return sql<string>`case when ${sources} = '{}' then ${header}
    else ${withInline(header, sql`(${taken})`)} end`;
}

function putWrites(schema: string, rows: readonly WriteRow[]): BoundStatement<unknown> {
  const shape = shapeOf(rows);
  const given = rows.map(({ threadId, checkpointNs, checkpointId, taskId, taskPath, ...write }) => ({
    ...{ thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId },
    ...{ task_id: taskId, task_path: taskPath },
    ...write,
  }));
  return writeStatements.of(shape).bind(schema, givenParams(WRITE_TYPES, given, shape));
}

type GivenWrite = { readonly [Name in keyof typeof WRITE_TYPES]: unknown };

const writeStatements = new StatementFamily<GivenShape, GivenParams, unknown>((shape) => (db, parameter) => {
  const rows = db.selectFrom(givenRows<GivenWrite, "given", string>("given", WRITE_TYPES, parameter, shape));
  return insertWrites(db, rows.select(WRITE_COLUMNS), specialWriteIsReplaced);
});

type GivenBlob = { readonly [Name in keyof typeof BLOB_TYPES]: unknown };

interface BlobsShape {
  readonly given: GivenShape;
  readonly areCarried: boolean;
  /** Without splices, older tables without their columns do. */
  readonly haveSplices: boolean;
}

/**
 * Returns the statement that stores values. The bytes of a single one are a parameter of their own, which every driver sends in binary; an
 * array may be sent as text.
 *
 * @param areCarried - Whether they did not change since the parent, which is locked, so that their stored rows need no lock.
 */
function putBlobs(
  schema: string,
  rows: readonly BlobRow[],
  areCarried = false,
): BoundStatement<InsertedBlob> {
  const shape = {
    ...{ given: shapeOf(rows), areCarried },
    haveSplices: rows.some(({ splice }) => splice !== undefined),
  };
  const given = rows.map(({ threadId, checkpointNs, splice, ...value }) => ({
    ...{ thread_id: threadId, checkpoint_ns: checkpointNs },
    ...value,
    ...{ base: splice?.base ?? null, whole_bytes: splice?.wholeBytes ?? null },
  }));
  return blobStatements.of(shape).bind(schema, givenParams(BLOB_TYPES, given, shape.given));
}

const blobStatements = new StatementFamily<BlobsShape, GivenParams, InsertedBlob>(
  ({ given, areCarried, haveSplices }) =>
    (db, parameter) => {
      const columns = haveSplices ? SPLICED_BLOB_COLUMNS : BLOB_COLUMNS;
      const rows = db
        .selectFrom(givenRows<GivenBlob, "given", string>("given", BLOB_TYPES, parameter, given))
        .select(columns);
      return insertBlobs(db, columns, rows, areCarried ? blobIsKept : blobIsHeld).returning([
        ...(["thread_id", "checkpoint_ns", "channel"] as const),
        sql<boolean>`${sql.lit(!areCarried)}`.as("is_new_value"),
      ]);
    },
);
