import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";
import { hasVersions } from "./header-parts.js";
import type { RowArrays } from "./row-arrays.js";
import { rowMarkIs } from "./row-mark-is.js";
import { rowsOfArrays } from "./rows-of-arrays.js";

/** An array of each column of the parents that checkpoints require, one at most for each namespace of a thread. */
export interface RequiredParentArrays {
  readonly required_threadId: readonly string[];
  readonly required_checkpointNs: readonly string[];
  readonly required_checkpointId: readonly string[];
  readonly required_versions: readonly string[];
}

/** The CTE `refused`: the namespaces of threads whose rows are not inserted, since something that they require is gone. */
export type WithRefused = CheckpointDatabase & { refused: NamespaceRow };

interface NamespaceRow {
  thread_id: string;
  checkpoint_ns: string;
}

interface SpliceColumns extends NamespaceRow {
  channel: string;
  base: string | null;
  mark: string | null;
}

/**
 * Locks what the checkpoints of a statement require, as `withHeld` does for one checkpoint: the parents (C3), and then the bases of
 * splices (C13).
 */
export function withRefused(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<RowArrays & RequiredParentArrays>,
): QueryCreator<WithRefused> {
  return db.with("refused", (qb) =>
    qb
      .selectFrom(
        rowsOfArrays<NamespaceRow & { checkpoint_id: string; versions: string }, "required">("required", {
          thread_id: sql`${parameter("required_threadId")}::text[]`,
          checkpoint_ns: sql`${parameter("required_checkpointNs")}::text[]`,
          checkpoint_id: sql`${parameter("required_checkpointId")}::text[]`,
          versions: sql`${parameter("required_versions")}::text[]`,
        }),
      )
      .leftJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoints as stored")
            .select("stored.checkpoint_id")
            .whereRef("stored.thread_id", "=", "required.thread_id")
            .whereRef("stored.checkpoint_ns", "=", "required.checkpoint_ns")
            .whereRef("stored.checkpoint_id", "=", "required.checkpoint_id")
            .where(hasVersions(sql.ref("stored.checkpoint"), sql.ref("required.versions")))
            .limit(sql.lit(1))
            .forKeyShare()
            .as("parent"),
        (join) => join.onTrue(),
      )
      .select(["required.thread_id", "required.checkpoint_ns"])
      .where("parent.checkpoint_id", "is", null)
      .unionAll(
        qb
          .selectFrom(
            rowsOfArrays<SpliceColumns, "splice">("splice", {
              thread_id: sql`${parameter("blob_threadId")}::text[]`,
              checkpoint_ns: sql`${parameter("blob_checkpointNs")}::text[]`,
              channel: sql`${parameter("blob_channel")}::text[]`,
              base: sql`${parameter("blob_base")}::text[]`,
              mark: sql`${parameter("blob_baseMark")}::text[]`,
            }),
          )
          .leftJoinLateral(
            (eb) =>
              eb
                .selectFrom("checkpoint_blobs as stored")
                .select("stored.version")
                .whereRef("stored.thread_id", "=", "splice.thread_id")
                .whereRef("stored.checkpoint_ns", "=", "splice.checkpoint_ns")
                .whereRef("stored.channel", "=", "splice.channel")
                .whereRef("stored.version", "=", sql.ref("splice.base"))
                .where(rowMarkIs("splice.mark"))
                .limit(sql.lit(1))
                .forKeyShare()
                .as("locked"),
            (join) => join.onTrue(),
          )
          .select(["splice.thread_id", "splice.checkpoint_ns"])
          .where("splice.base", "is not", null)
          .where("locked.version", "is", null),
      ),
  );
}

/** Whether nothing is gone that the namespace of `row` requires. */
export function isNotRefused(db: QueryCreator<CheckpointDatabase>): RawBuilder<SqlBool> {
  const refused = db
    .selectFrom(sql<NamespaceRow>`${sql.table("refused")}`.as<"refused">(sql`refused`))
    .select("refused.thread_id")
    .where("refused.thread_id", "=", sql<string>`row.thread_id`)
    .where("refused.checkpoint_ns", "=", sql<string>`row.checkpoint_ns`);
  return sql<SqlBool>`not exists (${refused})`;
}
