import { sql } from "kysely";
import { type BoundStatement, type Parameter, Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import type { LockRow } from "../../saver/queries/take-locks.js";

/** Values of one namespace, named by channel and version. */
export interface BlobsKey extends NamespaceKey {
  readonly channels: readonly string[];
  /** In the order of `channels`. */
  readonly versions: readonly string[];
}

/**
 * Locks values until the transaction ends, in the given order. A concurrent `put` that stores one of them again waits for this
 * transaction, or this statement waits for the `put`.
 */
export function lockBlobs(schema: string, key: BlobsKey): BoundStatement<LockRow> {
  return lockRows.bind(schema, key);
}

const lockRows = /* @__PURE__ */ new Statement<BlobsKey, LockRow>((db, parameter) =>
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

/** The channels and versions of a {@link BlobsKey} as rows of `named`. */
export function namedBlobs(parameter: Parameter<BlobsKey>) {
  return sql<{ channel: string; version: string }>`unnest(
    ${parameter("channels")}::text[], ${parameter("versions")}::text[]
  )`.as<"named">(sql`named(channel, version)`);
}
