import { sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { storedSize } from "../../saver/queries/stored-size.js";
import { referencedBlobs } from "./blob-references.js";
import { type BlobsKey, namedBlobs } from "./lock-blobs.js";

/** How many values were deleted or counted, and their size. */
export interface BlobCountRow {
  blobs: number;
  bytes: number;
}

/**
 * Deletes those of the values that no checkpoint references. Send it after `lockBlobs` in the same transaction: it then sees
 * every checkpoint that references one of them.
 */
export function deleteUnreferencedBlobs(schema: string, key: BlobsKey): BoundStatement<BlobCountRow> {
  return deleteRows.bind(schema, key);
}

const deleteRows = /* @__PURE__ */ new Statement<BlobsKey, BlobCountRow>((db, parameter) =>
  db
    .with("orphan", (qb) =>
      qb
        .selectFrom(namedBlobs(parameter))
        .select(["named.channel", "named.version"])
        .except(referencedBlobs(db, parameter("threadId"), parameter("checkpointNs"))),
    )
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
            select orphan.channel, orphan.version from orphan
          )) is true`,
        )
        .returning(storedSize("stored.blob").as("bytes")),
    )
    .selectFrom("deleted")
    .select([
      sql<number>`count(*)::float8`.as("blobs"),
      sql<number>`coalesce(sum(deleted.bytes), 0)::float8`.as("bytes"),
    ]),
);
