import { type Expression, type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { CheckpointKey, NamespaceKey } from "../../saver/model/checkpoint-key.js";

/** A checkpoint on the way from one to its ancestors. */
export interface LineageRow {
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  /** Where the checkpoint comes from, by its metadata. */
  readonly source: string | null;
  /** The channels whose way has not ended before, each a {@link LineageChannel}, as JSON text. */
  readonly channels: string;
}

/** A channel as an ancestor has it. */
export type LineageChannel = readonly [
  channel: string,
  version: string | null,
  /** Whether the way ends here: the channel has a value, or is said to be empty, or was never written to. */
  hasEnded: boolean,
  /** The versions of the channel that nodes have run for. */
  seen: readonly string[] | null,
];

/**
 * The checkpoint and its ancestors, for each channel as far as the nearest one that tells what it holds. It is a UNION, so
 * that the walk ends should damaged rows be each other's ancestors. In no order.
 */
export function getLineage(
  call: CallContext,
  key: CheckpointKey,
  channels: readonly string[],
): Promise<LineageRow[]> {
  return runStatement(call, lineage, { ...key, channels });
}

interface LineageParams extends CheckpointKey {
  readonly channels: readonly string[];
}

const VERSIONS = /* @__PURE__ */ sql`own.checkpoint -> 'channel_versions'`;

const lineage = /* @__PURE__ */ new Statement<LineageParams, LineageRow>((db, parameter) => {
  const [threadId, checkpointNs] = [parameter("threadId"), parameter("checkpointNs")];
  const hasEnded = (channel: Expression<string>) =>
    sql<boolean>`(not coalesce(jsonb_exists(${VERSIONS}, ${channel}), false)
      or coalesce(jsonb_exists(own.checkpoint -> 'channel_values', ${channel}), false)
      or exists (${db
        .selectFrom("checkpoint_blobs as stored")
        .select("stored.type")
        .where("stored.thread_id", "=", threadId)
        .where("stored.checkpoint_ns", "=", checkpointNs)
        .where("stored.channel", "=", channel)
        .where("stored.version", "=", sql<string>`${VERSIONS} ->> ${channel}`)}))`;
  const stillOpen = sql<string[]>`array(
    select unnest(walk.open) except select unnest(walk.ended)
  )`;
  return db
    .withRecursive("walk", (qb) =>
      qb
        .selectFrom("checkpoints as own")
        .where("own.thread_id", "=", threadId)
        .where("own.checkpoint_ns", "=", checkpointNs)
        .where("own.checkpoint_id", "=", parameter("checkpointId"))
        .select(["own.checkpoint_id", "own.parent_checkpoint_id"])
        .select([
          sql<string[]>`${parameter("channels")}::text[]`.as("open"),
          sql<string[]>`'{}'::text[]`.as("ended"),
        ])
        .union((recursive) =>
          recursive
            .selectFrom("walk")
            .innerJoin("checkpoints as own", "own.checkpoint_id", "walk.parent_checkpoint_id")
            .where("own.thread_id", "=", threadId)
            .where("own.checkpoint_ns", "=", checkpointNs)
            .where(sql<boolean>`cardinality(${stillOpen}) > 0`)
            .select(["own.checkpoint_id", "own.parent_checkpoint_id"])
            .select([
              stillOpen.as("open"),
              sql<string[]>`array(
                select name from unnest(${stillOpen}) name where ${hasEnded(sql<string>`name`)}
              )`.as("ended"),
            ]),
        ),
    )
    .selectFrom("walk")
    .innerJoin("checkpoints as own", "own.checkpoint_id", "walk.checkpoint_id")
    .where("own.thread_id", "=", threadId)
    .where("own.checkpoint_ns", "=", checkpointNs)
    .select(["own.checkpoint_id", "own.parent_checkpoint_id"])
    .select([
      sql<string | null>`own.metadata ->> 'source'`.as("source"),
      sql<string>`(
        select json_agg(json_build_array(name, ${VERSIONS} ->> name, name = any (walk.ended), ${SEEN}))::text
        from unnest(walk.open) name
      )`.as("channels"),
    ]);
});

const SEEN = /* @__PURE__ */ sql`(
  select json_agg(node.value ->> name) from jsonb_each(own.checkpoint -> 'versions_seen') node
  where jsonb_exists(node.value, name)
)`;

/** A successor of a checkpoint. */
export interface SuccessorRow {
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string;
  readonly source: string | null;
  /** The versions of the channels that were asked for, by channel, as JSON text. */
  readonly versions: string;
}

/** All stored successors of some checkpoints of a namespace, in the order of their ids. */
export function getSuccessors(
  call: CallContext,
  { threadId, checkpointNs }: NamespaceKey,
  parentIds: readonly string[],
  channels: readonly string[],
): Promise<SuccessorRow[]> {
  return runStatement(call, successors, { threadId, checkpointNs, parentIds, channels });
}

interface SuccessorParams extends NamespaceKey {
  readonly parentIds: readonly string[];
  readonly channels: readonly string[];
}

const successors = /* @__PURE__ */ new Statement<SuccessorParams, SuccessorRow>((db, parameter) =>
  db
    .selectFrom("checkpoints as own")
    .where("own.thread_id", "=", parameter("threadId"))
    .where("own.checkpoint_ns", "=", parameter("checkpointNs"))
    .where(isOneOf(sql`own.parent_checkpoint_id`, parameter("parentIds")))
    .select(["own.checkpoint_id", sql<string>`own.parent_checkpoint_id`.as("parent_checkpoint_id")])
    .select([
      sql<string | null>`own.metadata ->> 'source'`.as("source"),
      sql<string>`(
        select json_object_agg(name, ${VERSIONS} ->> name)::text from unnest(${parameter("channels")}::text[]) name
      )`.as("versions"),
    ])
    .orderBy(sql`own.checkpoint_id collate "C"`),
);

export function isOneOf(
  column: RawBuilder<unknown>,
  values: RawBuilder<readonly string[]>,
): RawBuilder<boolean> {
  return sql<boolean>`${column} = any (${values}::text[])`;
}
