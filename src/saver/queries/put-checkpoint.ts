import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, type Parameter, StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../model/keys.js";
import {
  blobIsHeld,
  headerIsReplaced,
  insertBlobs,
  BLOB_COLUMNS,
  HEADER_COLUMNS,
  SPLICED_BLOB_COLUMNS,
} from "./inserts.js";
import { eachInline, takesInline, withInline } from "./header-parts.js";
import type { EncodedCheckpoint } from "./checkpoint-rows.js";
import { type WithHeld, withHeld, isMissingOrNew } from "./held-rows.js";
import { notifyWatchers } from "./notify-watchers.js";

/**
 * Stores a checkpoint and its new values in one statement, so that all of it becomes readable or nothing (C1).
 *
 * @param scope - The scope of the notification that the statement sends, or `undefined` for none.
 */
export function bindPut(
  schema: string,
  encoded: EncodedCheckpoint,
  scope: string | undefined,
): BoundStatement<unknown> {
  const { requiresParent, chained } = encoded;
  const params = paramsOf(encoded, scope);
  const shape = {
    carriesInline: params.carriedInline.length > 0,
    requiresParent,
    carriesBlobs: params.areCarried.includes(true),
    hasSplices: hasSplices(encoded),
    countsBlobs: chained !== undefined && chained.size > 0,
    notifies: scope !== undefined,
  };
  return statements.of(shape).bind(schema, params);
}

/**
 * Returns whether the statement of {@link bindPut} has stored the checkpoint. It has not where a required parent or the base of a
 * splice is gone, or another value has taken the place of the base.
 */
export function isStored(encoded: EncodedCheckpoint, rows: readonly unknown[]): boolean {
  return rows.length > 0 || !(encoded.requiresParent || hasSplices(encoded));
}

function hasSplices({ blobs }: EncodedCheckpoint): boolean {
  for (const { splice } of blobs) if (splice !== undefined) return true;
  return false;
}

/**
 * Returns how many values the statement of {@link bindPut} has inserted, where the saver remembers some of them. Others were
 * stored already.
 */
export function insertedBlobs([row]: readonly unknown[]): number | undefined {
  const isCounted = typeof row === "object" && row !== null && "inserted_blobs" in row;
  return isCounted && typeof row.inserted_blobs === "number" ? row.inserted_blobs : undefined;
}

function paramsOf(encoded: EncodedCheckpoint, scope: string | undefined): PutParams {
  const { threadId, checkpointNs, checkpointId, parentCheckpointId, checkpoint, metadata } = encoded;
  const columns: BlobParams = {
    channels: [],
    versions: [],
    types: [],
    blobs: [],
    areCarried: [],
    bases: [],
    baseMarks: [],
    wholeBytes: [],
  };
  for (const { channel, version, type, blob, isCarried = false, splice } of encoded.blobs) {
    columns.channels.push(channel);
    columns.versions.push(version);
    columns.types.push(type);
    columns.blobs.push(blob);
    columns.areCarried.push(isCarried);
    columns.bases.push(splice?.base ?? null);
    columns.baseMarks.push(splice?.baseMark ?? null);
    columns.wholeBytes.push(splice?.wholeBytes ?? null);
  }
  return {
    threadId,
    checkpointNs,
    checkpointId,
    parentCheckpointId,
    checkpoint,
    metadata,
    scope,
    referencedVersions: JSON.stringify(encoded.referencedVersions),
    carriedInline: Object.keys(encoded.carriedInline),
    ...columns,
  };
}

/** The columns of the values, each with one item per value. */
interface BlobParams {
  readonly channels: string[];
  readonly versions: string[];
  readonly types: string[];
  readonly blobs: (Uint8Array | null)[];
  readonly areCarried: boolean[];
  readonly bases: (string | null)[];
  readonly baseMarks: (string | null)[];
  readonly wholeBytes: (number | null)[];
}

interface PutParams
  extends
    CheckpointKey,
    BlobParams,
    Pick<EncodedCheckpoint, "parentCheckpointId" | "checkpoint" | "metadata"> {
  readonly scope: string | undefined;
  readonly carriedInline: readonly string[];
  readonly referencedVersions: string;
}

interface PutShape {
  /** Whether the statement copies values from the parent's header. */
  readonly carriesInline: boolean;
  /** Whether the statement locks the parent. */
  readonly requiresParent: boolean;
  /**
   * Whether some of the values are inserted only where their rows are missing. The check takes a quarter of the time of a put,
   * so only a put that has such values makes it. The layout of the official JavaScript saver has them.
   */
  readonly carriesBlobs: boolean;
  /** Whether some of the values are splices, whose bases the statement locks. */
  readonly hasSplices: boolean;
  /** Whether the statement counts the values that it inserts. */
  readonly countsBlobs: boolean;
  /** Whether the statement notifies those who watch the thread. */
  readonly notifies: boolean;
}

const statements = new StatementFamily<PutShape, PutParams, unknown>((shape) => (builder, parameter) => {
  const db = refusingUnmigrated(builder);
  const { carriesInline, requiresParent, hasSplices, countsBlobs, notifies } = shape;
  const header = carriesInline ? withCarriedInline(db, parameter, shape) : givenHeader(parameter);
  const returned = [
    ...(countsBlobs ? [INSERTED_BLOBS] : []),
    ...(notifies ? [notifyWatchers(db, parameter("scope"), parameter("threadId")).as("notified")] : []),
  ];
  const isHeld = requiresParent || hasSplices;
  const required = isHeld ? withHeld(db, parameter, shape) : db;
  const insert = putHeaderWithBlobs(required, parameter, header, shape);
  return returned.length > 0 ? insert.returning(returned) : insert;
});

