import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { SaverCall } from "./call/saver-call.js";
import { MissingParents, type RequiredParent, requireHeld } from "./codec/required-parents.js";
import type { BatchOperation } from "./codec/resolve-batch.js";
import { rowKey } from "./model/row-key.js";
import { type BaseKey, type HeldBase, holdBases } from "./queries/hold-bases.js";
import { type HeldRow, holdParents } from "./queries/hold-parents.js";
import { threadGroups } from "./queries/thread-groups.js";

/** Locks the parents that operations require. The check throws `MissingParents` where one is gone. */
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

/** Locks the values of a thread that the splices of operations refer to. The check throws `MissingParents` where one is gone or replaced. */
export function baseGuard(
  { schema }: SaverCall,
  threadId: string,
  operations: readonly BatchOperation[],
): readonly GuardStep[] {
  const checkpoints = operations.flatMap((operation) =>
    operation.kind === "put" ? [operation.checkpoint] : [],
  );
  const bases = checkpoints.flatMap(({ checkpointNs, blobs }) =>
    blobs.flatMap(({ channel, splice }): BaseKey[] =>
      splice === undefined
        ? []
        : [{ threadId, checkpointNs, channel, version: splice.base, mark: splice.baseMark }],
    ),
  );
  if (bases.length === 0) return [];
  const step: GuardStep<HeldBase> = {
    statement: holdBases(schema, threadId, bases),
    check: (rows) => {
      const held = new Set(rows.map((row) => rowKey(row.checkpoint_ns, row.channel, row.version)));
      const isGone = ({ checkpointNs, channel, version }: BaseKey): boolean =>
        !held.has(rowKey(checkpointNs, channel, version));
      if (bases.some(isGone)) throw new MissingParents(checkpoints);
    },
  };
  return [step];
}
