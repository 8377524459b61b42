import {
  type Expression,
  type ExpressionBuilder,
  type QueryCreator,
  type RawBuilder,
  sql,
  type SqlBool,
} from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { BoundStatement, Parameter } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import { AES_GCM_LAYER } from "../../serde/encrypted/aes-gcm-layer.js";
import { blobIsHeld, headerIsHeld, writeIsHeld } from "../../saver/queries/conflict-rules.js";
import { BLOB_COLUMNS, HEADER_COLUMNS, WRITE_COLUMNS } from "../../saver/queries/inserted-columns.js";
import { headerWithTextVersions, textVersion } from "../../saver/queries/text-versions.js";

/** Which thread is copied to which. */
export interface CopiedThreads {
  readonly source: string;
  readonly target: string;
  /** Whether values are encoded anew, and versions that are numbers become text. */
  readonly reencode: boolean;
}

/** What became of a copy: one row. */
export interface CopyRow {
  /** A checkpoint that the target has and the source has not: then nothing was copied. */
  readonly stranger: string | null;
  /** Whether AES-256-GCM may bind a value to the source: then nothing was copied. `false` where values are not copied here. */
  readonly has_bound: boolean;
  /** Whether all values and writes of the source were in the target already; always, where they are copied here. */
  readonly has_values: boolean;
  /** What the source has. */
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
  /** The length of all values. */
  readonly bytes: number;
}

/** What is copied: all rows, or the checkpoints alone, once the target has all values and writes of the source. */
export type CopiedRows = "all" | "checkpoints";

interface CopyShape {
  readonly rows: CopiedRows;
  readonly textVersions: boolean;
}

type CopyParams = Pick<CopiedThreads, "source" | "target">;

/**
 * Copies rows of a thread on the server, as of one moment, unless the target has checkpoints of its own, or a copied value
 * may be unreadable there. Rows that the target has already stay, so that it may be sent again, and are locked until the transaction ends.
 */
export function copyRows(schema: string, rows: CopiedRows, threads: CopiedThreads): BoundStatement<CopyRow> {
  const { source, target, reencode: textVersions } = threads;
  return copies
    .of(`${rows} ${String(textVersions)}`, { rows, textVersions })
    .bind(schema, { source, target });
}

const copies = /* @__PURE__ */ new StatementFamily<CopyShape, CopyParams, CopyRow>(
  ({ rows, textVersions }) =>
    (db, parameter) => {
      const source = parameter("source");
      const unfit = withUnfit(db, parameter, { rows, textVersions });
      const values = rows === "all" ? withCopiedValues(unfit, parameter) : unfit;
      const hasValues = rows === "all" ? sql<boolean>`true` : hasAllValues(db, parameter, textVersions);
      return values
        .with("copied_checkpoints", (qb) =>
          insertHeaders(qb, parameter, { isMeant: hasValues, textVersions }),
        )
        .selectNoFrom((eb) => [
          eb.selectFrom("stranger").select("stranger.checkpoint_id").as("stranger"),
          sql<boolean>`exists (${eb.selectFrom("bound").selectAll()})`.as("has_bound"),
          hasValues.as("has_values"),
          count(eb.selectFrom("checkpoints").where("thread_id", "=", source).select(ROWS)).as("checkpoints"),
          count(eb.selectFrom("checkpoint_writes").where("thread_id", "=", source).select(ROWS)).as("writes"),
          count(eb.selectFrom("checkpoint_blobs").where("thread_id", "=", source).select(ROWS)).as("blobs"),
          sql<number>`(${eb.selectFrom("checkpoint_writes").where("thread_id", "=", source).select(BYTES)}
          + ${eb.selectFrom("checkpoint_blobs").where("thread_id", "=", source).select(BYTES)})::float8`.as(
            "bytes",
          ),
        ]);
    },
);

/** Postgres works through what is inserted from the last to the first: checkpoints, writes, blobs, as all writers do. */
function withCopiedValues(db: QueryCreator<WithUnfit>, parameter: Parameter<CopyParams>) {
  const source = parameter("source");
  return db
    .with("copied_blobs", (qb) =>
      qb
        .insertInto("checkpoint_blobs")
        .columns(BLOB_COLUMNS)
        .expression((eb) =>
          eb
            .selectFrom("checkpoint_blobs")
            .where("thread_id", "=", source)
            .where(isCopied(eb))
            .select(as(parameter("target")))
            .select(["checkpoint_ns", "channel", "version", "type", "blob"])
            .orderBy("checkpoint_ns")
            .orderBy("channel")
            .orderBy("version"),
        )
        .onConflict(blobIsHeld),
    )
    .with("copied_writes", (qb) =>
      qb
        .insertInto("checkpoint_writes")
        .columns(WRITE_COLUMNS)
        .expression((eb) =>
          eb
            .selectFrom("checkpoint_writes")
            .where("thread_id", "=", source)
            .where(isCopied(eb))
            .select(as(parameter("target")))
            .select([
              "checkpoint_ns",
              "checkpoint_id",
              "task_id",
              "task_path",
              "idx",
              "channel",
              "type",
              "blob",
            ])
            .orderBy("checkpoint_ns")
            .orderBy("checkpoint_id")
            .orderBy("task_id")
            .orderBy("idx"),
        )
        .onConflict(writeIsHeld),
    );
}

