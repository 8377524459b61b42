import type { OnDeleted } from "../db/scheduling/gentle-round.js";
import { deleteBy, deleteInBatches } from "../db/statements/delete-in-batches.js";
import { sweepItems } from "./queries/sweep-items.js";
import type { StoreCall } from "./store-call.js";

/** The items of one transaction. */
const BATCH = 1_000;

/** Deletes all items that have expired, in bounded transactions. Returns their number. */
export function sweep(call: StoreCall, onDeleted?: OnDeleted): Promise<number> {
  return deleteInBatches(deleteBy(call, sweepItems(call.schema, BATCH)), BATCH, onDeleted);
}
