import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { CheckpointKey, NamespaceKey } from "../model/keys.js";

/** Whether a checkpoint is among its own ancestors. UNION ends the walk where it returns to a row. */
export async function isOwnAncestor(call: CallContext, key: CheckpointKey): Promise<boolean> {
  return (await runStatement(call, ownAncestors, key)).length > 0;
}

const ownAncestors = new Statement<CheckpointKey, { id: string }>((db, parameter) =>
  db
    .withRecursive("ancestor", (qb) =>
      qb
        .selectFrom("checkpoints as own")
        .select(sql<string | null>`own.parent_checkpoint_id`.as("id"))
        .where("own.thread_id", "=", parameter("threadId"))
        .where("own.checkpoint_ns", "=", parameter("checkpointNs"))
        .where("own.checkpoint_id", "=", parameter("checkpointId"))
        .union((recursive) =>
          recursive
            .selectFrom("ancestor")
            .innerJoin("checkpoints as next", "next.checkpoint_id", "ancestor.id")
            .select(sql<string | null>`next.parent_checkpoint_id`.as("id"))
            .where("next.thread_id", "=", parameter("threadId"))
            .where("next.checkpoint_ns", "=", parameter("checkpointNs"))
            .where("next.checkpoint_id", "<>", parameter("checkpointId")),
        ),
    )
    .selectFrom("ancestor")
    .select(sql<string>`id`.as("id"))
    .where("id", "=", parameter("checkpointId")),
);

/** Reads the delta channels of a namespace: those whose changes since their last snapshot LangGraph counts. */
export async function getDeltaChannels(call: CallContext, key: NamespaceKey): Promise<string[]> {
  return (await runStatement(call, deltaChannels, key)).map(({ channel }) => channel);
}

const deltaChannels = new Statement<NamespaceKey, { channel: string }>((db, parameter) => {
  const counters = sql`metadata -> 'counters_since_delta_snapshot'`;
  return db
    .selectFrom("checkpoints")
    .select(
      sql<string>`jsonb_object_keys(case when jsonb_typeof(${counters}) = 'object' then ${counters} end)`.as(
        "channel",
      ),
    )
    .distinct()
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"));
});
