import { runTransaction } from "../db/statements/run-statement.js";
import { deleteScope } from "./queries/delete-scope.js";
import type { StoreCall } from "./store-call.js";

/** The items of one transaction. */
const BATCH = 1_000;

/** Deletes the items of a namespace and those below it, in bounded transactions. Returns their number. */
export async function deleteNamespace(call: StoreCall, prefix: string): Promise<number> {
  let deleted = 0;
  for (;;) {
    const statement = deleteScope(call.schema, prefix, BATCH, call.settings.channel);
    const [rows = []] = await runTransaction(call, { statements: [statement] });
    deleted += rows.length;
    if (rows.length < BATCH) return deleted;
  }
}
