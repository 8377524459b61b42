import { setTimeout as pause } from "node:timers/promises";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { growingPauseMs } from "../db/async/growing-pause.js";
import { onAbort } from "../db/async/on-abort.js";
import type { CallContext } from "../db/call-context.js";
import { RECONNECT_PAUSES } from "../db/listening/listener.js";
import { abortErrorOf, throwIfAborted } from "../db/statements/bounded-run.js";
import { ConnectionError, DatabaseError } from "../errors/index.js";
import { countingRefusal, runCall } from "../saver/call/run-call.js";
import { idsFrom } from "../saver/model/checkpoint-time.js";
import { WHOLE_TUPLE } from "../saver/model/tuple-shape.js";
import { registerStartingWatch } from "../saver/notifications/local-watches.js";
import { type CheckpointRef, watchChannel, watchScope } from "../saver/notifications/watch-channel.js";
import { readTuple } from "../saver/read-tuple.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { parseWatch, type WatchRequest } from "./boundary/parse-watch.js";
import {
  CheckpointQueue,
  type ConnectionLog,
  type QueuedCheckpoint,
  type QueueItem,
} from "./checkpoint-queue.js";
import { selectLaterCheckpoints } from "./queries/select-later-checkpoints.js";
import { selectNewestCheckpoints } from "./queries/select-newest-checkpoints.js";
import type { WatchedScope } from "./queries/watched-scope.js";
import { SeenCheckpoints } from "./seen-checkpoints.js";

/** How many checkpoint keys one statement reads when it searches a gap. */
const PAGE_SIZE = 500;
/** How far a writer's clock may be ahead: a checkpoint with a later id was stored before the watch started. */
const MAX_CLOCK_DIFFERENCE_MS = 10_000;

/** A call of `watch`, before its arguments are checked. */
export interface WatchCall {
  readonly threadId: unknown;
  readonly options: unknown;
}

/**
 * Yields the checkpoints of a thread that are stored from now on, by savers that send notifications.
 *
 * @param ending - Each of these signals ends the watch without an error.
 * @throws InvalidConfigError at the first `next()`, for invalid arguments, and when the database can't listen.
 */
export async function* watchThread(
  call: CallContext,
  given: WatchCall,
  serde: ContextualSerializer,
  ending: readonly AbortSignal[],
): AsyncGenerator<CheckpointTuple, undefined> {
  const request = countingRefusal(call, "watch", () => parseWatch(given.threadId, given.options));
  throwIfAborted(request.signal);
  if (call.database.closed) throw new ConnectionError("the database has been closed", { transient: false });
  const stop = new AbortController();
  const queue = new CheckpointQueue(call.policy.retry, connectionLog(call, request));
  const channel = watchChannel(watchScope(call.schema, call.policy.tenantId), request.threadId);
  const offer = (checkpoint: CheckpointRef): void => {
    if (isInScope(request, checkpoint)) queue.offer(checkpoint);
  };
  // With `after`, the search of the first gap finds what this process stores in the meantime.
  const stopOffers = request.after === undefined ? registerStartingWatch(channel, offer) : undefined;
  const cleanups: (() => void)[] = stopOffers === undefined ? [] : [stopOffers];
  try {
    // First, because it throws when the database can't listen.
    const listener = countingRefusal(call, "watch", () => call.database.listener());
    const unsubscribe = listener.subscribe(channel, queue);
    cleanups.push(unsubscribe);
    for (const signal of [request.signal, ...ending]) {
      const end = (reason: unknown): void => {
        stop.abort(reason);
        queue.close();
        // At once: the caller may never call next() again.
        unsubscribe();
      };
      cleanups.push(onAbort(signal, end));
    }
    const own = { ...call, signal: stop.signal };
    yield* newTuples({ call: own, request, serde, queue, stopOffers });
    throwIfAborted(request.signal);
  } catch (error) {
    if (request.signal?.aborted === true) throw abortErrorOf(request.signal, error);
    if (!stop.signal.aborted) throw error;
  } finally {
    for (const cleanup of cleanups) cleanup();
    queue.close();
  }
  return undefined;
}

