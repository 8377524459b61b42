import type { SaverCall } from "./call/saver-call.js";
import { CallGroups } from "../db/grouping/call-groups.js";
import { type GroupRules } from "../db/grouping/group-rules.js";
import { groupingOf, orderOnly } from "../db/grouping/grouping-of.js";
import { ReadGroups } from "../db/grouping/read-groups.js";
import { GroupContent, type StoredCall } from "./grouping/group-content.js";
import { tupleReadRules } from "./grouping/tuple-read.js";
import { store } from "./storing/store.js";
import { loadOnce } from "../db/async/load-once.js";
import { progressOf } from "../telemetry/running-calls.js";

// The first run of a process stores calls together, and reads none.
const loadReadTogether = loadOnce(() => import("./queries/get-rows-of-tuples.js"));

/**
 * Opens the groups for the calls of a saver.
 *
 * @param base - The context that each call of the saver starts from.
 * @returns In a passed-in transaction, whose statements run one after another and fail all together, only their order.
 */
export function openGroups(base: SaverCall): Pick<SaverCall, "groups" | "reads"> {
  const grouping = groupingOf(base);
  if (grouping === undefined) return { groups: orderOnly() };
  const { connections, lockWaits, together } = grouping;
  return {
    groups: new CallGroups(rulesOf(together), connections, lockWaits),
    reads: new ReadGroups(
      tupleReadRules(async (reads, selection, signal) => {
        const { getRowsOfTuples } = await loadReadTogether();
        const keys = reads.map(({ key }) => key);
        return getRowsOfTuples({ ...base, signal, progress: progressOf(reads) }, keys, selection);
      }),
      connections,
    ),
  };
}

/** @param call - The context of the statements that several calls share. */
function rulesOf(call: SaverCall): GroupRules<StoredCall> {
  return {
    newContent: () => new GroupContent(),
    storeTogether: (calls) =>
      store(
        { ...call, progress: progressOf(calls) },
        calls.map(({ operation }) => operation),
        { asGroup: true },
      ),
  };
}
