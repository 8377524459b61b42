import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { BoundStatement, Parameter } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { CheckpointKey } from "../model/checkpoint-key.js";
import { blobIsHeld, headerIsReplaced } from "./conflict-rules.js";
import { BLOB_COLUMNS, HEADER_COLUMNS } from "./inserted-columns.js";
import { isMissingOrNew } from "./missing-or-new.js";
import { notifyWatchers } from "./notify-watchers.js";

/** A checkpoint as it is stored: one row of `checkpoints`, and the rows of `checkpoint_blobs` that it adds. */
export interface EncodedCheckpoint extends CheckpointKey {
  readonly parentCheckpointId: string | null;
  /** Whether it may follow any checkpoint, not only the newest: a fork, an update of the state by hand, or a replay. */
  readonly branches: boolean;
  /** The header, as JSON text. */
  readonly checkpoint: string;
  /** The metadata, as JSON text. */
  readonly metadata: string;
  /** The unchanged inline numbers by channel. The parent's header may spell them in another way. */
  readonly carriedNumbers: Readonly<Record<string, number>>;
  /** Ordered by channel, so that concurrent writers of the same rows can't deadlock. */
  readonly blobs: readonly EncodedBlob[];
  /**
   * Whether it is complete only together with its parent, because it references values or writes that the parent has. The
   * statement locks the parent, and stores nothing where the parent is gone.
   */
  readonly requiresParent: boolean;
  /**
   * Encodes the values that did not change since the parent, for the case that the parent is gone. Encoding them in each call
   * would cost more than the rest of the call. A value that the caller has changed since the call is stored as changed. Absent
   * where a checkpoint must not be stored without its parent.
   */
  readonly carriedBlobs?: (() => Promise<readonly EncodedBlob[]>) | undefined;
}

/** A channel's value as it is stored. */
export interface EncodedBlob {
  readonly channel: string;
  readonly version: string;
  readonly type: string;
  readonly blob: Uint8Array | null;
  /** Whether the value did not change, so that it is inserted only where its row is missing. */
  readonly isCarried?: boolean;
}

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
  const shape = {
    carriesNumbers: Object.keys(encoded.carriedNumbers).length > 0,
    requiresParent: encoded.requiresParent,
    carriesBlobs: encoded.blobs.some(({ isCarried }) => isCarried === true),
    notifies: scope !== undefined,
  };
  return statements.of(shape).bind(schema, paramsOf(encoded, scope));
}

/** Returns whether the statement of {@link bindPut} has stored the checkpoint. It has not where a required parent is gone. */
export function isStored({ requiresParent }: EncodedCheckpoint, rows: readonly unknown[]): boolean {
  return !requiresParent || rows.length > 0;
}

function paramsOf(encoded: EncodedCheckpoint, scope: string | undefined): PutParams {
  const { blobs, carriedNumbers, ...header } = encoded;
  return {
    ...header,
    scope,
    carriedNumbers: Object.keys(carriedNumbers),
    channels: blobs.map(({ channel }) => channel),
    versions: blobs.map(({ version }) => version),
    types: blobs.map(({ type }) => type),
    blobs: blobs.map(({ blob }) => blob),
    areCarried: blobs.map(({ isCarried }) => isCarried === true),
  };
}

interface PutParams extends Omit<
  EncodedCheckpoint,
  "blobs" | "branches" | "carriedNumbers" | "carriedBlobs" | "requiresParent"
> {
  readonly scope: string | undefined;
  readonly carriedNumbers: readonly string[];
  readonly channels: readonly string[];
  readonly versions: readonly string[];
  readonly types: readonly string[];
  readonly blobs: readonly (Uint8Array | null)[];
  readonly areCarried: readonly boolean[];
}

interface PutShape {
  /** Whether the statement copies inline numbers from the parent's header. */
  readonly carriesNumbers: boolean;
  /** Whether the statement locks the parent. */
  readonly requiresParent: boolean;
  /**
   * Whether some of the values are inserted only where their rows are missing. The check takes a quarter of the time of a put,
   * so only a put that has such values makes it. The layout of the official JavaScript saver has them.
   */
  readonly carriesBlobs: boolean;
  /** Whether the statement notifies those who watch the thread. */
  readonly notifies: boolean;
}

