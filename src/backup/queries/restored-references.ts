import type { RestoredBlob } from "../../saver/queries/restored-rows.js";
import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { queryOf } from "../../db/statements/run-statement.js";
import type { Parameter } from "../../db/statements/statement.js";
import { eachChannelVersion, hasInline } from "../../saver/queries/header-parts.js";

/** Checkpoints of one thread that an import restores. */
export interface RestoredKeys {
  readonly threadId: string;
  readonly checkpointNss: readonly string[];
  readonly checkpointIds: readonly string[];
}

/** Selects the (channel, version) references of these checkpoints' headers. */
function selectReferences(db: QueryCreator<CheckpointDatabase>, parameter: Parameter<RestoredKeys>) {
  return db
    .selectFrom("checkpoints as header")
    .innerJoinLateral(eachChannelVersion(sql`header.checkpoint -> 'channel_versions'`), (join) =>
      join.onTrue(),
    )
    .where("header.thread_id", "=", parameter("threadId"))
    .where(isRestoredKey("header", parameter));
}

/** Whether a row's namespace and checkpoint id are those of one of these checkpoints. */
function isRestoredKey(table: string, parameter: Parameter<RestoredKeys>): RawBuilder<SqlBool> {
  const key = sql`(${sql.ref(`${table}.checkpoint_ns`)}, ${sql.ref(`${table}.checkpoint_id`)})`;
  return sql<SqlBool>`${key} in (
    select * from unnest(${parameter("checkpointNss")}::text[], ${parameter("checkpointIds")}::text[]))`;
}

/**
 * Locks the writes of checkpoints, and the values that the checkpoints reference, until the transaction ends. A concurrent
 * deletion of one of them waits, and then sees the checkpoints.
 */
export const lockReferencedValues = queryOf<RestoredKeys, unknown>((db, parameter) =>
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

/** A reference of a checkpoint to a value that is not stored. */
interface MissingValueRow extends Pick<RestoredBlob, "checkpoint_ns" | "channel" | "version"> {
  readonly checkpoint_id: string;
}

/** Selects the references of checkpoints that have neither a value in the header nor a blob. */
export const selectMissingValues = queryOf<RestoredKeys, MissingValueRow>((db, parameter) =>
  selectReferences(db, parameter)
    .select(["header.checkpoint_ns", "header.checkpoint_id", "entry.channel", "entry.version"])
    .where((eb) => eb.not(hasInline(eb.ref("header.checkpoint"), eb.ref("entry.channel"))))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("checkpoint_blobs as stored")
            .select("stored.version")
            .where("stored.thread_id", "=", parameter("threadId"))
            .whereRef("stored.checkpoint_ns", "=", "header.checkpoint_ns")
            .whereRef("stored.channel", "=", "entry.channel")
            .whereRef("stored.version", "=", "entry.version")
            // OFFSET 0 makes the planner look up each blob by the index, whatever the statistics say.
            .offset(sql.lit(0)),
        ),
      ),
    ),
);

/** The number of writes of a checkpoint. */
interface CountedWritesRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly writes: number;
}

/** Counts the writes of checkpoints. Checkpoints without writes have no row. */
export const countStoredWrites = queryOf<RestoredKeys, CountedWritesRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_writes as write")
    .select(["write.checkpoint_ns", "write.checkpoint_id"])
    .select(sql<number>`count(*)::float8`.as("writes"))
    .where("write.thread_id", "=", parameter("threadId"))
    .where(isRestoredKey("write", parameter))
    .groupBy(["write.checkpoint_ns", "write.checkpoint_id"]),
);
