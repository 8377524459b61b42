import { InvalidConfigError } from "../../errors/index.js";
import type { InspectorContext } from "../inspector-context.js";
import { ReadingStore } from "./reading-store.js";

const stores = new WeakMap<InspectorContext, ReadingStore>();
const readable = new WeakSet<ReadingStore>();

/**
 * Returns the store whose items the inspector shows: what the application has passed, or a store on the database of the saver. It only
 * reads: it creates no tables, and starts the time of no item again.
 *
 * @throws InvalidConfigError where there is no such store; see {@link hasMemory}.
 */
export async function storeOf(context: InspectorContext, signal: AbortSignal): Promise<ReadingStore> {
  if (await hasMemory(context, signal)) return openOnce(context);
  throw new InvalidConfigError("store", "there is no store that the inspector may read");
}

/** Whether the tables of the store exist and may be read. It asks the database until they do. */
export async function hasMemory(context: InspectorContext, signal: AbortSignal): Promise<boolean> {
  const store = openOnce(context);
  if (readable.has(store)) return true;
  // A saver for one tenant must not show the items of others.
  const { tenantId } = context.call.policy;
  if (tenantId !== undefined && store.tenantId !== tenantId) return false;
  const isReadable = await store.isReadable(signal);
  if (isReadable) readable.add(store);
  return isReadable;
}

function openOnce(context: InspectorContext): ReadingStore {
  const known = stores.get(context);
  if (known !== undefined) return known;
  const { store } = context;
  const opened = store === undefined ? ReadingStore.besideSaver(context) : ReadingStore.like(store);
  stores.set(context, opened);
  return opened;
}
