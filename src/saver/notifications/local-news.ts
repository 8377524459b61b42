import type { SaverCall } from "../call/saver-call.js";
import type { BatchOperation } from "../codec/resolve-batch.js";
import { type ToldCheckpoint, watchChannel, watchScope } from "./watch-channel.js";

type Offer = (checkpoint: ToldCheckpoint) => void;

/** The watches of this process that the server does not notify yet, by channel. */
const starting = new Map<string, Set<Offer>>();

/**
 * Offers a starting watch the checkpoints that this process stores before the server begins to send notifications.
 *
 * @returns A function that ends this. Checkpoints that are being stored at that time are still offered.
 */
export function expectLocalNews(channel: string, offer: Offer): () => void {
  const known = starting.get(channel);
  if (known === undefined) starting.set(channel, new Set([offer]));
  else known.add(offer);
  return () => {
    const others = starting.get(channel);
    others?.delete(offer);
    if (others?.size === 0) starting.delete(channel);
  };
}

/** The watches that were starting when a call began to store. */
export interface LocalOffers {
  /** Offers them the checkpoints of the call. To be called once these are stored. */
  deliver(): void;
}

/** Collects the starting watches of the threads that operations put checkpoints into. */
export function localOffers(
  { policy, schema, database }: SaverCall,
  operations: readonly BatchOperation[],
): LocalOffers {
  // The checkpoints of a transaction of the caller's own count when the caller commits, if at all.
  if (policy.notifies !== true || starting.size === 0 || database.kysely.isTransaction) return NO_OFFERS;
  const scope = watchScope(schema, policy.tenantId);
  const offers = operations.flatMap((operation) => {
    if (operation.kind !== "put") return [];
    const { checkpoint } = operation;
    const watches = starting.get(watchChannel(scope, checkpoint.threadId)) ?? [];
    return [...watches].map((offer) => ({ offer, checkpoint }));
  });
  return {
    deliver: () => {
      for (const { offer, checkpoint } of offers) offer(checkpoint);
    },
  };
}

const NO_OFFERS: LocalOffers = { deliver: () => undefined };
