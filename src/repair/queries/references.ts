import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { CheckpointKey, NamespaceKey } from "../../saver/model/keys.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";

/** Identifies a value. */
export interface ValueKey extends NamespaceKey {
  readonly channel: string;
  readonly version: string;
}

/** The checkpoints that reference a value, the oldest first. */
export async function checkpointsWith(call: CallContext, key: ValueKey): Promise<string[]> {
  const rows = await runStatement(call, referencing, key);
  return rows.map(({ checkpoint_id }) => checkpoint_id);
}

const referencing = /* @__PURE__ */ new Statement<ValueKey, { checkpoint_id: string }>((db, parameter) =>
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

/** The checkpoints of a namespace, the newest first, with their parents. */
export function checkpointsOf(call: CallContext, key: NamespaceKey): Promise<CheckpointRow[]> {
  return runStatement(call, checkpoints, key);
}

/** A checkpoint and its parent. */
export interface CheckpointRow {
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
}

const checkpoints = /* @__PURE__ */ new Statement<NamespaceKey, CheckpointRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .select(["checkpoint_id", "parent_checkpoint_id"])
    .orderBy(sql`checkpoint_id collate "C"`, "desc"),
);

/** Whether a splice is made of a value. */
export async function isBase(call: CallContext, key: ValueKey): Promise<boolean> {
  const rows = await runStatement(call, splices, key);
  return rows.length > 0;
}

const splices = /* @__PURE__ */ new Statement<ValueKey, { version: string }>((db, parameter) =>
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

/** The writes of a checkpoint's tasks, and their indexes. */
export function writesBeside(call: CallContext, key: CheckpointKey): Promise<WriteRow[]> {
  return runStatement(call, writes, key);
}

/** A write, without its value. */
export interface WriteRow {
  readonly task_id: string;
  readonly idx: number;
  readonly channel: string;
  readonly task_path: string | null;
}

const writes = /* @__PURE__ */ new Statement<CheckpointKey, WriteRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_writes")
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoint_id", "=", parameter("checkpointId"))
    .select(["task_id", "idx", "channel", sql<string | null>`task_path`.as("task_path")])
    .orderBy("task_id")
    .orderBy("idx"),
);
