import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { type LockRow, refuseSnapshots, takeLocks } from "../saver/queries/take-locks.js";
import { tombstoneGuard } from "../saver/storing/write-guard.js";

/**
 * The checks of a copy, which come first in its transaction. They lock the target, so that each of several concurrent copies to it sees the
 * checkpoints of the previous one.
 */
export function copyGuard(call: SaverCall, target: string): readonly GuardStep[] {
  const taking: GuardStep<LockRow> = {
    statement: takeLocks(call.schema, [{ name: ["copy", target], shared: false }]),
    check: (rows) => {
      refuseSnapshots(rows, "copyThread needs");
    },
  };
  return [taking, ...tombstoneGuard(call, [target])];
}
