import { TASKS } from "@langchain/langgraph-checkpoint";
import { sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { isAmong, isNotAmong } from "./is-among.js";
import { rowVersion } from "../../saver/queries/sent-bytes.js";
import { storedSize } from "../../saver/queries/stored-size.js";

/** Some checkpoints of a namespace that are to go. */
export interface CheckpointsKey extends NamespaceKey {
  readonly checkpointIds: readonly string[];
}

/** A checkpoint that is locked. */
export interface LockedRow {
  readonly checkpoint_id: string;
  /** The isolation level of the transaction, as Postgres calls it. */
  readonly isolation: string;
}

/** Locks checkpoints until the transaction ends: whoever carries values over from one of them waits, or is waited for. */
export function lockCheckpoints(schema: string, key: CheckpointsKey): BoundStatement<LockedRow> {
  return lockAll.bind(schema, key);
}

const lockAll = /* @__PURE__ */ new Statement<CheckpointsKey, LockedRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .select(["checkpoint_id", sql<string>`current_setting('transaction_isolation')`.as("isolation")])
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
    // Whoever locks several takes them in this order.
    .orderBy(sql`checkpoint_id collate "C"`)
    .forUpdate(),
);

/** What is known of the children of checkpoints that are to go. */
export interface DropParams extends CheckpointsKey {
  /** The children that were looked at when it was found out what may go, with the versions of their rows. */
  readonly knownIds: readonly string[];
  readonly knownVersions: readonly string[];
  /** Those of the checkpoints whose sends stay, since a checkpoint of an old format reads them. */
  readonly sendersKept: readonly string[];
}

/** What went. */
export interface DroppedRow {
  checkpoints: number;
  writes: number;
  bytes: number;
  /** Whether nothing went, since one of the checkpoints has got a child that nobody looked at. */
  is_outdated: boolean;
}

/**
 * Deletes checkpoints with their writes, unless one of them has got a child meanwhile. To be sent after
 * {@link lockCheckpoints} in the same transaction: then it sees every child there is, and no more can come.
 */
export function dropCheckpoints(schema: string, params: DropParams): BoundStatement<DroppedRow> {
  return dropAll.bind(schema, params);
}

const dropAll = /* @__PURE__ */ new Statement<DropParams, DroppedRow>((db, parameter) =>
  db
    .with("unknown", (qb) =>
      qb
        .selectFrom("checkpoints as stored")
        .select("stored.checkpoint_id")
        .where("stored.thread_id", "=", parameter("threadId"))
        .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
        .where((eb) => isAmong(eb.ref("stored.parent_checkpoint_id"), parameter("checkpointIds")))
        .where((eb) => isNotAmong(eb.ref("stored.checkpoint_id"), parameter("checkpointIds")))
        .where(
          sql<SqlBool>`((stored.checkpoint_id, ${rowVersion("stored")}) in (
            select * from unnest(${parameter("knownIds")}::text[], ${parameter("knownVersions")}::text[])
          )) is not true`,
        )
        .limit(sql.lit(1)),
    )
    .with("gone", (qb) =>
      qb
        .deleteFrom("checkpoints")
        .where("thread_id", "=", parameter("threadId"))
        .where("checkpoint_ns", "=", parameter("checkpointNs"))
        .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
        .where((eb) => eb.not(eb.exists(eb.selectFrom("unknown").select("unknown.checkpoint_id"))))
        .returning("checkpoint_id"),
    )
    .with("written", (qb) =>
      qb
        .deleteFrom("checkpoint_writes")
        .where("thread_id", "=", parameter("threadId"))
        .where("checkpoint_ns", "=", parameter("checkpointNs"))
        .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
        .where((eb) => eb.not(eb.exists(eb.selectFrom("unknown").select("unknown.checkpoint_id"))))
        .where((eb) =>
          eb.or([
            eb("channel", "<>", sql.lit(TASKS)),
            isNotAmong(eb.ref("checkpoint_id"), parameter("sendersKept")),
          ]),
        )
        .returning(storedSize("blob").as("bytes")),
    )
    .selectNoFrom((eb) => [
      sql<number>`(${eb.selectFrom("gone").select(sql`count(*)`.as("n"))})::float8`.as("checkpoints"),
      sql<number>`(${eb.selectFrom("written").select(sql`count(*)`.as("n"))})::float8`.as("writes"),
      sql<number>`(${eb.selectFrom("written").select(sql`coalesce(sum(bytes), 0)`.as("n"))})::float8`.as(
        "bytes",
      ),
      eb
        .exists(eb.selectFrom("unknown").select("unknown.checkpoint_id"))
        .$castTo<boolean>()
        .as("is_outdated"),
    ]),
);
