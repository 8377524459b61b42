import { type QueryCreator, sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, type Parameter, Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { type BlobsKey, namedBlobs } from "../../saver/queries/lock-blobs.js";
import { storedSize } from "../../saver/queries/stored-size.js";
import { type Referring, unreferencedBlobs, versionsOfNamespace, withUnneeded } from "./blob-references.js";
import type { CheckpointsKey } from "./deleted-checkpoints.js";
import { perNamespace } from "./per-namespace.js";

/** A value that no checkpoint needs. */
export interface OrphanedBlobRow {
  channel: string;
  version: string;
  /** The version that the value is a splice of; `null` for a whole value. */
  base: string | null;
}

/** The values of each namespace that no checkpoint needs, directly or through a splice (C13), ordered by channel and version. */
export const selectOrphanedBlobs = /* @__PURE__ */ perNamespace<NamespaceKey, OrphanedBlobRow>(
  {},
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(unreferencedBlobs(db, threadId, "all").as("each"), (join) => join.onTrue())
      .select(["given.ordinal", "each.channel", "each.version", "each.base"])
      .orderBy("given.ordinal")
      .orderBy(sql`each.channel collate "C"`)
      .orderBy(sql`each.version collate "C"`),
);

/** How many values were deleted or counted, and their size. */
export interface BlobCountRow {
  blobs: number;
  bytes: number;
}

/**
 * Counts the values of each namespace that no checkpoint references.
 *
 * @param keys - With the checkpoints whose references don't count, as if they were deleted already.
 */
export async function countOrphanedBlobs(
  call: CallContext,
  keys: readonly CheckpointsKey[],
): Promise<BlobCountRow[]> {
  const count = keys.every(({ checkpointIds }) => checkpointIds.length === 0)
    ? countUnreferenced
    : countUnreferencedByOthers;
  const rows = await count(call, keys);
  return rows.flat().map(({ blobs, bytes }) => ({ blobs, bytes }));
}

const countUnreferenced = /* @__PURE__ */ blobCounts("all");
const countUnreferencedByOthers = /* @__PURE__ */ blobCounts("others");

function blobCounts(referring: Referring) {
  return perNamespace<CheckpointsKey, BlobCountRow>(
    { ids: ({ checkpointIds }) => checkpointIds },
    ({ db, given, threadId }) =>
      given
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom(unreferencedBlobs(db, threadId, referring).as("value"))
              .select([
                sql<number>`count(*)::float8`.as("blobs"),
                sql<number>`coalesce(sum(value.bytes), 0)::float8`.as("bytes"),
              ])
              .as("each"),
          (join) => join.onTrue(),
        )
        .select(["given.ordinal", "each.blobs", "each.bytes"])
        .orderBy("given.ordinal"),
  );
}

/**
 * Deletes those of the values that no checkpoint references, and that no splice needs which stays (C13). Send it after
 * `lockBlobs` in the same transaction: it then sees every checkpoint that references one of them, and every splice of them.
 */
export function deleteUnreferencedBlobs(schema: string, key: BlobsKey): BoundStatement<BlobCountRow> {
  return deleteRows.bind(schema, key);
}

const deleteRows = /* @__PURE__ */ new Statement<BlobsKey, BlobCountRow>((db, parameter) =>
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
