import type { DeletedRows, PruneRule } from "../../../api/storage-views.js";
import { counted, formatBytes } from "../number-texts.js";

const DAY_MS = 86_400_000;

/** Returns the rule that a person has typed. Returns `undefined` where the fields name no rule. */
export function pruneRuleOf(
  threadId: string | undefined,
  keepLast: string,
  days: string,
): PruneRule | undefined {
  const [last, age] = [Number(keepLast), Number(days)];
  if (keepLast === "" && days === "") return undefined;
  if (!Number.isInteger(last) || (keepLast !== "" && last < 1) || !(age >= 0)) return undefined;
  return {
    threadId,
    ...(keepLast !== "" && { keepLast: last }),
    ...(days !== "" && { olderThanMs: Math.round(age * DAY_MS) }),
  };
}

/** Says what a prune deletes. */
export function describeDeleted({ threads, checkpoints, values, writes, bytes }: DeletedRows): string {
  const rows = [
    counted(checkpoints, "checkpoint"),
    counted(values, "value"),
    counted(writes, "pending write"),
  ];
  return `${rows.join(", ")} of ${counted(threads, "thread")}: ${formatBytes(bytes)}`;
}
