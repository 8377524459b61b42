import type { BoundStatement } from "../db/statements/statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import type { NamespaceKey } from "./model/checkpoint-key.js";
import { rowKey } from "./model/row-key.js";
import { lockNamespaces, removeOlder } from "./queries/remove-older.js";
import { type LockRow, refuseSnapshots, takeLocks } from "./queries/take-locks.js";
import type { SaverCall } from "./call/saver-call.js";

/** What is done around puts so that only the newest checkpoint of each namespace stays. */
export interface NewestSteps {
  /** What comes before them. */
  readonly guard: readonly GuardStep[];
  /** What comes after them. */
  readonly removal: readonly BoundStatement<unknown>[];
}

/**
 * The steps for a saver that keeps the newest checkpoint alone, and none for any other. The locks come first, so that what
 * goes on from the checkpoints that are about to be removed has been stored by then, and is seen.
 */
export function newestSteps(call: SaverCall, namespaces: readonly NamespaceKey[]): NewestSteps {
  const { schema, policy, database } = call;
  if (policy.keepsNewest !== true || namespaces.length === 0) return { guard: [], removal: [] };
  const keys = distinct(namespaces);
  const locks = keys.map(({ threadId, checkpointNs }) => ({
    name: ["newest", threadId, checkpointNs] as const,
    shared: false,
  }));
  const taking: GuardStep<LockRow> = { statement: takeLocks(schema, locks) };
  return {
    guard: [
      // Only a transaction of somebody else's can be one that does not see what is stored meanwhile.
      database.kysely.isTransaction ? { ...taking, check: refuseSnapshots } : taking,
      { statement: lockNamespaces(schema, keys) },
    ],
    removal: removeOlder(schema, keys),
  };
}

/** Each once: a lateral join would come upon the same checkpoint twice. */
function distinct(namespaces: readonly NamespaceKey[]): NamespaceKey[] {
  const byKey = new Map(
    namespaces.map(({ threadId, checkpointNs }) => [
      rowKey(threadId, checkpointNs),
      { threadId, checkpointNs },
    ]),
  );
  return [...byKey.values()];
}
