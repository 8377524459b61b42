import type { GuardStep } from "../../db/statements/transaction-steps.js";
import type { SaverCall } from "../call/saver-call.js";
import { MissingParents, type RequiredParent, requireHeld } from "../codec/required-parents.js";
import { type BatchOperation, checkpointsOf } from "../codec/resolve-batch.js";
import { rowKey } from "../model/keys.js";
import {
  type BaseKey,
  type HeldBase,
  type HeldRow,
  holdBases,
  holdParents,
} from "../queries/hold-parents.js";
import { threadGroups } from "../queries/thread-groups.js";

/** Locks the parents that operations require (C3). The check throws `MissingParents` where one is gone. */
export async function parentGuard(
  call: SaverCall,
  required: readonly RequiredParent[],
): Promise<readonly GuardStep[]> {
  const groups = await threadGroups(call, required, ({ parent }) => parent.threadId);
  return groups.map(({ items, ...group }): GuardStep<HeldRow> => {
    const parents = items.map(({ parent }) => parent);
    return {
      statement: holdParents(call.schema, { ...group, items: parents }),
      check: (rows) => {
        requireHeld(items, rows);
      },
    };
  });
}

/** Locks the values that the splices of operations refer to (C13). The check throws `MissingParents` where one is gone or replaced. */
export async function baseGuard(
  call: SaverCall,
  operations: readonly BatchOperation[],
): Promise<readonly GuardStep[]> {
  const checkpoints = checkpointsOf(operations);
  const bases = checkpoints.flatMap(({ threadId, checkpointNs, blobs }) =>
    blobs.flatMap(({ channel, splice }): BaseKey[] =>
      splice === undefined
        ? []
        : [{ threadId, checkpointNs, channel, version: splice.base, mark: splice.baseMark }],
    ),
  );
  const groups = await threadGroups(call, bases, ({ threadId }) => threadId);
  return groups.map((group): GuardStep<HeldBase> => ({
    statement: holdBases(call.schema, group),
    check: (rows) => {
      const held = new Set(
        rows.map((row) => rowKey(row.thread_id, row.checkpoint_ns, row.channel, row.version)),
      );
      const isGone = ({ threadId, checkpointNs, channel, version }: BaseKey): boolean =>
        !held.has(rowKey(threadId, checkpointNs, channel, version));
      if (group.items.some(isGone)) throw new MissingParents(checkpoints);
    },
  }));
}
