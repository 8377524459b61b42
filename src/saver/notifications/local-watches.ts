import { noop } from "../../db/async/noop.js";
import type { SaverCall } from "../call/saver-call.js";
import type { BatchOperation } from "../codec/resolve-batch.js";
import { type CheckpointRef, watchChannel, watchScope } from "./watch-channel.js";

type Offer = (checkpoint: CheckpointRef) => void;

/** The watches of this process that have started, and that get no notifications from the server yet, by channel. */
const startingWatches = new Map<string, Set<Offer>>();

/** A watch that gets no notifications yet. It collects the checkpoints of the thread that this process stores. */
export interface StartingWatch {
  /** Offers what was collected, and from then on each checkpoint as it is stored. */
  forwardTo(offer: Offer): void;
  /** Ends the collection. Checkpoints that are being stored at that time are still offered. */
  stop(): void;
}

/** Registers a watch of a thread before it is ready for notifications. */
export function registerStartingWatch(channel: string): StartingWatch {
  const collected: CheckpointRef[] = [];
  let receive: Offer = (checkpoint) => collected.push(checkpoint);
  const offer: Offer = (checkpoint) => {
    receive(checkpoint);
  };
  const known = startingWatches.get(channel);
  if (known === undefined) startingWatches.set(channel, new Set([offer]));
  else known.add(offer);
  return {
    forwardTo: (target) => {
      for (const checkpoint of collected) target(checkpoint);
      receive = target;
    },
    stop: () => {
      const others = startingWatches.get(channel);
      others?.delete(offer);
      if (others?.size === 0) startingWatches.delete(channel);
    },
  };
}

/** The watches that were starting when a call began to store checkpoints. */
export interface LocalOffers {
  /** Offers them the checkpoints of operations that are stored now. */
  deliver(stored: readonly BatchOperation[]): void;
}

/** Collects the starting watches of the threads that operations put checkpoints into. */
export function localOffers(
  { policy, schema, database }: SaverCall,
  operations: readonly BatchOperation[],
): LocalOffers {
  // The checkpoints of a passed-in transaction become visible when its owner commits, if at all.
  if (policy.notifies !== true || startingWatches.size === 0 || database.kysely.isTransaction)
    return NO_OFFERS;
  const scope = watchScope(schema, policy.tenantId);
  const offers = operations.flatMap((operation) => {
    if (operation.kind !== "put") return [];
    const { checkpoint } = operation;
    const watches = startingWatches.get(watchChannel(scope, checkpoint.threadId)) ?? [];
    return [...watches].map((offer) => ({ offer, operation, checkpoint }));
  });
  return {
    deliver: (stored) => {
      for (const { offer, operation, checkpoint } of offers)
        if (stored.includes(operation)) offer(checkpoint);
    },
  };
}

const NO_OFFERS: LocalOffers = { deliver: noop };
