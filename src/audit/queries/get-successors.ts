import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { isOneOf } from "./is-one-of.js";

/** A checkpoint with its parent, and the versions of some channels. */
export interface SuccessorRow {
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string;
  /** The source in the metadata. */
  readonly source: string | null;
  /** The versions of the requested channels, by channel, as JSON text. */
  readonly versions: string;
}

/** Reads all stored successors of some checkpoints of a namespace, in the order of their ids. */
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
        select json_object_agg(name, own.checkpoint -> 'channel_versions' ->> name)::text
        from unnest(${parameter("channels")}::text[]) name
      )`.as("versions"),
    ])
    .orderBy(sql`own.checkpoint_id collate "C"`),
);
