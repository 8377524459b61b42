import { runTransaction } from "../db/statements/run-statement.js";
import type { SaverCall } from "./call/saver-call.js";
import { notificationScope } from "./notifications/watch-channel.js";
import { loadOnce } from "../db/async/load-once.js";
import { ON_ONE_SERVER, type Placement, placementOf } from "../db/placement/placement.js";
import { storeInOneRoundTrip } from "./store-in-one-round-trip.js";
import type { Storing } from "./storing.js";

const loadPutRows = /* @__PURE__ */ loadOnce(() => import("./queries/put-rows.js"));
const loadOnNodes = /* @__PURE__ */ loadOnce(() => import("./on-nodes/storing-on-nodes.js"));

/** Stores what a call has in one statement, which also notifies; see `notifyWatchers`. */
const storingInOneStatement: Storing = {
  store: storeInOneRoundTrip,

  async putRows(call, _threadId, rows) {
    const { putRows } = await loadPutRows();
    return [putRows(call.schema, rows, { scope: notificationScope(call) })];
  },

  transact: (call, _operations, steps) => runTransaction(call, steps),
};

/** Returns how the rows of a call are stored. It asks once for a database, and returns no promise where one server keeps the rows. */
export function storingOf(call: SaverCall): Storing | Promise<Storing> {
  const placement = placementOf(call);
  return placement === ON_ONE_SERVER ? storingInOneStatement : storingAt(placement);
}

async function storingAt(placement: Placement | Promise<Placement>): Promise<Storing> {
  if (!(await placement).isOnNodes) return storingInOneStatement;
  const { storingOnNodes } = await loadOnNodes();
  return storingOnNodes;
}
