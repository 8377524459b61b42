import { runTransaction } from "../db/statements/run-statement.js";
import { sweepItems } from "./queries/sweep-items.js";
import type { StoreCall } from "./store-call.js";

/** The items of one transaction. */
const BATCH = 1_000;

/** Deletes all items that have expired, in bounded transactions. Returns their number. */
export async function sweep(call: StoreCall): Promise<number> {
  let deleted = 0;
  for (;;) {
    const [rows = []] = await runTransaction(call, { statements: [sweepItems(call.schema, BATCH)] });
    deleted += rows.length;
    if (rows.length < BATCH) return deleted;
  }
}
