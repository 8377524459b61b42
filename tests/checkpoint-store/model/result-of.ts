import type { CheckpointStore } from "../../../src/checkpoint-store/index.js";
import { CheckpointNotFoundError, InvalidConfigError } from "../../../src/errors/index.js";
import { CheckpointVersionError } from "../../../src/errors/checkpoint-store-errors.js";
import { type AnyCall, checkpointOf, scopeOf } from "./any-call.js";

/** Two stores on one backend. */
export interface Stores {
  readonly unchecked: CheckpointStore;
  readonly optimistic: CheckpointStore;
}

/** Makes a call. Returns what the store returns, or what its refusal says. */
export async function resultOf(stores: Stores, call: AnyCall, prefix: string): Promise<unknown> {
  const store = stores.unchecked;
  switch (call.kind) {
    case "save": {
      const saving = call.optimistic ? stores.optimistic : store;
      return saving.save(checkpointOf(call.checkpoint, prefix), { keepLast: call.keepLast }).catch(refusal);
    }
    case "saveMany": {
      const saving = call.optimistic ? stores.optimistic : store;
      const checkpoints = call.checkpoints.map((each) => checkpointOf(each, prefix));
      return saving.saveMany(checkpoints, { keepLast: call.keepLast }).catch(refusal);
    }
    case "load":
      return store.load(prefix + call.id).catch(refusal);
    case "list":
      return store.list(scopeOf(call.scope, prefix), { limit: call.limit, order: call.order });
    case "latest":
      return store.latest(scopeOf(call.scope, prefix));
    case "delete":
      return store.delete(prefix + call.id);
    case "clear":
      return store.clear(scopeOf(call.scope, prefix));
  }
}

function refusal(error: unknown): unknown {
  if (error instanceof CheckpointVersionError) return { storedVersion: error.storedVersion };
  if (error instanceof CheckpointNotFoundError) return { notFound: error.checkpointId };
  if (error instanceof InvalidConfigError) return { invalid: error.field };
  throw error;
}
