import { sql, type SqlBool } from "kysely";
import { headerSize } from "../../retention/queries/deleted-checkpoints.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";

/** Checkpoints of a thread. */
export interface DeletedCheckpoints {
  readonly threadId: string;
  readonly checkpointNss: readonly string[];
  readonly checkpointIds: readonly string[];
}

/** Pending writes of a thread. */
export interface DeletedWrites extends DeletedCheckpoints {
  readonly taskIds: readonly string[];
  readonly positions: readonly number[];
}

/** How many rows were deleted. */
export interface DeletedRow {
  readonly deleted: number;
}

/** How many checkpoints were deleted, and the size of their headers and metadata. */
export interface DeletedCheckpointsRow extends DeletedRow {
  readonly bytes: number;
}

/** Deletes checkpoints by their keys. An earlier statement of the transaction has to lock and compare them (C7). */
export function deleteCheckpointsByKey(
  schema: string,
  keys: DeletedCheckpoints,
): BoundStatement<DeletedCheckpointsRow> {
  return deleteCheckpoints.bind(schema, keys);
}

/**
 * Deletes pending writes by their keys, except those whose checkpoint is stored. An earlier statement of the transaction has to
 * lock and compare them. Writes that come meanwhile stay.
 */
export function deleteWritesByKey(schema: string, keys: DeletedWrites): BoundStatement<DeletedRow> {
  return deleteWrites.bind(schema, keys);
}

const DELETED = /* @__PURE__ */ sql<number>`count(*)::float8`.as("deleted");

const deleteCheckpoints = /* @__PURE__ */ new Statement<DeletedCheckpoints, DeletedCheckpointsRow>(
  (db, parameter) =>
    db
      .with("gone", (qb) =>
        qb
          .deleteFrom("checkpoints")
          .where("thread_id", "=", parameter("threadId"))
          .where(
            sql<SqlBool>`(checkpoint_ns, checkpoint_id) in (
            select * from unnest(${parameter("checkpointNss")}::text[], ${parameter("checkpointIds")}::text[]))`,
          )
          .returning(headerSize().as("size")),
      )
      .selectFrom("gone")
      .select([DELETED, sql<number>`coalesce(sum(size), 0)::float8`.as("bytes")]),
);

const deleteWrites = /* @__PURE__ */ new Statement<DeletedWrites, DeletedRow>((db, parameter) =>
  db
    .with("gone", (qb) =>
      qb
        .deleteFrom("checkpoint_writes")
        .where("thread_id", "=", parameter("threadId"))
        .where(
          sql<SqlBool>`(checkpoint_ns, checkpoint_id, task_id, idx) in (
            select * from unnest(
              ${parameter("checkpointNss")}::text[], ${parameter("checkpointIds")}::text[],
              ${parameter("taskIds")}::text[], ${parameter("positions")}::integer[]))`,
        )
        .where(
          (eb) =>
            sql<SqlBool>`((checkpoint_ns, checkpoint_id) in (${eb
              .selectFrom("checkpoints")
              .select(["checkpoint_ns", "checkpoint_id"])
              .where("thread_id", "=", parameter("threadId"))
              .where(
                sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`,
              )})) is not true`,
        )
        .returning("idx"),
    )
    .selectFrom("gone")
    .select(DELETED),
);
