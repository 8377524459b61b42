import { deleteBy, deleteInBatches } from "../db/statements/delete-in-batches.js";
import { deleteScope } from "./queries/delete-scope.js";
import type { StoreCall } from "./store-call.js";

/** The items of one transaction. */
const BATCH = 1_000;

/** Deletes the items of a namespace and those below it, in bounded transactions. Returns their number. */
export function deleteNamespace(call: StoreCall, prefix: string): Promise<number> {
  const statement = deleteScope(call.schema, prefix, BATCH, call.settings.channel);
  return deleteInBatches(deleteBy(call, statement), BATCH);
}
