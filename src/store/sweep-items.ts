import type { OnDeleted } from "../db/scheduling/gentle-round.js";
import { sweepExpired } from "../db/scheduling/sweep-expired.js";
import type { StoreCall } from "./store-call.js";

/** Deletes all items that have expired, in bounded transactions. Returns their number. */
export function sweepItems(call: StoreCall, onDeleted?: OnDeleted): Promise<number> {
  const lock = `langgraph-checkpoint-kysely sweep ${call.schema}`;
  return sweepExpired(call, { table: "store", scope: "prefix" }, lock, onDeleted);
}
