import { perNamespace } from "./per-namespace.js";
import { type QueryCreator, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type Parameter, Statement } from "../../db/statements/statement.js";
import { type BlobsKey, namedBlobs } from "../../saver/queries/lock-blobs.js";
import { storedSize } from "../../saver/queries/sent-row.js";
import { ARE_ALL_READABLE, unreferencedBlobs, versionsOfNamespace, withUnneeded } from "./blob-references.js";
import type { CheckpointsKey } from "./deleted-checkpoints.js";

/** A value that no checkpoint needs, once some are deleted. */
export interface OrphanedBlobRow {
  channel: string;
  version: string;
  /** The version that the value is a splice of; `null` for a whole value. */
  base: string | null;
  /** The size of the value as stored. */
  bytes: number | null;
  /** Whether nothing needs it even now. */
  is_orphan: boolean;
  /** Whether every header of the namespace that stays can be read. A damaged one may reference the value. */
  is_readable: boolean;
}

/**
 * The values of each namespace that no checkpoint needs, directly or through a splice (C13), as if the given ones were deleted already.
 * Ordered by channel and version.
 */
export const selectOrphanedBlobs = perNamespace<CheckpointsKey, OrphanedBlobRow>(
  { ids: ({ checkpointIds }) => checkpointIds },
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(unreferencedBlobs(db, threadId).as("each"), (join) => join.onTrue())
      .select(["given.ordinal", "each.channel", "each.version", "each.base", "each.bytes"])
      .select(["each.is_orphan", "each.is_readable"])
      .orderBy(sql`each.channel collate "C"`)
      .orderBy(sql`each.version collate "C"`),
);

/** How many values were deleted, and their size. */
interface BlobCountRow {
  blobs: number;
  bytes: number;
}

/**
 * Deletes those of the values that no checkpoint references, and that no splice needs which stays (C13), unless a header of the
 * namespace can't be read. Send it after `lockBlobs` in the same transaction: it then sees every checkpoint that references one of them, and every splice of them.
 */
export const deleteUnreferencedBlobs = new Statement<BlobsKey, BlobCountRow>((db, parameter) =>
  withUnneeded(db, {
    threadId: parameter("threadId"),
    checkpointNs: parameter("checkpointNs"),
    values: db
      .selectFrom(namedBlobs(parameter))
      .select(["named.channel", "named.version", sql<string | null>`null::text`.as("base")])
      .select([sql<number | null>`null::integer`.as("bytes"), sql<boolean>`true`.as("is_candidate")])
      .unionAll(splicesOfChannels(db, parameter)),
    versions: versionsOfNamespace(db, parameter("threadId"), parameter("checkpointNs")),
  })
    .with("deleted", (qb) =>
      qb
        .deleteFrom("checkpoint_blobs as stored")
        .where("stored.thread_id", "=", parameter("threadId"))
        .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
        // Conditions for the index. They alone are too wide: two channels may have the same version.
        .where(sql<SqlBool>`stored.channel = any (${parameter("channels")}::text[])`)
        .where(sql<SqlBool>`stored.version = any (${parameter("versions")}::text[])`)
        .where(
          sql<SqlBool>`((stored.channel, stored.version) in (
            select unneeded.channel, unneeded.version from unneeded
          )) is true`,
        )
        .where(ARE_ALL_READABLE)
        // Not the size (N3).
        .returning("stored.blob"),
    )
    .selectFrom("deleted")
    .select([
      sql<number>`count(*)::float8`.as("blobs"),
      sql<number>`coalesce(sum(${storedSize("deleted.blob")}), 0)::float8`.as("bytes"),
    ]),
);

/** All splices of the channels: one that isn't named keeps the values that it needs, whether it is referenced or not. */
function splicesOfChannels(db: QueryCreator<CheckpointDatabase>, parameter: Parameter<BlobsKey>) {
  return db
    .selectFrom("checkpoint_blobs as splice")
    .select(["splice.channel", "splice.version", "splice.base"])
    .select([sql<number | null>`null::integer`.as("bytes"), sql<boolean>`false`.as("is_candidate")])
    .where("splice.thread_id", "=", parameter("threadId"))
    .where("splice.checkpoint_ns", "=", parameter("checkpointNs"))
    .where(sql<SqlBool>`splice.channel = any (${parameter("channels")}::text[])`)
    .where("splice.base", "is not", null);
}
