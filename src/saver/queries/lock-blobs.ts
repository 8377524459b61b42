import { sql } from "kysely";
import { type BoundStatement, type Parameter, StatementFamily } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../model/keys.js";
import type { LockRow } from "./take-locks.js";

/** Values of one namespace, named by channel and version. */
export interface BlobsKey extends NamespaceKey {
  readonly channels: readonly string[];
  /** In the order of `channels`. */
  readonly versions: readonly string[];
}

/**
 * How values are locked: against everyone for a deletion, against other changes but not new references for a change, or against
 * deletion for a reference.
 */
export type BlobLock = "forUpdate" | "forNoKeyUpdate" | "forKeyShare";

/** A value that is locked. */
export interface LockedBlob extends LockRow {
  readonly version: string;
}

/**
 * Locks values until the transaction ends, in the given order. A concurrent `put` that stores one of them again waits for this
 * transaction, or this statement waits for the `put`.
 */
export function lockBlobs(schema: string, key: BlobsKey, lock: BlobLock): BoundStatement<LockedBlob> {
  return lockRows.of(lock).bind(schema, key);
}

const lockRows = new StatementFamily<BlobLock, BlobsKey, LockedBlob>(
  (lock) => (db, parameter) =>
    db
      .selectFrom(namedBlobs(parameter))
      .innerJoinLateral(
        (eb) => {
          const blob = eb
            .selectFrom("checkpoint_blobs as stored")
            .select("stored.version")
            .where("stored.thread_id", "=", parameter("threadId"))
            .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
            .whereRef("stored.channel", "=", "named.channel")
            .whereRef("stored.version", "=", "named.version")
            .limit(sql.lit(1));
          return blob[lock]().as("locked");
        },
        (join) => join.onTrue(),
      )
      .select(["locked.version", sql<string>`current_setting('transaction_isolation')`.as("isolation")]),
);

/** The channels and versions of a {@link BlobsKey} as rows of `named`. */
export function namedBlobs(parameter: Parameter<BlobsKey>) {
  return sql<{ channel: string; version: string }>`unnest(
    ${parameter("channels")}::text[], ${parameter("versions")}::text[]
  )`.as<"named">(sql`named(channel, version)`);
}
