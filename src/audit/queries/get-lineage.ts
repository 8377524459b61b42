import { type Expression, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { queryOf } from "../../db/statements/run-statement.js";
import type { CheckpointKey, NamespaceKey } from "../../saver/model/keys.js";
import { isOneOf } from "./recorded-writes.js";
import { newestCheckpointId } from "../../saver/queries/table-page.js";

/** A checkpoint or one of its ancestors. */
export interface LineageStepRow {
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  /** The source in the metadata. */
  readonly source: string | null;
  /** The channels whose walk has not ended at a newer checkpoint, each a {@link LineageChannel}, as JSON text. */
  readonly channels: string;
}

/** A channel as an ancestor has it. */
export type LineageChannel = readonly [
  channel: string,
  version: string | null,
  /** Whether the walk ends here: the channel has a value, is marked as empty, or has no version yet. */
  hasEnded: boolean,
  /** The versions of the channel that have triggered nodes. */
  seen: readonly string[] | null,
];

interface LineageParams extends CheckpointKey {
  readonly channels: readonly string[];
}

const VERSIONS = sql`own.checkpoint -> 'channel_versions'`;

/**
 * Reads a checkpoint and its ancestors, for each channel as far as the nearest one that determines its value. The rows have no
 * order. The walk is a UNION, so that it also ends on a cycle of damaged rows.
 */
export const getLineage = queryOf<LineageParams, LineageStepRow>((db, parameter) => {
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

const SEEN = sql`(
  select json_agg(node.value ->> name) from jsonb_each(own.checkpoint -> 'versions_seen') node
  where jsonb_exists(node.value, name)
)`;

/** A checkpoint with its parent, and the versions of some channels. */
export interface SuccessorRow {
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string;
  /** The source in the metadata. */
  readonly source: string | null;
  /** The versions of the requested channels, by channel, as JSON text. */
  readonly versions: string;
}

interface SuccessorParams extends NamespaceKey {
  readonly parentIds: readonly string[];
  readonly channels: readonly string[];
}

/** Reads all stored successors of some checkpoints of a namespace, in the order of their ids. */
export const getSuccessors = queryOf<SuccessorParams, SuccessorRow>((db, parameter) =>
  db
    .selectFrom("checkpoints as own")
    .where("own.thread_id", "=", parameter("threadId"))
    .where("own.checkpoint_ns", "=", parameter("checkpointNs"))
    .where(isOneOf(sql`own.parent_checkpoint_id`, parameter("parentIds")))
    .select(["own.checkpoint_id", sql<string>`own.parent_checkpoint_id`.as("parent_checkpoint_id")])
    .select([
      sql<string | null>`own.metadata ->> 'source'`.as("source"),
      sql<string>`(
        select json_object_agg(name, own.checkpoint -> 'channel_versions' ->> name)::text
        from unnest(${parameter("channels")}::text[]) name
      )`.as("versions"),
    ])
    .orderBy(sql`own.checkpoint_id collate "C"`),
);

/**
 * Finds the ancestor of the newest checkpoint of a namespace by its distance: 0 is the newest itself, 1 its parent. It is one statement for
 * any distance, and reads no header, which may be damaged.
 *
 * @returns The id; `undefined` when the checkpoint has no such ancestor, or when one in between is not stored.
 */
export async function getAncestor(
  call: CallContext,
  key: NamespaceKey,
  steps: number,
): Promise<string | undefined> {
  return (await ancestor(call, { ...key, steps }))[0]?.checkpoint_id;
}

interface AncestorParams extends NamespaceKey {
  readonly steps: number;
}

const ancestor = queryOf<AncestorParams, { checkpoint_id: string }>((db, parameter) => {
  // A number that a person types may exceed the range of integer.
  const steps = sql<number>`${parameter("steps")}::float8`;
  return db
    .withRecursive("walk", (qb) =>
      qb
        .selectFrom("checkpoints as own")
        .where("own.thread_id", "=", parameter("threadId"))
        .where("own.checkpoint_ns", "=", parameter("checkpointNs"))
        .where("own.checkpoint_id", "=", newestCheckpointId(db, parameter))
        .select(["own.checkpoint_id", "own.parent_checkpoint_id", sql<number>`0`.as("step")])
        .unionAll((recursive) =>
          recursive
            .selectFrom("walk")
            .innerJoin("checkpoints as parent", "parent.checkpoint_id", "walk.parent_checkpoint_id")
            .where("parent.thread_id", "=", parameter("threadId"))
            .where("parent.checkpoint_ns", "=", parameter("checkpointNs"))
            .where("walk.step", "<", steps)
            .select([
              "parent.checkpoint_id",
              "parent.parent_checkpoint_id",
              sql<number>`walk.step + 1`.as("step"),
            ]),
        ),
    )
    .selectFrom("walk")
    .select("walk.checkpoint_id")
    .where("walk.step", "=", steps);
});
