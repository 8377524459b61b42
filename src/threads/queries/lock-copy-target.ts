import type { GuardStep } from "../../db/statements/transaction-steps.js";
import type { SaverCall } from "../../saver/call/saver-call.js";
import { type LockRow, refuseSnapshots, takeLocks } from "../../saver/queries/take-locks.js";

/** Locks the target of a copy, so that each of several concurrent copies to it sees the checkpoints of the previous one. */
export function lockCopyTarget({ schema }: SaverCall, target: string): GuardStep<LockRow> {
  return {
    statement: takeLocks(schema, [{ name: ["copy", target], shared: false }]),
    check: (rows) => {
      refuseSnapshots(rows, "copyThread needs");
    },
  };
}
