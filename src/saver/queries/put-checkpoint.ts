import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import { runStatement } from "../../db/run-statement.js";
import { type Parameter, Statement } from "../../db/statement.js";
import type { CheckpointKey } from "../checkpoint-key.js";
import { blobStays, headerIsReplaced } from "./conflict-rules.js";
import { BLOB_COLUMNS } from "./inserted-columns.js";

/** A checkpoint as it is stored: one row of `checkpoints` and the rows of `checkpoint_blobs` that are new with it. */
export interface EncodedCheckpoint extends CheckpointKey {
  readonly parentCheckpointId: string | null;
  /** Whether it may follow any checkpoint, not only the newest: a fork, an update of the state by hand, or a replay. */
  readonly branches: boolean;
  /** The header, as JSON text. */
  readonly checkpoint: string;
  /** The metadata, as JSON text. */
  readonly metadata: string;
  /** The inline numbers that did not change, by channel: the parent's header may have them in another spelling. */
  readonly carriedNumbers: Readonly<Record<string, number>>;
  /** In the order of their channels, so that concurrent writers of the same rows can't deadlock. */
  readonly blobs: readonly EncodedBlob[];
}

/** A channel's value as it is stored. */
export interface EncodedBlob {
  readonly channel: string;
  readonly version: string;
  readonly type: string;
  readonly blob: Uint8Array | null;
}

/** Stores a checkpoint and its new values in one statement, so that either all of it is readable or nothing. */
export async function putCheckpoint(tables: CheckpointTables, encoded: EncodedCheckpoint): Promise<void> {
  const { blobs, carriedNumbers, ...header } = encoded;
  const carried = Object.keys(carriedNumbers);
  await runStatement(tables, carried.length === 0 ? putPlain : putCarrying, {
    ...header,
    carriedNumbers: carried,
    channels: blobs.map(({ channel }) => channel),
    versions: blobs.map(({ version }) => version),
    types: blobs.map(({ type }) => type),
    blobs: blobs.map(({ blob }) => blob),
  });
}

interface PutParams extends Omit<EncodedCheckpoint, "blobs" | "branches" | "carriedNumbers"> {
  readonly carriedNumbers: readonly string[];
  readonly channels: readonly string[];
  readonly versions: readonly string[];
  readonly types: readonly string[];
  readonly blobs: readonly (Uint8Array | null)[];
}

/**
 * The header, with each number that did not change as its parent has it. Python writes a whole float as 3.0, which
 * JavaScript reads and writes as 3; Postgres keeps apart what it takes for equal.
 */
function withCarriedNumbers(db: QueryCreator<CheckpointDatabase>, parameter: Parameter<PutParams>) {
  const header = sql`${parameter("checkpoint")}::jsonb`;
  const spelled = db
    .selectFrom("checkpoints as parent")
    .innerJoin(
      sql<{ name: string }>`unnest(${parameter("carriedNumbers")}::text[])`.as<"carried">(sql`carried(name)`),
      (join) => join.onTrue(),
    )
    .where("parent.thread_id", "=", parameter("threadId"))
    .where("parent.checkpoint_ns", "=", parameter("checkpointNs"))
    .where("parent.checkpoint_id", "=", sql<string>`${parameter("parentCheckpointId")}`)
    .where(
      sql<boolean>`parent.checkpoint -> 'channel_values' -> carried.name = ${header} -> 'channel_values' -> carried.name`,
    )
    .select(
      sql<string>`jsonb_object_agg(carried.name, parent.checkpoint -> 'channel_values' -> carried.name)`.as(
        "numbers",
      ),
    );
  return sql<string>`jsonb_set(${header}, '{channel_values}', (${header} -> 'channel_values') || coalesce((${spelled}), '{}'))`;
}

const putPlain = /* @__PURE__ */ new Statement<PutParams, unknown>((db, parameter) =>
  putHeaderWithBlobs(db, parameter, parameter("checkpoint")),
);

const putCarrying = /* @__PURE__ */ new Statement<PutParams, unknown>((db, parameter) =>
  putHeaderWithBlobs(db, parameter, withCarriedNumbers(db, parameter)),
);

function putHeaderWithBlobs(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<PutParams>,
  header: RawBuilder<string>,
) {
  const rows = sql<{ channel: string; version: string; type: string; blob: Uint8Array | null }>`unnest(
    ${parameter("channels")}::text[],
    ${parameter("versions")}::text[],
    ${parameter("types")}::text[],
    ${parameter("blobs")}::bytea[]
  )`.as<"row">(sql`row(channel, version, type, blob)`);
  return db
    .with("blobs", (qb) =>
      qb
        .insertInto("checkpoint_blobs")
        .columns(BLOB_COLUMNS)
        .expression((eb) =>
          eb
            .selectFrom(rows)
            .select([
              sql<string>`${parameter("threadId")}::text`.as("thread_id"),
              sql<string>`${parameter("checkpointNs")}::text`.as("checkpoint_ns"),
            ])
            .select(["row.channel", "row.version", "row.type", "row.blob"]),
        )
        .onConflict(blobStays),
    )
    .insertInto("checkpoints")
    .values({
      thread_id: parameter("threadId"),
      checkpoint_ns: parameter("checkpointNs"),
      checkpoint_id: parameter("checkpointId"),
      parent_checkpoint_id: parameter("parentCheckpointId"),
      checkpoint: header,
      metadata: parameter("metadata"),
    })
    .onConflict(headerIsReplaced);
}
