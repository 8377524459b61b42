import { loadOnce } from "../db/async/load-once.js";
import { ON_ONE_SERVER, type Placement, placementOf } from "../db/placement/placement.js";
import type { SaverCall } from "./call/saver-call.js";
import { type Storing, storingInOneStatement } from "./storing.js";

const loadOnNodes = /* @__PURE__ */ loadOnce(() => import("./on-nodes/storing-on-nodes.js"));

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
