import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type BoundStatement, type Parameter, Statement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { storedSize } from "../../saver/queries/stored-size.js";
import type { CheckpointsKey } from "./drop-checkpoints.js";
import {
  byNamespace,
  GIVEN_NS,
  GIVEN_THREAD,
  type GivenParams,
  givenList,
  givenParams,
  type OfNamespace,
  withGiven,
} from "./given-namespaces.js";

/** A stored value that no checkpoint refers to. */
export interface OrphanRow {
  channel: string;
  version: string;
}

/** How many stored values of a namespace no checkpoint refers to, and how much they hold. */
export interface OrphanSumRow {
  blobs: number;
  bytes: number;
}

/** The stored values of each namespace that no checkpoint refers to, in the order of their keys. */
export async function selectOrphanedBlobs(
  call: CallContext,
  namespaces: readonly NamespaceKey[],
): Promise<OrphanRow[][]> {
  if (namespaces.length === 0) return [];
  const params = givenParams(namespaces.map((key) => ({ key })));
  return byNamespace(namespaces, await runStatement(call, orphans, params));
}

/**
 * Counts what {@link selectOrphanedBlobs} would tell.
 *
 * @param keys - With the checkpoints that don't count, as if they were gone already.
 */
export async function countOrphanedBlobs(
  call: CallContext,
  keys: readonly CheckpointsKey[],
): Promise<OrphanSumRow[]> {
  if (keys.length === 0) return [];
  const counting = keys.every(({ checkpointIds }) => checkpointIds.length === 0) ? "all" : "others";
  const given = keys.map(({ checkpointIds: ids, ...key }) => ({ key, lists: { ids } }));
  const rows = await runStatement(call, orphanSums.of(counting, counting), givenParams(given));
  return rows.map(({ blobs, bytes }) => ({ blobs, bytes }));
}

/** Which headers count: all of them, or those of other checkpoints than the ones that are named. */
type Counting = "all" | "others";

const orphans = /* @__PURE__ */ new Statement<GivenParams, OrphanRow & OfNamespace>((db, parameter) =>
  withGiven(db, parameter)
    .selectFrom("given")
    .innerJoinLateral(unreferenced(db, "all").as("each"), (join) => join.onTrue())
    .select(["given.n", "each.channel", "each.version"])
    .orderBy("given.n")
    .orderBy(sql`each.channel collate "C"`)
    .orderBy(sql`each.version collate "C"`),
);

const orphanSums = /* @__PURE__ */ new StatementFamily<Counting, GivenParams, OrphanSumRow & OfNamespace>(
  (counting) => (db, parameter) =>
    withGiven(db, parameter, ["ids"])
      .selectFrom("given")
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom(unreferenced(db, counting).as("value"))
            .select([
              sql<number>`count(*)::float8`.as("blobs"),
              sql<number>`coalesce(sum(value.bytes), 0)::float8`.as("bytes"),
            ])
            .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.n", "each.blobs", "each.bytes"])
      .orderBy("given.n"),
);

/** Of the given namespace. Sorted and grouped, not joined: never a loop in a loop, however wrong the statistics. */
function unreferenced(db: QueryCreator<CheckpointDatabase>, counting: Counting) {
  return db
    .selectFrom(
      db
        .selectFrom("checkpoint_blobs as stored")
        .select(["stored.channel", "stored.version"])
        .select([storedSize("stored.blob").as("bytes"), sql<boolean>`false`.as("is_referred_to")])
        .where("stored.thread_id", "=", GIVEN_THREAD)
        .where("stored.checkpoint_ns", "=", GIVEN_NS)
        .unionAll(
          selectReferences(db, counting === "all" ? allHeaders(db, GIVEN_THREAD, GIVEN_NS) : otherHeaders(db))
            .select(["entry.channel", "entry.version"])
            .select([sql<number | null>`null::integer`.as("bytes"), sql<boolean>`true`.as("is_referred_to")]),
        )
        .as("each"),
    )
    .select(["each.channel", "each.version", sql<number | null>`max(each.bytes)`.as("bytes")])
    .groupBy(["each.channel", "each.version"])
    .having(sql<SqlBool>`not bool_or(each.is_referred_to)`);
}

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
        .except(
          selectReferences(db, allHeaders(db, parameter("threadId"), parameter("checkpointNs"))).select([
            "entry.channel",
            "entry.version",
          ]),
        ),
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
        .returning(storedSize("stored.blob").as("bytes")),
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

function allHeaders(
  db: QueryCreator<CheckpointDatabase>,
  threadId: RawBuilder<string>,
  checkpointNs: RawBuilder<string>,
): RawBuilder<{ versions: unknown }> {
  const all = db
    .selectFrom("checkpoints")
    .select(VERSIONS.as("versions"))
    .where("thread_id", "=", threadId)
    .where("checkpoint_ns", "=", checkpointNs)
    .offset(sql.lit(0));
  return sql`(${all})`;
}

/** Of the given namespace, but for the checkpoints in its list `ids`. */
function otherHeaders(db: QueryCreator<CheckpointDatabase>): RawBuilder<{ versions: unknown }> {
  const ids = db
    .selectFrom("checkpoints")
    .select("checkpoint_id")
    .where("thread_id", "=", GIVEN_THREAD)
    .where("checkpoint_ns", "=", GIVEN_NS)
    .except(
      db
        .selectFrom(sql<{ id: string }>`unnest(${givenList("ids")})`.as<"named">(sql`named(id)`))
        .select("named.id as checkpoint_id"),
    );
  const others = db
    .selectFrom(ids.as("other"))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoints")
          .select(VERSIONS.as("versions"))
          .where("thread_id", "=", GIVEN_THREAD)
          .where("checkpoint_ns", "=", GIVEN_NS)
          .whereRef("checkpoints.checkpoint_id", "=", "other.checkpoint_id")
          .limit(sql.lit(1))
          .as("stored"),
      (join) => join.onTrue(),
    )
    .select("stored.versions");
  return sql`(${others})`;
}
