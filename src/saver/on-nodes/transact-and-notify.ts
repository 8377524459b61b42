import { inOneTransaction, runTransaction } from "../../db/statements/run-statement.js";
import type { TransactionSteps } from "../../db/statements/transaction-steps.js";
import type { SaverCall } from "../call/saver-call.js";
import { type BatchOperation, resolveBatch } from "../codec/resolve-batch.js";
import { rowKey, type CheckpointKey } from "../model/keys.js";
import { notificationScope, payloadOf, watchChannel } from "../notifications/watch-channel.js";
import { holdParents } from "../queries/hold-parents.js";
import { threadGroups } from "../queries/thread-groups.js";
import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";

/**
 * Runs the steps that store operations, in one transaction. A statement that stores rows can't notify (N7), so the last one does.
 *
 * @returns The rows of each statement.
 */
export async function transactAndNotify(
  call: SaverCall,
  operations: readonly BatchOperation[],
  steps: TransactionSteps,
): Promise<unknown[][]> {
  const scope = notificationScope(call);
  if (scope === undefined) return runTransaction(call, steps);
  const { checkpoints, deletedThreads } = resolveBatch(operations);
  // A checkpoint of a thread that the steps delete is new.
  const replaceable = checkpoints.filter(({ threadId }) => !deletedThreads.includes(threadId));
  const groups = await threadGroups(call, replaceable, ({ threadId }) => threadId);
  return inOneTransaction(call, async (within) => {
    const { guard = [], statements } = steps;
    for (const step of guard) {
      const [rows = []] = await runTransaction(within, { statements: [step.statement] });
      step.check?.(rows);
    }
    const holding = groups.map((group) => holdParents(call.schema, group));
    const stored = (await runTransaction(within, { statements: holding })).flat();
    const replaced = new Set(
      stored.map((row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id)),
    );
    const results = await runTransaction(within, { statements });
    const notifications = checkpoints
      .filter((checkpoint) => !replaced.has(keyOf(checkpoint)))
      .map((checkpoint) => ({
        channel: watchChannel(scope, checkpoint.threadId),
        payload: payloadOf(checkpoint),
      }));
    if (notifications.length > 0)
      await runTransaction(within, { statements: [notifyStored(call.schema, notifications)] });
    return results;
  });
}

function keyOf({ threadId, checkpointNs, checkpointId }: CheckpointKey): string {
  return rowKey(threadId, checkpointNs, checkpointId);
}

/** A notification, which Postgres delivers when the transaction commits. */
export interface Notification {
  readonly channel: string;
  readonly payload: string;
}

/**
 * Sends notifications from the server that the saver is connected to. It reads no table (N7).
 */
export function notifyStored(
  schema: string,
  notifications: readonly Notification[],
): BoundStatement<unknown> {
  return notify.bind(schema, {
    channels: notifications.map(({ channel }) => channel),
    payloads: notifications.map(({ payload }) => payload),
  });
}

interface NotifyParams {
  readonly channels: readonly string[];
  readonly payloads: readonly string[];
}

const notify = new Statement<NotifyParams, unknown>((db, parameter) =>
  db
    .selectFrom(
      sql<Notification>`unnest(${parameter("channels")}::text[], ${parameter("payloads")}::text[])`.as<"given">(
        sql`given(channel, payload)`,
      ),
    )
    .select(sql<null>`pg_notify(given.channel, given.payload)`.as("notified")),
);
