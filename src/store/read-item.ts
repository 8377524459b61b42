import { runTransaction } from "../db/statements/run-statement.js";
import type { FoundItem, StoreItem } from "./model/item.js";
import type { GetOperation, SearchOperation } from "./operations.js";
import { getItems } from "./queries/get-items.js";
import { searchItems } from "./queries/search-items.js";
import type { StoreCall } from "./store-call.js";
import { toFoundItem, toItem } from "./to-item.js";

/** Reads an item: at once, or together with those that are read at the same time. */
export async function readItem(call: StoreCall, operation: GetOperation): Promise<StoreItem | null> {
  if (call.ready !== undefined) await call.ready;
  const alone = async () => {
    const statement = getItems(call.schema, [operation], operation.refreshes);
    const [rows = []] = await runTransaction(call, { statements: [statement] });
    return rows;
  };
  const { groups, signal, observer, progress } = call;
  // A read that starts the time of an item again locks it.
  const gets = operation.refreshes ? undefined : groups?.gets;
  const [row] = await (gets === undefined
    ? alone()
    : gets.read({ item: operation, signal, observer, progress, alone }));
  return row === undefined ? null : toItem(call, row);
}

/** Finds items by something else than their vectors: at once, or together with other searches where the connections are in use. */
export async function findItems(call: StoreCall, operation: SearchOperation): Promise<FoundItem[]> {
  if (call.ready !== undefined) await call.ready;
  const search = { ...operation, vector: undefined };
  const alone = async () => {
    const [rows = []] = await runTransaction(call, { statements: [searchItems(call.schema, search)] });
    return rows;
  };
  const { groups, signal, observer, progress } = call;
  const searches = operation.refreshes ? undefined : groups?.searches;
  const rows = await (searches === undefined
    ? alone()
    : searches.read({ search, signal, observer, progress, alone }));
  return Promise.all(rows.map((row) => toFoundItem(call, row)));
}
