import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../../db/checkpoint-database.js";
import type { CheckpointTables } from "../../../db/checkpoint-tables.js";
import { runStatement } from "../../../db/run-statement.js";
import { type BoundStatement, type Parameter, Statement } from "../../../db/statement.js";
import { StatementFamily } from "../../../db/statement-family.js";
import type { NamespaceKey } from "../../checkpoint-key.js";
import type { CheckpointsKey } from "./drop-checkpoints.js";

/** A stored value that no checkpoint refers to. */
export interface OrphanRow {
  channel: string;
  version: string;
  bytes: number;
}

/**
 * The stored values of a namespace that no checkpoint refers to, in the order of their keys.
 *
 * @param key - With the checkpoints that don't count, as if they were gone already.
 */
export function selectOrphanedBlobs(tables: CheckpointTables, key: CheckpointsKey): Promise<OrphanRow[]> {
  const counting = key.checkpointIds.length === 0 ? "all" : "others";
  return runStatement(tables, orphans.of(counting, counting), key);
}

/** Which headers count: all of them, or those of other checkpoints than the ones that are named. */
type Counting = "all" | "others";

// Sorted and grouped, not joined: never a loop in a loop, however wrong the statistics.
const orphans = /* @__PURE__ */ new StatementFamily<Counting, CheckpointsKey, OrphanRow>(
  (counting) => (db, parameter) =>
    db
      .selectFrom(
        db
          .selectFrom("checkpoint_blobs as stored")
          .select(["stored.channel", "stored.version"])
          .select([
            sql<number>`coalesce(octet_length(stored.blob), 0)`.as("bytes"),
            sql<boolean>`false`.as("is_referred_to"),
          ])
          .where("stored.thread_id", "=", parameter("threadId"))
          .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
          .unionAll(
            selectReferences(db, counting === "all" ? allHeaders(db, parameter) : otherHeaders(db, parameter))
              .select(["entry.channel", "entry.version"])
              .select([sql<number>`0`.as("bytes"), sql<boolean>`true`.as("is_referred_to")]),
          )
          .as("each"),
      )
      .select(["each.channel", "each.version", sql<number>`max(each.bytes)::float8`.as("bytes")])
      .groupBy(["each.channel", "each.version"])
      .having(sql<SqlBool>`not bool_or(each.is_referred_to)`)
      .orderBy(sql`each.channel collate "C"`)
      .orderBy(sql`each.version collate "C"`),
);

/** Some stored values of a namespace. */
export interface BlobsKey extends NamespaceKey {
  readonly channels: readonly string[];
  readonly versions: readonly string[];
}

/** A stored value that is locked. */
export interface LockedBlobRow {
  readonly channel: string;
  /** The isolation level of the transaction, as Postgres calls it. */
  readonly isolation: string;
}

/**
 * Locks stored values until the transaction ends, in the order in which they are named: whoever stores one of them again
 * waits, or is waited for.
 */
export function lockBlobs(schema: string, key: BlobsKey): BoundStatement<LockedBlobRow> {
  return lockAll.bind(schema, key);
}

const lockAll = /* @__PURE__ */ new Statement<BlobsKey, LockedBlobRow>((db, parameter) =>
  db
    .selectFrom(namedBlobs(parameter))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoint_blobs as stored")
          .select("stored.channel")
          .where("stored.thread_id", "=", parameter("threadId"))
          .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
          .whereRef("stored.channel", "=", "named.channel")
          .whereRef("stored.version", "=", "named.version")
          .limit(sql.lit(1))
          .forUpdate()
          .as("locked"),
      (join) => join.onTrue(),
    )
    .select(["locked.channel", sql<string>`current_setting('transaction_isolation')`.as("isolation")]),
);

/** What went. */
export interface DroppedBlobsRow {
  blobs: number;
  bytes: number;
}