/**
 * Names a column that a read needs and that tables of the official JavaScript saver lack, so that a put fails there as a read does: what it
 * stored could not be read. Postgres checks the name, and then drops this part of the statement, since nothing refers to it.
 */
function refusingUnmigrated(db: QueryCreator<CheckpointDatabase>): QueryCreator<CheckpointDatabase> {
  return db.with("migrated", (qb) => qb.selectFrom("checkpoint_writes").select("task_path"));
}

const INSERTED_BLOBS = sql<number>`(select count(*) from blobs)::integer`.as("inserted_blobs");

/** The header, with the unchanged values that it takes from the parent's header, which the CTE `held` may have. */
function withCarriedInline(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<PutParams>,
  { requiresParent, hasSplices }: PutShape,
) {
  const given = sql.ref("given.header");
  const parent = db
    .selectFrom("checkpoints")
    .select("checkpoint")
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoint_id", "=", sql<string>`${parameter("parentCheckpointId")}`);
  const isHeld = requiresParent && !hasSplices;
  const carried = sql.ref(isHeld ? "held.checkpoint" : "parent.checkpoint");
  const inline = sql`(
    select jsonb_object_agg(carried.name, carried.value) from ${eachInline(carried)}
    where carried.name = any (${parameter("carriedInline")}::text[]) and ${takesInline(given, carried)}
  )`;
  const taken = isHeld ? inline : sql`(select ${inline} from (${parent}) parent)`;
  // A row of its own: Postgres would parse a parameter once for each reference to it.
  return sql<string>`(select ${withInline(given, taken)} from (select ${givenHeader(parameter)} offset 0) given(header))`;
}

function givenHeader(parameter: Parameter<PutParams>): RawBuilder<string> {
  return sql<string>`${parameter("checkpoint")}::jsonb`;
}

/** Inserts the values and the header: nothing where `held` is there and has no row, since something that the checkpoint requires is gone. */
function putHeaderWithBlobs(
  db: QueryCreator<WithHeld>,
  parameter: Parameter<PutParams>,
  header: RawBuilder<string>,
  { requiresParent, carriesBlobs, hasSplices, countsBlobs }: PutShape,
) {
  const isHeld = requiresParent || hasSplices;
  const insert = db
    .with("blobs", (qb) => {
      const rows = qb
        .selectFrom(blobRows(parameter, hasSplices))
        .$if(isHeld, (given) => given.innerJoin("held", (join) => join.onTrue()))
        .$if(isHeld && carriesBlobs, (given) =>
          given.where(isMissingOrNew(db, parameter("threadId"), parameter("checkpointNs"))),
        )
        .select(blobColumns(parameter))
        .$if(hasSplices, (given) => given.select(SPLICE_COLUMNS));
      const blobs = insertBlobs(qb, hasSplices ? SPLICED_BLOB_COLUMNS : BLOB_COLUMNS, rows, blobIsHeld);
      return countsBlobs ? blobs.returning("channel") : blobs;
    })
    .insertInto("checkpoints");
  const given = {
    thread_id: sql<string>`${parameter("threadId")}::text`,
    checkpoint_ns: sql<string>`${parameter("checkpointNs")}::text`,
    checkpoint_id: sql<string>`${parameter("checkpointId")}::text`,
    parent_checkpoint_id: sql<string | null>`${parameter("parentCheckpointId")}::text`,
    checkpoint: header,
    metadata: sql<string>`${parameter("metadata")}::jsonb`,
  };
  if (!isHeld) return insert.values(given).onConflict(headerIsReplaced).$castTo<unknown>();
  const columns = [
    ...[given.thread_id.as("thread_id"), given.checkpoint_ns.as("checkpoint_ns")],
    ...[given.checkpoint_id.as("checkpoint_id"), given.parent_checkpoint_id.as("parent_checkpoint_id")],
    ...[header.as("checkpoint"), given.metadata.as("metadata")],
  ];
  return insert
    .columns(HEADER_COLUMNS)
    .expression((eb) => eb.selectFrom("held").select(columns))
    .onConflict(headerIsReplaced)
    .returning("checkpoint_id")
    .$castTo<unknown>();
}

interface BlobRowColumns {
  channel: string;
  version: string;
  type: string;
  blob: Uint8Array | null;
  base: string | null;
  whole_bytes: number | null;
}

function blobRows(parameter: Parameter<PutParams>, hasSplices: boolean) {
  const splices = sql`, ${parameter("bases")}::text[], ${parameter("wholeBytes")}::integer[]`;
  return sql<BlobRowColumns>`unnest(
    ${parameter("channels")}::text[],
    ${parameter("versions")}::text[],
    ${parameter("types")}::text[],
    ${parameter("blobs")}::bytea[],
    ${parameter("areCarried")}::boolean[]${hasSplices ? splices : sql``}
  )`.as<"row">(
    sql`row(channel, version, type, blob, is_carried${hasSplices ? sql`, base, whole_bytes` : sql``})`,
  );
}

const SPLICE_COLUMNS = ["row.base", "row.whole_bytes"] as const;

/** The columns of {@link blobRows}, in the order of the insert. */
function blobColumns(parameter: Parameter<PutParams>) {
  return [
    sql<string>`${parameter("threadId")}::text`.as("thread_id"),
    sql<string>`${parameter("checkpointNs")}::text`.as("checkpoint_ns"),
    sql<string>`row.channel`.as("channel"),
    sql<string>`row.version`.as("version"),
    sql<string>`row.type`.as("type"),
    sql<Uint8Array | null>`row.blob`.as("blob"),
  ] as const;
}
