import { refuseHiddenRowsOnce } from "../../db/hidden-rows.js";
import type { BoundStatement } from "../../db/statements/statement.js";
import type { GuardStep } from "../../db/statements/transaction-steps.js";
import { refuseUnkept } from "../codec/refuse-writes.js";
import { type NamespaceKey, rowKey } from "../model/keys.js";
import type { EncodedCheckpoint } from "../queries/checkpoint-rows.js";
import { lockNamespaces, removeOlder, type StoredCheckpoint } from "../queries/remove-older.js";
import { type LockRow, refuseSnapshots, takeLocks } from "../queries/take-locks.js";
import { threadGroups } from "../queries/thread-groups.js";
import type { SaverCall } from "../call/saver-call.js";

/** The steps around puts that keep only the newest checkpoints of each namespace. */
export interface NewestSteps {
  /** The steps before the puts. */
  readonly guard: readonly GuardStep[];
  /** The steps after the puts. */
  readonly removal: readonly BoundStatement<unknown>[];
}

/**
 * Returns the steps for a saver that keeps only the newest checkpoints, and none for other savers. The locks come
 * first. So a checkpoint that continues from one of those to be deleted has committed before the deletion, which sees
 * it (C7).
 */
export async function newestSteps(
  call: SaverCall,
  checkpoints: readonly EncodedCheckpoint[],
): Promise<NewestSteps> {
  const { schema, policy, database } = call;
  const { keepLast } = policy;
  if (keepLast === undefined || checkpoints.length === 0) return { guard: [], removal: [] };
  await refuseHiddenRowsOnce(call);
  const keys = distinct(checkpoints);
  const groups = await threadGroups(call, keys, ({ threadId }) => threadId);
  const locks = keys.map(({ threadId, checkpointNs }) => ({
    name: ["newest", threadId, checkpointNs] as const,
    shared: false,
  }));
  const taking: GuardStep<LockRow> = { statement: takeLocks(schema, locks) };
  return {
    guard: [
      // Only a transaction of the caller's own may use snapshot isolation, which does not see concurrent commits.
      database.kysely.isTransaction ? { ...taking, check: refuseSnapshots } : taking,
      ...groups.map((group): GuardStep<StoredCheckpoint> => ({
        statement: lockNamespaces(schema, group),
        check: (rows) => {
          if (policy.clock !== undefined) refuseUnkept(checkpoints, rows, { keepLast, clock: policy.clock });
        },
      })),
    ],
    removal: groups.flatMap((group) => removeOlder(schema, group, keepLast)),
  };
}

/** Returns each namespace once. A join would return the checkpoints of a repeated one twice. */
function distinct(namespaces: readonly NamespaceKey[]): NamespaceKey[] {
  const byKey = new Map(
    namespaces.map(({ threadId, checkpointNs }) => [
      rowKey(threadId, checkpointNs),
      { threadId, checkpointNs },
    ]),
  );
  return [...byKey.values()];
}
