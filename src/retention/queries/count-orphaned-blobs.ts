import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import { type Referring, unreferencedBlobs } from "./blob-references.js";
import type { BlobCountRow } from "./delete-orphaned-blobs.js";
import { type GivenOrdinal, type GivenParams, givenParams, withGiven } from "./given-namespaces.js";
import type { CheckpointsKey } from "./lock-checkpoints.js";

/**
 * Counts the values of each namespace that no checkpoint references.
 *
 * @param keys - With the checkpoints whose references don't count, as if they were deleted already.
 */
export async function countOrphanedBlobs(
  call: CallContext,
  keys: readonly CheckpointsKey[],
): Promise<BlobCountRow[]> {
  if (keys.length === 0) return [];
  const referring = keys.every(({ checkpointIds }) => checkpointIds.length === 0) ? "all" : "others";
  const given = keys.map(({ checkpointIds: ids, ...key }) => ({ key, lists: { ids } }));
  const rows = await runStatement(call, blobCounts.of(referring), givenParams(given));
  return rows.map(({ blobs, bytes }) => ({ blobs, bytes }));
}

const blobCounts = /* @__PURE__ */ new StatementFamily<Referring, GivenParams, BlobCountRow & GivenOrdinal>(
  (referring) => (db, parameter) =>
    withGiven(db, parameter, ["ids"])
      .selectFrom("given")
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom(unreferencedBlobs(db, referring).as("value"))
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
