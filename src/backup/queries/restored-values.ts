import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, type Parameter, Statement } from "../../db/statements/statement.js";
import { eachChannelVersion, hasInline } from "../../saver/queries/header-parts.js";

/** Checkpoints of one thread. */
export interface RestoredKeys {
  readonly threadId: string;
  readonly checkpointNss: readonly string[];
  readonly checkpointIds: readonly string[];
}

/**
 * Locks the values that checkpoints reference, and their writes, until the transaction ends: whoever would delete one of them
 * waits, and sees the checkpoints afterwards.
 */
export function lockValuesOf(schema: string, keys: RestoredKeys): BoundStatement<unknown> {
  return lockAll.bind(schema, keys);
}

const lockAll = /* @__PURE__ */ new Statement<RestoredKeys, unknown>((db, parameter) =>
  db
    .with("locked_writes", (qb) =>
      qb
        .selectFrom("checkpoint_writes as write")
        .select("write.idx")
        .where("write.thread_id", "=", parameter("threadId"))
        .where(isOfGiven("write", parameter))
        .forKeyShare(),
    )
    .with("locked_blobs", (qb) =>
      qb
        .selectFrom("checkpoint_blobs as stored")
        .select("stored.version")
        .where("stored.thread_id", "=", parameter("threadId"))
        .where(
          sql<SqlBool>`(stored.checkpoint_ns, stored.channel, stored.version) in (${selectReferences(
            db,
            parameter,
          ).select(["header.checkpoint_ns", "entry.channel", "entry.version"])})`,
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

/** A value that a checkpoint references and that is not stored; there need not be one. */
export interface MissingValueRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly channel: string;
  readonly version: string;
}

/** The references of checkpoints to values that neither the header has nor a row of its own. */
export function selectMissingValues(schema: string, keys: RestoredKeys): BoundStatement<MissingValueRow> {
  return missing.bind(schema, keys);
}

const missing = /* @__PURE__ */ new Statement<RestoredKeys, MissingValueRow>((db, parameter) =>
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
            // Has each looked up by the index, whatever the statistics say.
            .offset(sql.lit(0)),
        ),
      ),
    ),
);

/** How many writes a checkpoint has. */
export interface StoredWritesRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly writes: number;
}

/** Counts the writes of checkpoints; those without any are left out. */
export function countWritesOf(schema: string, keys: RestoredKeys): BoundStatement<StoredWritesRow> {
  return counts.bind(schema, keys);
}

const counts = /* @__PURE__ */ new Statement<RestoredKeys, StoredWritesRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_writes as write")
    .select(["write.checkpoint_ns", "write.checkpoint_id"])
    .select(sql<number>`count(*)::float8`.as("writes"))
    .where("write.thread_id", "=", parameter("threadId"))
    .where(isOfGiven("write", parameter))
    .groupBy(["write.checkpoint_ns", "write.checkpoint_id"]),
);

function selectReferences(db: QueryCreator<CheckpointDatabase>, parameter: Parameter<RestoredKeys>) {
  return db
    .selectFrom("checkpoints as header")
    .innerJoinLateral(eachChannelVersion(sql`header.checkpoint -> 'channel_versions'`), (join) =>
      join.onTrue(),
    )
    .where("header.thread_id", "=", parameter("threadId"))
    .where(isOfGiven("header", parameter));
}

function isOfGiven(table: string, parameter: Parameter<RestoredKeys>): RawBuilder<SqlBool> {
  const key = sql`(${sql.ref(`${table}.checkpoint_ns`)}, ${sql.ref(`${table}.checkpoint_id`)})`;
  return sql<SqlBool>`${key} in (
    select * from unnest(${parameter("checkpointNss")}::text[], ${parameter("checkpointIds")}::text[]))`;
}
