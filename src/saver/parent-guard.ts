import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { SaverCall } from "./call/saver-call.js";
import { type RequiredParent, requireHeld } from "./codec/required-parents.js";
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
