import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";

/** The parameters of a statement about some namespaces. */
export interface NamespaceParams {
  readonly threadId: string;
  readonly threadIds: readonly string[];
  readonly checkpointNss: readonly string[];
}

/** The namespaces as rows of `given`. */
export function givenNamespaces(parameter: Parameter<NamespaceParams>) {
  return sql<{ thread_id: string; checkpoint_ns: string }>`unnest(
    ${parameter("threadIds")}::text[], ${parameter("checkpointNss")}::text[]
  )`.as<"given">(sql`given(thread_id, checkpoint_ns)`);
}

/** The parameters of a statement that keeps the newest checkpoints of namespaces. */
export interface RemovalParams extends NamespaceParams {
  readonly keepLast: number;
}

/** One of the newest checkpoints of a namespace. */
export interface KeptCheckpoint {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  /** 1 for the newest of the namespace. */
  rank: number;
  channel_versions: unknown;
  channel_values: unknown;
  /** Whether its sends are among the writes of its parent. */
  is_before_version_4: boolean;
}

/** The CTE of {@link withKept}. */
export type WithKept = CheckpointDatabase & { kept: KeptCheckpoint };

/** The CTE `kept`: the newest checkpoints of each namespace, with their headers parsed once. */
export function withKept(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<RemovalParams>,
  threadOf: (column: string) => RawBuilder<string>,
): QueryCreator<WithKept> {
  const given = givenNamespaces(parameter);
  const threadId = threadOf("given.thread_id");
  return db.with("kept", (qb) =>
    qb
      .selectFrom((eb) =>
        eb
          .selectFrom(given)
          .innerJoin("checkpoints as stored", (join) =>
            join
              .on("stored.thread_id", "=", threadId)
              .onRef("stored.checkpoint_ns", "=", "given.checkpoint_ns"),
          )
          .select(["stored.thread_id", "stored.checkpoint_ns", "stored.checkpoint_id"])
          .select(["stored.parent_checkpoint_id", "stored.checkpoint"])
          .select(
            sql<number>`row_number() over (partition by stored.thread_id, stored.checkpoint_ns
                order by stored.checkpoint_id collate "C" desc)`.as("rank"),
          )
          .as("ranked"),
      )
      .where("ranked.rank", "<=", parameter("keepLast"))
      .select(["ranked.thread_id", "ranked.checkpoint_ns", "ranked.checkpoint_id"])
      .select(["ranked.parent_checkpoint_id", "ranked.rank"])
      .select([
        sql`ranked.checkpoint -> 'channel_versions'`.as("channel_versions"),
        sql`ranked.checkpoint -> 'channel_values'`.as("channel_values"),
        sql<boolean>`coalesce(ranked.checkpoint -> 'v' < '4'::jsonb, true)`.as("is_before_version_4"),
      ]),
  );
}
