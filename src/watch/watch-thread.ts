import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../db/call-context.js";
import {
  type NotificationQueue,
  type QueueItem,
  type WatchedChannel,
  reportWatchLost,
  reportWatchResumed,
} from "../db/listening/notification-queue.js";
import { watchUntilEnded, untilReachable } from "../db/listening/watch-until-ended.js";
import { idsFrom } from "../saver/model/checkpoint-time.js";
import { WHOLE_TUPLE } from "../saver/model/tuple-shape.js";
import {
  type StartingWatch,
  type CheckpointRef,
  parseNotification,
  watchChannel,
  watchScope,
} from "../saver/notifications/watch-channel.js";
import { readTuple } from "../saver/read-tuple.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { parseWatch, type WatchCall, type WatchRequest } from "./watch-options.js";
import { selectLaterCheckpoints, selectNewestCheckpoints, type WatchedScope } from "./watched-checkpoints.js";
import { SeenCheckpoints, type Source } from "./seen-checkpoints.js";
import { checkCall, runCall } from "../db/run-call.js";
import { saverOperations } from "../saver/call/saver-operations.js";

/** How many checkpoint keys one statement reads when it searches a gap. */
const PAGE_SIZE = 500;
/** How far a writer's clock may be ahead: a checkpoint with a later id was stored before the watch started. */
const MAX_CLOCK_DIFFERENCE_MS = 10_000;

/** A checkpoint that was stored, and how it became known. */
interface QueuedCheckpoint {
  readonly kind: "checkpoint";
  readonly checkpoint: CheckpointRef;
  readonly source: Source;
}

/**
 * Yields the checkpoints of a thread that are stored from now on, by savers that send notifications.
 *
 * @param ending - Each of these signals ends the watch without an error.
 * @param starting - Collects what this process stores until the server notifies.
 * @throws InvalidConfigError at the first `next()`, for invalid arguments, and when the database can't listen.
 */
export async function* watchThread(
  call: CallContext,
  given: WatchCall,
  serde: ContextualSerializer,
  ending: readonly AbortSignal[],
  starting: StartingWatch,
): AsyncGenerator<CheckpointTuple, undefined> {
  const request = checkCall(call, saverOperations.watch, () => parseWatch(given.threadId, given.options));
  const watching = {
    name: watchChannel(watchScope(call.schema, call.policy.tenantId), request.threadId),
    channel: notificationsOf(call, request),
    listener: () => checkCall(call, saverOperations.watch, () => call.database.listener()),
    signal: request.signal,
    ending,
  };
  return yield* watchUntilEnded(call, watching, (own, queue) => {
    const offer = (checkpoint: CheckpointRef): void => {
      if (isInScope(request, checkpoint)) queue.offer({ kind: "checkpoint", checkpoint, source: "found" });
    };
    // With `after`, the search of the first gap finds what this process stores in the meantime.
    if (request.after === undefined) starting.forwardTo(offer);
    else starting.stop();
    return queuedTuples({ call: own, request, serde, queue, starting });
  });
}

interface Watch {
  readonly call: CallContext;
  readonly request: WatchRequest;
  readonly serde: ContextualSerializer;
  readonly queue: NotificationQueue<QueuedCheckpoint>;
  readonly starting: StartingWatch;
}

async function* queuedTuples(watch: Watch): AsyncGenerator<CheckpointTuple> {
  const { request, queue } = watch;
  const seen =
    request.after === undefined ? await seenUntilNow(watch) : new SeenCheckpoints([], request.after);
  for (let item = await queue.next(); item !== undefined; item = await queue.next()) {
    // From the first gap on, the server notifies of every checkpoint.
    if (item.kind === "gap") watch.starting.stop();
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
  item: QueueItem<QueuedCheckpoint>,
  seen: SeenCheckpoints,
): AsyncGenerator<Omit<QueuedCheckpoint, "kind">> {
  if (item.kind === "checkpoint") {
    yield item;
    return;
  }
  // The search doesn't find a checkpoint that counts as seen, such as one made before the watch started.
  const take = (found: CheckpointRef) =>
    watch.queue.takeIf(
      (next): next is QueuedCheckpoint =>
        next.kind === "checkpoint" && next.checkpoint.checkpointId < found.checkpointId,
    );
  let page: readonly CheckpointRef[];
  do {
    const { newest, floor } = seen;
    const known = {
      namespaces: newest.map(({ checkpointNs }) => checkpointNs),
      ids: newest.map(({ checkpointId }) => checkpointId),
      floor,
      limit: PAGE_SIZE,
    };
    page = await untilReachable(watch.call, () => selectLaterCheckpoints(watch.call, watch.request, known));
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
    part.progress?.about(key);
    return readTuple(part, key, WHOLE_TUPLE, serde);
  };
  return untilReachable(watch.call, () => runCall(call, saverOperations.watch, read));
}

function isInScope({ checkpointNs }: WatchedScope, checkpoint: CheckpointRef): boolean {
  return checkpointNs === undefined || checkpoint.checkpointNs === checkpointNs;
}

function notificationsOf(
  { telemetry, policy }: CallContext,
  { threadId }: WatchedScope,
): WatchedChannel<QueuedCheckpoint> {
  return {
    parse: (payload) => {
      const checkpoint = parseNotification(payload);
      return checkpoint && { kind: "checkpoint", checkpoint, source: "notified" };
    },
    retry: policy.retry,
    lost: (failure) => {
      reportWatchLost(telemetry, failure, threadId);
    },
    resumed: () => {
      reportWatchResumed(telemetry, threadId);
    },
  };
}
