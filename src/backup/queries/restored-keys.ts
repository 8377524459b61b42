import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";

/** Checkpoints of one thread that an import restores. */
export interface RestoredKeys {
  readonly threadId: string;
  readonly checkpointNss: readonly string[];
  readonly checkpointIds: readonly string[];
}

/** Selects the (channel, version) references of these checkpoints' headers. */
export function selectReferences(db: QueryCreator<CheckpointDatabase>, parameter: Parameter<RestoredKeys>) {
  return db
    .selectFrom("checkpoints as header")
    .innerJoinLateral(eachChannelVersion(sql`header.checkpoint -> 'channel_versions'`), (join) =>
      join.onTrue(),
    )
    .where("header.thread_id", "=", parameter("threadId"))
    .where(isRestoredKey("header", parameter));
}

/** Whether a row's namespace and checkpoint id are those of one of these checkpoints. */
export function isRestoredKey(table: string, parameter: Parameter<RestoredKeys>): RawBuilder<SqlBool> {
  const key = sql`(${sql.ref(`${table}.checkpoint_ns`)}, ${sql.ref(`${table}.checkpoint_id`)})`;
  return sql<SqlBool>`${key} in (
    select * from unnest(${parameter("checkpointNss")}::text[], ${parameter("checkpointIds")}::text[]))`;
}
