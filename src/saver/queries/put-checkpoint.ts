import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import type { BoundStatement, Parameter } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { CheckpointKey } from "../model/checkpoint-key.js";
import { blobIsHeld, headerIsReplaced } from "./conflict-rules.js";
import { BLOB_COLUMNS, HEADER_COLUMNS } from "./inserted-columns.js";
import { isMissingOrNew } from "./missing-or-new.js";
import { tellWatchers } from "./notify-watchers.js";

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
  /**
   * Encodes the values that did not change, which stand in blobs that the parent refers to; left out where nothing of the
   * parent is needed. It is called only where the parent is gone, since to encode them at each call would cost more than all
   * else: what the caller changed since the call would be stored as changed, unless the blob is there still.
   */
  readonly carriedBlobs?: () => Promise<readonly EncodedBlob[]>;
}

/** A channel's value as it is stored. */
export interface EncodedBlob {
  readonly channel: string;
  readonly version: string;
  readonly type: string;
  readonly blob: Uint8Array | null;
  /** Whether it did not change, and goes along only for the case that no blob of it is there. */
  readonly isCarried?: boolean;
}

/**
 * Stores a checkpoint and its new values in one statement, so that either all of it is readable or nothing.
 *
 * @param told - The scope of those who are told of it; nobody is where it is `undefined`.
 * @returns Whether it was stored: not if its parent is gone, whose blobs it counts on.
 */
export async function putCheckpoint(
  call: CallContext,
  encoded: EncodedCheckpoint,
  told: string | undefined,
): Promise<boolean> {
  const rows = await runStatement(call, statementFor(encoded, told), paramsOf(encoded, told));
  return isStored(encoded, rows);
}

/** The statement of {@link putCheckpoint}, for a transaction. */
export function bindPut(
  schema: string,
  encoded: EncodedCheckpoint,
  told: string | undefined,
): BoundStatement<unknown> {
  return statementFor(encoded, told).bind(schema, paramsOf(encoded, told));
}

/** What the rows that {@link bindPut} returns say: see {@link putCheckpoint}. */
export function isStored({ carriedBlobs }: EncodedCheckpoint, rows: readonly unknown[]): boolean {
  return carriedBlobs === undefined || rows.length > 0;
}

function statementFor({ carriedNumbers, carriedBlobs, blobs }: EncodedCheckpoint, told: string | undefined) {
  const shape = {
    carriesNumbers: Object.keys(carriedNumbers).length > 0,
    carriesBlobs: carriedBlobs !== undefined,
    sparesBlobs: blobs.some(({ isCarried }) => isCarried === true),
    tells: told !== undefined,
  };
  return statements.of(Object.values(shape).join(), shape);
}

function paramsOf(encoded: EncodedCheckpoint, told: string | undefined): PutParams {
  const { blobs, carriedNumbers, ...header } = encoded;
  return {
    ...header,
    told,
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
  "blobs" | "branches" | "carriedNumbers" | "carriedBlobs"
> {
  readonly told: string | undefined;
  readonly carriedNumbers: readonly string[];
  readonly channels: readonly string[];
  readonly versions: readonly string[];
  readonly types: readonly string[];
  readonly blobs: readonly (Uint8Array | null)[];
  readonly areCarried: readonly boolean[];
}

interface PutShape {
  /** Whether inline numbers are taken from the parent's header. */
  readonly carriesNumbers: boolean;
  /** Whether blobs are counted on that the parent refers to. */
  readonly carriesBlobs: boolean;
  /**
   * Whether some of the values are inserted only where they are missing. To ask for that takes a quarter of a put: so only
   * those ask that have such values, as the layout of the official JavaScript saver does.
   */
  readonly sparesBlobs: boolean;
  /** Whether those who watch the thread are told. */
  readonly tells: boolean;
}

const statements = /* @__PURE__ */ new StatementFamily<PutShape, PutParams, unknown>(
  ({ carriesNumbers, carriesBlobs, sparesBlobs, tells }) =>
    (db, parameter) => {
      const header = carriesNumbers ? withCarriedNumbers(db, parameter) : parameter("checkpoint");
      if (!carriesBlobs) {
        const insert = putHeaderWithBlobs(db, parameter, header);
        return tells ? insert.returning(tellWatchers(parameter("told")).as("told")) : insert;
      }
      const insert = putSuccessor(withParent(db, parameter), parameter, { header, sparesBlobs });
      return tells ? insert.returning(tellWatchers(parameter("told")).as("told")) : insert;
    },
);

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

type WithParent = CheckpointDatabase & { held_parent: { checkpoint_id: string } };

/**
 * The CTE `held_parent`: the parent, which nobody deletes before this statement has committed. So whoever collects blobs
 * after a deletion sees what refers to them.
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

/** Without a parent there are no rows to insert. */
function putSuccessor(
  db: QueryCreator<WithParent>,
  parameter: Parameter<PutParams>,
  { header, sparesBlobs }: Pick<PutShape, "sparesBlobs"> & { readonly header: RawBuilder<string> },
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
            .$if(sparesBlobs, (rows) =>
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

/** Of {@link blobRows}, in the order of the columns that are inserted. */
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
