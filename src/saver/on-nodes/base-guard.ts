import type { GuardStep } from "../../db/statements/transaction-steps.js";
import type { SaverCall } from "../call/saver-call.js";
import { MissingParents } from "../codec/required-parents.js";
import { type BatchOperation, checkpointsOf } from "../codec/resolve-batch.js";
import { rowKey } from "../model/row-key.js";
import { type BaseKey, type HeldBase, holdBases } from "./hold-bases.js";

/** Locks the values of a thread that the splices of operations refer to. The check throws `MissingParents` where one is gone or replaced. */
export function baseGuard(
  { schema }: SaverCall,
  threadId: string,
  operations: readonly BatchOperation[],
): readonly GuardStep[] {
  const checkpoints = checkpointsOf(operations);
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