/** Whether the target has a row for each value and write of the source, be it encoded otherwise. */
function hasAllValues(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<CopyParams>,
  textVersions: boolean,
): RawBuilder<boolean> {
  const version = sql<string>`version`;
  const blobsOf = (threadId: RawBuilder<string>, copied: RawBuilder<string>) =>
    db
      .selectFrom("checkpoint_blobs")
      .select(["checkpoint_ns", "channel", copied.as("version")])
      .where("thread_id", "=", threadId);
  const writesOf = (threadId: RawBuilder<string>) =>
    db
      .selectFrom("checkpoint_writes")
      .select(["checkpoint_ns", "checkpoint_id", "task_id", "idx"])
      .where("thread_id", "=", threadId);
  const [source, target] = [parameter("source"), parameter("target")];
  const copiedVersion = textVersions ? textVersion(version) : version;
  return sql<boolean>`(not exists (${blobsOf(source, copiedVersion).except(blobsOf(target, version))})
    and not exists (${writesOf(source).except(writesOf(target))}))`;
}

const ROWS = /* @__PURE__ */ sql<number>`count(*)`.as("rows");
const BYTES = /* @__PURE__ */ sql<number>`coalesce(sum(octet_length(blob)), 0)`.as("bytes");

type WithUnfit = CheckpointDatabase & { stranger: { checkpoint_id: string }; bound: { type: string | null } };

/** A checkpoint of an earlier copy that was not encoded anew. */
const HAS_NUMBERS = /* @__PURE__ */ sql<SqlBool>`(own.checkpoint -> 'channel_versions')
  is distinct from (${headerWithTextVersions(sql`own.checkpoint`)}) -> 'channel_versions'`;

/**
 * What speaks against a copy. The CTE `stranger`: a checkpoint that only the target has, or has with numbers as versions, if
 * there is one. The CTE `bound`: the type of a value that AES-256-GCM may bind to the source, if there is one.
 */
function withUnfit(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<CopyParams>,
  { rows, textVersions }: CopyShape,
): QueryCreator<WithUnfit> {
  const typesIn = (table: "checkpoint_blobs" | "checkpoint_writes") =>
    db
      .selectFrom(table)
      .select(sql<string | null>`type`.as("type"))
      .where("thread_id", "=", parameter("source"))
      .where(rows === "all" ? IS_AES_GCM : sql<SqlBool>`false`);
  const withBound = db.with("bound", () =>
    typesIn("checkpoint_blobs").unionAll(typesIn("checkpoint_writes")),
  );
  return withBound.with("stranger", (qb) =>
    qb
      .selectFrom("checkpoints as own")
      .where("own.thread_id", "=", parameter("target"))
      .where((eb) => {
        const isOwn = eb.not(
          eb.exists(
            eb
              .selectFrom("checkpoints as copied")
              .select("copied.checkpoint_id")
              .where("copied.thread_id", "=", parameter("source"))
              .whereRef("copied.checkpoint_ns", "=", "own.checkpoint_ns")
              .whereRef("copied.checkpoint_id", "=", "own.checkpoint_id"),
          ),
        );
        return textVersions ? eb.or([isOwn, HAS_NUMBERS]) : isOwn;
      })
      .select("own.checkpoint_id")
      .limit(sql.lit(1)),
  );
}

const IS_AES_GCM = /* @__PURE__ */ sql<SqlBool>`type || '+' like ${sql.lit(`%+${AES_GCM_LAYER}+%`)}`;

interface InsertedHeaders {
  readonly isMeant: Expression<SqlBool>;
  readonly textVersions: boolean;
}

function insertHeaders(
  qb: QueryCreator<WithUnfit>,
  parameter: Parameter<CopyParams>,
  { isMeant, textVersions }: InsertedHeaders,
) {
  const header = sql.ref<string>("checkpoint");
  return qb
    .insertInto("checkpoints")
    .columns([...HEADER_COLUMNS, "type"])
    .expression((eb) =>
      eb
        .selectFrom("checkpoints")
        .where("thread_id", "=", parameter("source"))
        .where(isMeant)
        .where(isCopied(eb))
        .select(as(parameter("target")))
        .select(["checkpoint_ns", "checkpoint_id", "parent_checkpoint_id"])
        .select((textVersions ? headerWithTextVersions(header) : header).as("checkpoint"))
        .select(["metadata", "type"])
        // Writers of the same rows must take them in the same order, or they may wait for each other for ever.
        .orderBy("checkpoint_ns")
        .orderBy("checkpoint_id"),
    )
    .onConflict(headerIsHeld);
}

function isCopied(eb: ExpressionBuilder<WithUnfit, keyof CheckpointDatabase>): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (${eb.selectFrom("stranger").selectAll()})
    and not exists (${eb.selectFrom("bound").selectAll()})`;
}

function as(threadId: RawBuilder<string>) {
  return sql<string>`${threadId}::text`.as("thread_id");
}

function count(rows: Expression<unknown>): RawBuilder<number> {
  return sql<number>`(${rows})::float8`;
}
