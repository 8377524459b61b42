import type { SaverCall } from "./call/saver-call.js";
import { CallGroups, type GroupRules } from "../db/grouping/call-groups.js";
import { LOCK_TIMEOUT_MS, LockWaits } from "../db/grouping/lock-waits.js";
import { ReadGroups } from "../db/grouping/read-groups.js";
import { GroupContent, type StoredCall } from "./grouping/group-content.js";
import { tupleReadRules } from "./grouping/tuple-read.js";
import { storeGroup } from "./store-group.js";
import { loadOnce } from "../db/async/load-once.js";

// The first run of a process stores calls together, and reads none.
const loadReadTogether = /* @__PURE__ */ loadOnce(() => import("./queries/get-rows-of-tuples.js"));

/**
 * Opens the groups for the calls of a saver.
 *
 * @param base - The context that each call of the saver starts from.
 * @returns Nothing in a passed-in transaction, whose statements run one after another, and fail all together.
 */
export function openGroups(base: SaverCall): Pick<SaverCall, "groups" | "reads"> {
  if (base.database.kysely.isTransaction) return {};
  const { maxConnections } = base.database;
  // The only user of an embedded database finds no lock that another one holds.
  const isEmbedded = maxConnections === "embedded";
  const connections = isEmbedded ? 1 : maxConnections;
  const lockWaits = new LockWaits(isEmbedded ? Infinity : connections - 1);
  return {
    groups: new CallGroups(rulesOf(base), connections, lockWaits),
    reads: new ReadGroups(
      tupleReadRules(async (keys, selection, signal) => {
        const { getRowsOfTuples } = await loadReadTogether();
        return getRowsOfTuples({ ...base, signal }, keys, selection);
      }),
      connections,
    ),
  };
}

function rulesOf(base: SaverCall): GroupRules<StoredCall> {
  // A group that fails is sent again call by call, and these are retried.
  const call = { ...base, lockTimeoutMs: LOCK_TIMEOUT_MS, policy: { ...base.policy, retry: false as const } };
  return {
    newContent: () => new GroupContent(),
    storeTogether: (calls) =>
      storeGroup(
        call,
        calls.map(({ operation }) => operation),
      ),
  };
}
