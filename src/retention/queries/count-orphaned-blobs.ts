import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import { type Referring, unreferencedBlobs } from "./blob-references.js";
import type { BlobCountRow } from "./delete-orphaned-blobs.js";
import {
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";
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
  const referring = keys.every(({ checkpointIds }) => checkpointIds.length === 0) ? "all" : "others";
  const given = keys.map(({ checkpointIds: ids, ...key }) => ({ key, lists: { ids } }));
  const statements = { of: (naming: ThreadNaming) => blobCounts.of({ referring, naming }) };
  const rows = await runPerNamespace(call, statements, given, {});
  return rows.flat().map(({ blobs, bytes }) => ({ blobs, bytes }));
}

interface CountShape {
  readonly referring: Referring;
  readonly naming: ThreadNaming;
}

const blobCounts = /* @__PURE__ */ new StatementFamily<CountShape, GivenParams, BlobCountRow & GivenOrdinal>(
  ({ referring, naming }) =>
    (db, parameter) =>
      withGiven(db, parameter, ["ids"])
        .selectFrom("given")
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom(unreferencedBlobs(db, givenThread(naming, parameter), referring).as("value"))
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