/**
 * Deletes those of the stored values that no checkpoint refers to. To be sent after {@link lockBlobs} in the same
 * transaction: then it sees every checkpoint that refers to one of them.
 */
export function dropOrphanedBlobs(schema: string, key: BlobsKey): BoundStatement<DroppedBlobsRow> {
  return dropAll.bind(schema, key);
}

const dropAll = /* @__PURE__ */ new Statement<BlobsKey, DroppedBlobsRow>((db, parameter) =>
  db
    .with("orphan", (qb) =>
      qb
        .selectFrom(namedBlobs(parameter))
        .select(["named.channel", "named.version"])
        .except(selectReferences(db, allHeaders(db, parameter)).select(["entry.channel", "entry.version"])),
    )
    .with("gone", (qb) =>
      qb
        .deleteFrom("checkpoint_blobs as stored")
        .where("stored.thread_id", "=", parameter("threadId"))
        .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
        // What the index is asked for; a channel's version may be another one's as well.
        .where(sql<SqlBool>`stored.channel = any (${parameter("channels")}::text[])`)
        .where(sql<SqlBool>`stored.version = any (${parameter("versions")}::text[])`)
        .where(
          sql<SqlBool>`((stored.channel, stored.version) in (
            select orphan.channel, orphan.version from orphan
          )) is true`,
        )
        .returning(sql<number>`octet_length(stored.blob)`.as("bytes")),
    )
    .selectFrom("gone")
    .select([
      sql<number>`count(*)::float8`.as("blobs"),
      sql<number>`coalesce(sum(gone.bytes), 0)::float8`.as("bytes"),
    ]),
);

interface BlobName {
  channel: string;
  version: string;
}

function namedBlobs(parameter: Parameter<BlobsKey>) {
  return sql<BlobName>`unnest(
    ${parameter("channels")}::text[], ${parameter("versions")}::text[]
  )`.as<"named">(sql`named(channel, version)`);
}

/** The values that headers refer to. */
function selectReferences(db: QueryCreator<CheckpointDatabase>, headers: RawBuilder<{ versions: unknown }>) {
  return db.selectFrom(headers.as<"header">(sql`header(versions)`)).innerJoinLateral(
    sql<BlobName>`jsonb_each_text(
        case when jsonb_typeof(header.versions) = 'object' then header.versions end
      )`.as<"entry">(sql`entry(channel, version)`),
    (join) => join.onTrue(),
  );
}

// Taken out of the header once: a long one is compressed, and each look unpacks it anew.
const VERSIONS = sql`checkpoint -> 'channel_versions'`;

function allHeaders<Params extends NamespaceKey>(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<Params>,
): RawBuilder<{ versions: unknown }> {
  const all = db
    .selectFrom("checkpoints")
    .select(VERSIONS.as("versions"))
    .where("thread_id", "=", sql<string>`${parameter("threadId")}`)
    .where("checkpoint_ns", "=", sql<string>`${parameter("checkpointNs")}`)
    .offset(sql.lit(0));
  return sql`(${all})`;
}

function otherHeaders(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<CheckpointsKey>,
): RawBuilder<{ versions: unknown }> {
  const ids = db
    .selectFrom("checkpoints")
    .select("checkpoint_id")
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .except(
      db
        .selectFrom(
          sql<{ id: string }>`unnest(${parameter("checkpointIds")}::text[])`.as<"named">(sql`named(id)`),
        )
        .select("named.id as checkpoint_id"),
    );
  const others = db
    .selectFrom(ids.as("other"))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoints")
          .select(VERSIONS.as("versions"))
          .where("thread_id", "=", parameter("threadId"))
          .where("checkpoint_ns", "=", parameter("checkpointNs"))
          .whereRef("checkpoints.checkpoint_id", "=", "other.checkpoint_id")
          .limit(sql.lit(1))
          .as("stored"),
      (join) => join.onTrue(),
    )
    .select("stored.versions");
  return sql`(${others})`;
}
