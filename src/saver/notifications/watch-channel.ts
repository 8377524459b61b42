import { createHash } from "node:crypto";
import type { SaverCall } from "../call/saver-call.js";
import { CHANNEL_NAME } from "../../db/listening/channel-name.js";
import { noop } from "../../db/async/noop.js";
import type { BatchOperation } from "../codec/resolve-batch.js";

/** The namespace and id of a checkpoint, within a thread. */
export interface CheckpointRef {
  readonly checkpointNs: string;
  readonly checkpointId: string;
}

/**
 * The part of a notification channel's name that is the same for all threads of a schema and tenant. Two tenants may have
 * threads with the same id; their scopes keep the channels apart.
 */
export function watchScope(schema: string, tenantId: string | undefined): string {
  return JSON.stringify(["langgraph-checkpoint-kysely", "watch", schema, tenantId ?? null]);
}

/** The scope in which a saver sends notifications; `undefined` for a saver that sends none. */
export function notificationScope(call: SaverCall): string | undefined {
  return call.policy.notifies === true ? watchScope(call.schema, call.policy.tenantId) : undefined;
}

/** The notification channel of a thread. It is a digest: Postgres allows 63 bytes, and a thread id may have 2,000. */
export function watchChannel(scope: string, threadId: string): string {
  const digest = createHash("sha256").update(`${scope}${threadId}`).digest("hex");
  return CHANNEL_NAME.prefix + digest.slice(0, CHANNEL_NAME.digits);
}

/** The payload that announces a checkpoint, as `notifyWatchers` builds it. */
export function payloadOf({ checkpointNs, checkpointId }: CheckpointRef): string {
  return `${Array.from(checkpointNs).length}:${checkpointNs}${checkpointId}`;
}

/** Parses the payload of a notification; `undefined` if another program sent it. */
export function parseNotification(payload: string): CheckpointRef | undefined {
  const [, length, rest] = /^(\d{1,4}):([^]*)$/.exec(payload) ?? [];
  if (length === undefined || rest === undefined) return undefined;
  // Postgres counts code points: a surrogate pair is one character.
  const characters = Array.from(rest);
  const checkpointNs = characters.slice(0, Number(length)).join("");
  return { checkpointNs, checkpointId: rest.slice(checkpointNs.length) };
}

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