interface Watch {
  readonly call: CallContext;
  readonly request: WatchRequest;
  readonly serde: ContextualSerializer;
  readonly queue: CheckpointQueue;
  readonly stopOffers: (() => void) | undefined;
}

async function* newTuples(watch: Watch): AsyncGenerator<CheckpointTuple> {
  const { request, queue } = watch;
  const seen =
    request.after === undefined ? await seenUntilNow(watch) : new SeenCheckpoints([], request.after);
  for (let item = await queue.next(); item !== undefined; item = await queue.next()) {
    // From the first gap on, the server notifies of every checkpoint.
    if (item.kind === "gap") watch.stopOffers?.();
    for await (const { checkpoint, source } of checkpointsOf(watch, item, seen)) {
      if (!isInScope(request, checkpoint) || !seen.add(checkpoint, source)) continue;
      const tuple = await readNew(watch, checkpoint);
      if (tuple !== undefined) yield tuple;
    }
  }
}

async function seenUntilNow({ call, request }: Watch): Promise<SeenCheckpoints> {
  const startedAt = Date.now();
  // Checkpoints made from the next millisecond on are new, even if they are stored before this query returns.
  const from = idsFrom(new Date(startedAt + 1));
  const until = idsFrom(new Date(startedAt + MAX_CLOCK_DIFFERENCE_MS));
  return new SeenCheckpoints(await selectNewestCheckpoints(call, request, { from, until }));
}

async function* checkpointsOf(
  watch: Watch,
  item: QueueItem,
  seen: SeenCheckpoints,
): AsyncGenerator<Omit<QueuedCheckpoint, "kind">> {
  if (item.kind === "checkpoint") {
    yield item;
    return;
  }
  const take = ({ checkpointId }: CheckpointRef) => watch.queue.takeEarlierThan(checkpointId);
  let page: readonly CheckpointRef[];
  do {
    const { newest, floor } = seen;
    const known = {
      namespaces: newest.map(({ checkpointNs }) => checkpointNs),
      ids: newest.map(({ checkpointId }) => checkpointId),
      floor,
      limit: PAGE_SIZE,
    };
    page = await untilReachable(watch, () => selectLaterCheckpoints(watch.call, watch.request, known));
    for (const checkpoint of page) {
      // A found checkpoint may have been stored after those of notifications since the gap.
      for (let earlier = take(checkpoint); earlier !== undefined; earlier = take(checkpoint)) yield earlier;
      yield { checkpoint, source: "found" };
    }
  } while (page.length === PAGE_SIZE);
}

/** Reads a checkpoint; `undefined` if it has been deleted in the meantime. */
function readNew(watch: Watch, checkpoint: CheckpointRef): Promise<CheckpointTuple | undefined> {
  const { call, request, serde } = watch;
  const key = { threadId: request.threadId, ...checkpoint };
  const read = (part: CallContext): Promise<CheckpointTuple | undefined> => {
    part.observer?.about(key);
    return readTuple(part, key, WHOLE_TUPLE, serde);
  };
  return untilReachable(watch, () => runCall(call, "watch", read));
}

/** Retries transient errors without a bound: a watch lasts longer than the retries of one call. */
async function untilReachable<T>({ call }: Watch, read: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await read();
    } catch (error) {
      const isTransient = error instanceof DatabaseError && error.transient;
      if (!isTransient || call.policy.retry === false) throw error;
      throwIfAborted(call.signal);
    }
    await pause(growingPauseMs(failures, RECONNECT_PAUSES), undefined, { signal: call.signal });
  }
}

function isInScope({ checkpointNs }: WatchedScope, checkpoint: CheckpointRef): boolean {
  return checkpointNs === undefined || checkpoint.checkpointNs === checkpointNs;
}

function connectionLog({ telemetry }: CallContext, { threadId }: WatchedScope): ConnectionLog {
  return {
    lost: (failure) => telemetry?.watchLost(threadId, failure),
    listening: () => telemetry?.watchResumed(threadId),
  };
}
