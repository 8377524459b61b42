import { deleteBy, deleteInBatches } from "../db/statements/delete-in-batches.js";
import { holdTurn } from "../db/grouping/take-turn.js";
import { isOfScope } from "./item-id.js";
import { deleteScope } from "./queries/delete-scope.js";
import type { StoreCall } from "./store-call.js";

/** The items of one transaction. */
const BATCH = 1_000;

/**
 * Deletes the items of a namespace and those below it, in bounded transactions. Returns their number. Writes of these items that are called
 * meanwhile wait for it.
 */
export function deleteNamespace(call: StoreCall, prefix: string): Promise<number> {
  const covers = (id: string): boolean => isOfScope(id, prefix);
  return holdTurn(call, call.groups?.writes, { covers }, async () => {
    if (call.ready !== undefined) await call.ready;
    const statement = deleteScope(call.schema, prefix, BATCH, call.settings.channel);
    return deleteInBatches(deleteBy(call, statement), BATCH);
  });
}
