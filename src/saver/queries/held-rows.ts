import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";
import { hasVersions, rowMarkIs } from "./header-parts.js";

/** The parameters that name the rows which a checkpoint requires. */
export interface RequiredRows {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly parentCheckpointId: string | null;
  /** The versions of channels that the parent must have, as JSON text. */
  readonly referencedVersions: string;
  readonly channels: readonly string[];
  /** By channel, the version that a splice refers to. */
  readonly bases: readonly (string | null)[];
  /** By channel, the mark of the row of that version; see `rowMarkOf`. */
  readonly baseMarks: readonly (string | null)[];
}

/** The rows that a checkpoint may require. */
export interface RequiredKinds {
  readonly requiresParent: boolean;
  readonly hasSplices: boolean;
}

/**
 * The CTE `held`: one row where everything required is stored and locked, and none otherwise. Without splices it has the header of the
 * parent.
 */
export type WithHeld = CheckpointDatabase & { held: { checkpoint_id: string } };

/**
 * Locks what a checkpoint requires, so that nobody deletes it before this statement has committed. A collection of orphaned values
 * after such a deletion then sees the references of the new checkpoint (C3), and the splices (C13). The row of a base has to have the
 * mark that the writer knows: a thread that was deleted and begun anew may have the same versions. The parent comes first, as every
 * writer locks checkpoints before values (C2).
 */
export function withHeld(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<RequiredRows>,
  { requiresParent, hasSplices }: RequiredKinds,
): QueryCreator<WithHeld> {
  const parent = (qb: QueryCreator<CheckpointDatabase>) =>
    qb
      .selectFrom("checkpoints")
      .select(["checkpoint_id", "checkpoint"])
      .where("thread_id", "=", parameter("threadId"))
      .where("checkpoint_ns", "=", parameter("checkpointNs"))
      .where("checkpoint_id", "=", sql<string>`${parameter("parentCheckpointId")}`)
      .where(hasVersions(sql.ref("checkpoint"), parameter("referencedVersions")))
      .forKeyShare();
  if (!hasSplices) return db.with("held", parent);
  return requiresParent
    ? withBases(db.with("held_parent", parent), parameter, sql.table("held_parent"))
    : withBases(db, parameter, sql`(select '')`);
}

interface BaseColumns {
  channel: string;
  version: string | null;
  mark: string | null;
}

function withBases(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<RequiredRows>,
  parent: RawBuilder<unknown>,
): QueryCreator<WithHeld> {
  const bases = parameter("bases");
  return db
    .with("held_bases", (qb) =>
      qb
        .selectFrom(parent.as<"parent">(sql`parent(checkpoint_id)`))
        .innerJoin(
          sql<BaseColumns>`unnest(
            ${parameter("channels")}::text[], ${bases}::text[], ${parameter("baseMarks")}::text[]
          )`.as<"base">(sql`base(channel, version, mark)`),
          (join) => join.onTrue(),
        )
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_blobs as stored")
              .select("stored.version")
              .where("stored.thread_id", "=", parameter("threadId"))
              .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
              .whereRef("stored.channel", "=", "base.channel")
              .whereRef("stored.version", "=", "base.version")
              .where(rowMarkIs("base.mark"))
              .limit(sql.lit(1))
              .forKeyShare()
              .as("locked"),
          (join) => join.onTrue(),
        )
        .select("locked.version"),
    )
    .with("held", (qb) =>
      qb
        .selectFrom("held_bases")
        .select(sql<string>`count(*)::text`.as("checkpoint_id"))
        .having(sql<number>`count(*)`, "=", sql<number>`cardinality(array_remove(${bases}::text[], null))`),
    );
}

/**
 * Whether `row`, one of the given values, is to be inserted. An unchanged value that is stored is not. It needs no
 * lock, because the parent that references it is locked. A lock at every step would make writers that share the value
 * wait.
 */
export function isMissingOrNew(
  db: QueryCreator<CheckpointDatabase>,
  threadId: RawBuilder<string>,
  checkpointNs: RawBuilder<string>,
): RawBuilder<SqlBool> {
  const stored = db
    .selectFrom("checkpoint_blobs as stored")
    .select("stored.type")
    .where("stored.thread_id", "=", threadId)
    .where("stored.checkpoint_ns", "=", checkpointNs)
    .where(sql<SqlBool>`stored.channel = row.channel`)
    .where(sql<SqlBool>`stored.version = row.version`)
    // OFFSET makes Postgres look up each row by the index, whatever the statistics say.
    .offset(sql.lit(0));
  return sql<SqlBool>`not (row.is_carried and exists (${stored}))`;
}
