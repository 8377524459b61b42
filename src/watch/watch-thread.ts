import { setTimeout as pause } from "node:timers/promises";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { abortErrorOf, throwIfAborted } from "../db/statements/bounded-run.js";
import type { CallContext } from "../db/call-context.js";
import { growingPauseMs } from "../db/async/growing-pause.js";
import { RECONNECT_PAUSES } from "../db/listening/listener.js";
import { onAbort } from "../db/async/on-abort.js";
import { ConnectionError, DatabaseError } from "../errors/index.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { parseWatch, type WatchRequest } from "./boundary/parse-watch.js";
import { idsFrom } from "../saver/model/checkpoint-time.js";
import { laterCheckpoints, newestCheckpoints, type WatchedScope } from "./queries/new-checkpoints.js";
import { WHOLE_TUPLE } from "../saver/model/tuple-shape.js";
import { readTuple } from "../saver/read-tuple.js";
import { CheckpointNews, type News, type StoredNews } from "./checkpoint-news.js";
import { expectLocalNews } from "../saver/notifications/local-news.js";
import { runCall } from "../saver/call/run-call.js";
import { SeenCheckpoints } from "./seen-checkpoints.js";
import { type ToldCheckpoint, watchChannel, watchScope } from "../saver/notifications/watch-channel.js";

/** How many keys are read at a time of what was missed. */
const PAGE_SIZE = 500;
/** A clock that is further ahead than that has no checkpoints taken for new that were there before. */
const CLOCKS_DIFFER_MS = 10_000;

/**
 * Yields the checkpoints of a thread that are stored from now on, by savers that tell of it.
 *
 * @param ending - Each of these ends it without a word.
 * @throws InvalidConfigError at the first `next()`, for arguments that can't be used, and where there is no way to listen.
 */
export async function* watchThread(
  call: CallContext,
  given: WatchCall,
  serde: ContextualSerializer,
  ending: readonly AbortSignal[],
): AsyncGenerator<CheckpointTuple, undefined> {
  const request = parseWatch(given.threadId, given.options);
  throwIfAborted(request.signal);
  if (call.database.closed) throw new ConnectionError("the database has been closed", { transient: false });
  const stop = new AbortController();
  const news = new CheckpointNews(call.policy.retry, logOf(call, request));
  const channel = watchChannel(watchScope(call.schema, call.policy.tenantId), request.threadId);
  const offer = (checkpoint: ToldCheckpoint): void => {
    if (isWithin(request, checkpoint)) news.offer(checkpoint);
  };
  // Who goes on from a checkpoint is given first what is stored: what this process stores meanwhile is found among it.
  const stopExpecting = request.after === undefined ? expectLocalNews(channel, offer) : nothing;
  const ends: (() => void)[] = [stopExpecting];
  try {
    // Asked for first, since it is refused where there is no way to hear anything.
    const unsubscribe = call.database.listener().subscribe(channel, news);
    ends.push(unsubscribe);
    for (const signal of [request.signal, ...ending]) {
      const end = (reason: unknown): void => {
        stop.abort(reason);
        news.close();
        // At once, since the caller may not ask for more.
        unsubscribe();
      };
      ends.push(onAbort(signal, end));
    }
    const own = { ...call, signal: stop.signal };
    yield* newTuples({ call: own, request, serde, news, stopExpecting });
    throwIfAborted(request.signal);
  } catch (error) {
    if (request.signal?.aborted === true) throw abortErrorOf(request.signal, error);
    if (!stop.signal.aborted) throw error;
  } finally {
    for (const end of ends) end();
    news.close();
  }
  return undefined;
}

/** A call of `watch`, as it was made. */
export interface WatchCall {
  readonly threadId: unknown;
  readonly options: unknown;
}

interface Watch {
  readonly call: CallContext;
  readonly request: WatchRequest;
  readonly serde: ContextualSerializer;
  readonly news: CheckpointNews;
  readonly stopExpecting: () => void;
}

async function* newTuples(watch: Watch): AsyncGenerator<CheckpointTuple> {
  const { request, news } = watch;
  const seen =
    request.after === undefined ? await seenUntilNow(watch) : new SeenCheckpoints([], request.after);
  for (let item = await news.next(); item !== undefined; item = await news.next()) {
    // From the first gap on the server tells of all that is stored.
    if (item.kind === "gap") watch.stopExpecting();
    for await (const { checkpoint, source } of checkpointsOf(watch, item, seen)) {
      if (!isWithin(request, checkpoint) || !seen.add(checkpoint, source)) continue;
      const tuple = await readNew(watch, checkpoint);
      if (tuple !== undefined) yield tuple;
    }
  }
}

async function seenUntilNow({ call, request }: Watch): Promise<SeenCheckpoints> {
  const began = Date.now();
  // What is made from the next millisecond on is new, even if it is stored before this is answered.
  const made = { from: lastIdOf(began), until: idsFrom(new Date(began + CLOCKS_DIFFER_MS)) };
  const rows = await newestCheckpoints(call, request, made);
  return new SeenCheckpoints(rows.map(toldOf));
}

async function* checkpointsOf(
  watch: Watch,
  news: News,
  seen: SeenCheckpoints,
): AsyncGenerator<Omit<StoredNews, "kind">> {
  if (news.kind === "checkpoint") {
    yield news;
    return;
  }
  const take = ({ checkpointId }: ToldCheckpoint) => watch.news.takeEarlierThan(checkpointId);
  let page: readonly ToldCheckpoint[];
  do {
    const { newest, floor } = seen;
    const known = {
      namespaces: newest.map(({ checkpointNs }) => checkpointNs),
      ids: newest.map(({ checkpointId }) => checkpointId),
      floor,
      limit: PAGE_SIZE,
    };
    const read = () => laterCheckpoints(watch.call, watch.request, known);
    page = (await untilReachable(watch, read)).map(toldOf);
    for (const checkpoint of page) {
      // What is found may have been stored after what was told since the gap.
      for (let earlier = take(checkpoint); earlier !== undefined; earlier = take(checkpoint)) yield earlier;
      yield { checkpoint, source: "found" };
    }
  } while (page.length === PAGE_SIZE);
}

/** `undefined` where it has been deleted meanwhile. */
function readNew(watch: Watch, checkpoint: ToldCheckpoint): Promise<CheckpointTuple | undefined> {
  const { call, request, serde } = watch;
  const key = { threadId: request.threadId, ...checkpoint };
  const read = (part: CallContext): Promise<CheckpointTuple | undefined> => {
    part.observer?.about(key);
    return readTuple(part, key, WHOLE_TUPLE, serde);
  };
  return untilReachable(watch, () => runCall(call, "watch", read));
}

/** A watch outlives what a call gives up upon. */
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

function isWithin({ checkpointNs }: WatchedScope, checkpoint: ToldCheckpoint): boolean {
  return checkpointNs === undefined || checkpoint.checkpointNs === checkpointNs;
}

function toldOf({
  checkpoint_ns,
  checkpoint_id,
}: {
  checkpoint_ns: string;
  checkpoint_id: string;
}): ToldCheckpoint {
  return { checkpointNs: checkpoint_ns, checkpointId: checkpoint_id };
}

/** What no id of that millisecond comes after. */
function lastIdOf(time: number): string {
  return idsFrom(new Date(time + 1));
}

function logOf({ telemetry }: CallContext, { threadId }: WatchedScope) {
  return {
    lost: (failure: Error) => telemetry?.watchLost(threadId, failure),
    listening: () => telemetry?.watchResumed(threadId),
  };
}

function nothing(): void {
  // Nothing was begun that has to end.
}
