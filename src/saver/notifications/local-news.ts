import type { BatchOperation } from "../codec/resolve-batch.js";
import type { SaverCall } from "../call/saver-call.js";
import { type ToldCheckpoint, watchChannel, watchScope } from "./watch-channel.js";

type Offer = (checkpoint: ToldCheckpoint) => void;

/** Watches of this process that have begun, and that the server does not tell anything yet. */
const beginning = new Map<string, Set<Offer>>();

/**
 * Has the checkpoints of a thread offered that are stored by this process before the server has begun to tell of them.
 *
 * @returns How to end that. What is being stored then is offered all the same.
 */
export function expectLocalNews(channel: string, offer: Offer): () => void {
  const known = beginning.get(channel);
  if (known === undefined) beginning.set(channel, new Set([offer]));
  else known.add(offer);
  return () => {
    const others = beginning.get(channel);
    others?.delete(offer);
    if (others?.size === 0) beginning.delete(channel);
  };
}

/** Stores checkpoints, and offers them to the watches that had just begun when the storing did. */
export async function offeringLocally(
  call: SaverCall,
  operations: readonly BatchOperation[],
  store: () => Promise<void>,
): Promise<void> {
  // In a transaction that was lent they count later, if at all.
  if (call.policy.notifies !== true || beginning.size === 0 || call.database.kysely.isTransaction)
    return store();
  const scope = watchScope(call.schema, call.policy.tenantId);
  const offers = operations.flatMap((operation) => {
    if (operation.kind !== "put") return [];
    const { checkpoint } = operation;
    const expecting = beginning.get(watchChannel(scope, checkpoint.threadId)) ?? [];
    return [...expecting].map((offer) => ({ offer, checkpoint }));
  });
  await store();
  for (const { offer, checkpoint } of offers) offer(checkpoint);
}
