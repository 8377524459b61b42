import type { SaverCall } from "../call/saver-call.js";
import type { BatchOperation } from "../codec/resolve-batch.js";
import { type CheckpointRef, watchChannel, watchScope } from "./watch-channel.js";

type Offer = (checkpoint: CheckpointRef) => void;

/** The watches of this process that have started, and that get no notifications from the server yet, by channel. */
const startingWatches = new Map<string, Set<Offer>>();

/**
 * Registers a watch that gets no notifications yet: `offer` is called for each checkpoint of the thread that this process
 * stores.
 *
 * @returns A function that ends this. Checkpoints that are being stored at that time are still offered.
 */
export function registerStartingWatch(channel: string, offer: Offer): () => void {
  const known = startingWatches.get(channel);
  if (known === undefined) startingWatches.set(channel, new Set([offer]));
  else known.add(offer);
  return () => {
    const others = startingWatches.get(channel);
    others?.delete(offer);
    if (others?.size === 0) startingWatches.delete(channel);
  };
}

/** Stores checkpoints, and offers them to the watches that were starting when `store` was called. */
export async function storeAndOffer(
  call: SaverCall,
  operations: readonly BatchOperation[],
  store: () => Promise<void>,
): Promise<void> {
  // The checkpoints of a passed-in transaction become visible when its owner commits, if at all.
  if (call.policy.notifies !== true || startingWatches.size === 0 || call.database.kysely.isTransaction)
    return store();
  const scope = watchScope(call.schema, call.policy.tenantId);
  const offers = operations.flatMap((operation) => {
    if (operation.kind !== "put") return [];
    const { checkpoint } = operation;
    const watches = startingWatches.get(watchChannel(scope, checkpoint.threadId)) ?? [];
    return [...watches].map((offer) => ({ offer, checkpoint }));
  });
  await store();
  for (const { offer, checkpoint } of offers) offer(checkpoint);
}
