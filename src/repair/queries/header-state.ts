import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../../saver/model/keys.js";

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
  const [row] = await runStatement(call, state, key);
  return row;
}

const state = /* @__PURE__ */ new Statement<CheckpointKey, HeaderState>((db, parameter) =>
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
