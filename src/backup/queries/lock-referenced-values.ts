import { sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { isRestoredKey, type RestoredKeys, selectReferences } from "./restored-keys.js";

/**
 * Locks the writes of checkpoints, and the values that the checkpoints reference, until the transaction ends. A concurrent
 * deletion of one of them waits, and then sees the checkpoints.
 */
export function lockReferencedValues(schema: string, keys: RestoredKeys): BoundStatement<unknown> {
  return lock.bind(schema, keys);
}

const lock = /* @__PURE__ */ new Statement<RestoredKeys, unknown>((db, parameter) =>
  db
    .with("locked_writes", (qb) =>
      qb
        .selectFrom("checkpoint_writes as write")
        .select("write.idx")
        .where("write.thread_id", "=", parameter("threadId"))
        .where(isRestoredKey("write", parameter))
        .forKeyShare(),
    )
    // Without statistics the planner would read all headers once for each value.
    .with(
      (cte) => cte("referenced").materialized(),
      () =>
        selectReferences(db, parameter).select(["header.checkpoint_ns", "entry.channel", "entry.version"]),
    )
    .with("locked_blobs", (qb) =>
      qb
        .selectFrom("checkpoint_blobs as stored")
        .select("stored.version")
        .where("stored.thread_id", "=", parameter("threadId"))
        .where(
          sql<SqlBool>`(stored.checkpoint_ns, stored.channel, stored.version) in (${qb
            .selectFrom("referenced")
            .select(["checkpoint_ns", "channel", "version"])})`,
        )
        .forKeyShare(),
    )
    .selectNoFrom((eb) => [
      eb
        .selectFrom("locked_writes")
        .select(sql<string>`count(*)`.as("n"))
        .as("writes"),
      eb
        .selectFrom("locked_blobs")
        .select(sql<string>`count(*)`.as("n"))
        .as("blobs"),
    ]),
);
