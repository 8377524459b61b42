import type { RestoredCheckpoint, RestoredWrite } from "../../saver/queries/restored-rows.js";
import type { ChannelValueContext } from "../../serde/serde-context.js";
import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { queryOf } from "../../db/statements/run-statement.js";
import type { CheckpointKey, NamespaceKey } from "../../saver/model/keys.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";

/** The checkpoints that reference a value, the oldest first. */
export async function checkpointsWith(call: CallContext, key: ChannelValueContext): Promise<string[]> {
  return (await referencing(call, key)).map(({ checkpoint_id }) => checkpoint_id);
}

const referencing = queryOf<ChannelValueContext, { checkpoint_id: string }>((db, parameter) =>
  db
    .selectFrom("checkpoints as own")
    .innerJoinLateral(
      () => eachChannelVersion(sql`own.checkpoint -> 'channel_versions'`),
      (join) => join.onTrue(),
    )
    .where("own.thread_id", "=", parameter("threadId"))
    .where("own.checkpoint_ns", "=", parameter("checkpointNs"))
    .where("entry.channel", "=", parameter("channel"))
    .where("entry.version", "=", parameter("version"))
    .select("own.checkpoint_id")
    .orderBy(sql`own.checkpoint_id collate "C"`),
);

type ParentRow = Pick<RestoredCheckpoint, "checkpoint_id" | "parent_checkpoint_id">;

/** The checkpoints of a namespace, the newest first, with their parents. */
export const checkpointsIn = queryOf<NamespaceKey, ParentRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .select(["checkpoint_id", "parent_checkpoint_id"])
    .orderBy(sql`checkpoint_id collate "C"`, "desc"),
);

/** Whether a splice is made of a value. */
export async function isBase(call: CallContext, key: ChannelValueContext): Promise<boolean> {
  return (await splices(call, key)).length > 0;
}

const splices = queryOf<ChannelValueContext, { version: string }>((db, parameter) =>
  db
    .selectFrom("checkpoint_blobs")
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("channel", "=", parameter("channel"))
    .where("base", "=", parameter("version"))
    .where("version", "<>", parameter("version"))
    .select("version")
    .limit(sql.lit(1)),
);

type TaskWriteRow = Pick<RestoredWrite, "task_id" | "idx" | "channel" | "task_path">;

/** The writes of a checkpoint's tasks, and their indexes. */
export const writesBeside = queryOf<CheckpointKey, TaskWriteRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_writes")
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoint_id", "=", parameter("checkpointId"))
    .select(["task_id", "idx", "channel", sql<string | null>`task_path`.as("task_path")])
    .orderBy("task_id")
    .orderBy("idx"),
);

/** What of a checkpoint's row can be derived from others, and from what. */
export interface HeaderState {
  /** Whether header and metadata are objects, to which fields can be added. */
  readonly is_object: boolean;
  readonly has_metadata: boolean;
  readonly id: string | null;
  readonly ts: string | null;
  readonly v: string | null;
  /** The step, where it is a number. */
  readonly step: string | null;
  readonly parent_checkpoint_id: string | null;
  readonly parent_v: string | null;
  readonly parent_step: string | null;
}

/** Reads the state of a row without decoding it. */
export async function headerState(call: CallContext, key: CheckpointKey): Promise<HeaderState | undefined> {
  return (await state(call, key))[0];
}

const state = queryOf<CheckpointKey, HeaderState>((db, parameter) =>
  db
    .selectFrom("checkpoints as own")
    .leftJoin("checkpoints as parent", (join) =>
      join
        .onRef("parent.checkpoint_id", "=", "own.parent_checkpoint_id")
        .on("parent.thread_id", "=", parameter("threadId"))
        .on("parent.checkpoint_ns", "=", parameter("checkpointNs")),
    )
    .where("own.thread_id", "=", parameter("threadId"))
    .where("own.checkpoint_ns", "=", parameter("checkpointNs"))
    .where("own.checkpoint_id", "=", parameter("checkpointId"))
    .select("own.parent_checkpoint_id")
    .select([
      sql<boolean>`coalesce(jsonb_typeof(own.checkpoint) = 'object', false)`.as("is_object"),
      sql<boolean>`coalesce(jsonb_typeof(own.metadata) = 'object', false)`.as("has_metadata"),
      sql<string | null>`own.checkpoint ->> 'id'`.as("id"),
      sql<string | null>`own.checkpoint ->> 'ts'`.as("ts"),
      numberIn("own.checkpoint", "v").as("v"),
      numberIn("own.metadata", "step").as("step"),
      numberIn("parent.checkpoint", "v").as("parent_v"),
      numberIn("parent.metadata", "step").as("parent_step"),
    ]),
);

function numberIn(column: string, field: string) {
  const value = sql`${sql.ref(column)} -> ${sql.lit(field)}`;
  return sql<string | null>`case when jsonb_typeof(${value}) = 'number' then ${value} #>> '{}' end`;
}

/** The type of a value or of a write, and its key. */
export interface StoredTypeRow {
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly type: string;
  /** Of a value. */
  readonly version: string | null;
  /** Of a write, as the following ones. */
  readonly checkpoint_id: string | null;
  readonly task_id: string | null;
  readonly idx: number | null;
}

/** Lists the types of all values and writes of a thread. It reads no value. */
export const typesOfThread = queryOf<Pick<NamespaceKey, "threadId">, StoredTypeRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_blobs")
    .where("thread_id", "=", parameter("threadId"))
    .select(["checkpoint_ns", "channel", "type", sql<string | null>`version`.as("version")])
    .select([
      sql<string | null>`null::text`.as("checkpoint_id"),
      sql<string | null>`null::text`.as("task_id"),
      sql<number | null>`null::integer`.as("idx"),
    ])
    .unionAll(
      db
        .selectFrom("checkpoint_writes")
        .where("thread_id", "=", parameter("threadId"))
        .select(["checkpoint_ns", "channel", sql<string>`coalesce(type, 'json')`.as("type")])
        .select(sql<string | null>`null::text`.as("version"))
        .select([
          sql<string | null>`checkpoint_id`.as("checkpoint_id"),
          sql<string | null>`task_id`.as("task_id"),
          sql<number | null>`idx`.as("idx"),
        ]),
    ),
);