const statements = /* @__PURE__ */ new StatementFamily<PutShape, PutParams, unknown>(
  ({ carriesNumbers, requiresParent, carriesBlobs, notifies }) =>
    (db, parameter) => {
      const header = carriesNumbers ? withCarriedNumbers(db, parameter) : parameter("checkpoint");
      const notified = notifyWatchers(parameter("scope")).as("notified");
      if (!requiresParent) {
        const insert = putHeaderWithBlobs(db, parameter, header);
        return notifies ? insert.returning(notified) : insert;
      }
      const insert = putSuccessor(withParent(db, parameter), parameter, { header, carriesBlobs });
      return notifies ? insert.returning(notified) : insert;
    },
);

/**
 * The header, in which each unchanged number is spelled as in the parent's header. Python writes a whole float as 3.0, and
 * JavaScript reads and writes it as 3. JSONB compares the two as equal, and keeps the spelling of each.
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

type WithParent = CheckpointDatabase & { held_parent: { checkpoint_id: string } };

/**
 * The CTE `held_parent`: locks the parent, so that nobody deletes it before this statement has committed. A collection of
 * orphaned values after such a deletion then sees the references of the new checkpoint (C3).
 */
function withParent(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<PutParams>,
): QueryCreator<WithParent> {
  return db.with("held_parent", (qb) =>
    qb
      .selectFrom("checkpoints")
      .select("checkpoint_id")
      .where("thread_id", "=", parameter("threadId"))
      .where("checkpoint_ns", "=", parameter("checkpointNs"))
      .where("checkpoint_id", "=", sql<string>`${parameter("parentCheckpointId")}`)
      .forKeyShare(),
  );
}

/** Inserts nothing where the parent is gone. */
function putSuccessor(
  db: QueryCreator<WithParent>,
  parameter: Parameter<PutParams>,
  { header, carriesBlobs }: Pick<PutShape, "carriesBlobs"> & { readonly header: RawBuilder<string> },
) {
  return db
    .with("blobs", (qb) =>
      qb
        .insertInto("checkpoint_blobs")
        .columns(BLOB_COLUMNS)
        .expression((eb) =>
          eb
            .selectFrom(blobRows(parameter))
            .innerJoin("held_parent", (join) => join.onTrue())
            .$if(carriesBlobs, (rows) =>
              rows.where(isMissingOrNew(db, parameter("threadId"), parameter("checkpointNs"))),
            )
            .select(blobColumns(parameter)),
        )
        .onConflict(blobIsHeld),
    )
    .insertInto("checkpoints")
    .columns(HEADER_COLUMNS)
    .expression((eb) =>
      eb
        .selectFrom("held_parent")
        .select([
          sql<string>`${parameter("threadId")}::text`.as("thread_id"),
          sql<string>`${parameter("checkpointNs")}::text`.as("checkpoint_ns"),
          sql<string>`${parameter("checkpointId")}::text`.as("checkpoint_id"),
          sql<string | null>`${parameter("parentCheckpointId")}::text`.as("parent_checkpoint_id"),
          sql<string>`${header}::jsonb`.as("checkpoint"),
          sql<string>`${parameter("metadata")}::jsonb`.as("metadata"),
        ]),
    )
    .onConflict(headerIsReplaced)
    .returning("checkpoint_id");
}

function putHeaderWithBlobs(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<PutParams>,
  header: RawBuilder<string>,
) {
  return db
    .with("blobs", (qb) =>
      qb
        .insertInto("checkpoint_blobs")
        .columns(BLOB_COLUMNS)
        .expression((eb) => eb.selectFrom(blobRows(parameter)).select(blobColumns(parameter)))
        .onConflict(blobIsHeld),
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

function blobRows(parameter: Parameter<PutParams>) {
  return sql<{ channel: string; version: string; type: string; blob: Uint8Array | null }>`unnest(
    ${parameter("channels")}::text[],
    ${parameter("versions")}::text[],
    ${parameter("types")}::text[],
    ${parameter("blobs")}::bytea[],
    ${parameter("areCarried")}::boolean[]
  )`.as<"row">(sql`row(channel, version, type, blob, is_carried)`);
}

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
