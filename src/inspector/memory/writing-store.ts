import { Preparation } from "../../db/preparation.js";
import { ItemStore } from "../../store/item-store.js";
import type { StoreCall } from "../../store/store-call.js";
import type { InspectorContext } from "../inspector-context.js";
import { storeCallBeside } from "./store-call-beside.js";

/** A store that writes items as plain JSON, without vectors, and creates no tables. */
class PlainStore extends ItemStore {
  constructor(call: StoreCall) {
    const never = (): Promise<void> => Promise.resolve();
    const preparation = new Preparation({ ensuresTables: false, setUp: never, sweeps: undefined });
    super({ call, preparation, ended: new AbortController() });
  }
}

/** Returns the store that the inspector writes items with: the application's, with its index and its serializer, where it has passed one. */
export function writingStoreOf(context: InspectorContext): ItemStore {
  return context.itemWriter ?? context.store ?? new PlainStore(storeCallBeside(context));
}
