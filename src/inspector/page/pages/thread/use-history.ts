import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useMemo } from "preact/hooks";
import type { NamespacePlace } from "../../../api/places.js";
import type { HistoryPoint } from "../../../api/threads.js";
import { read } from "../../server/call-server.js";
import { type PagedList, growing } from "../../server/use-pages.js";
import { useWatchedThread } from "../../server/use-watched-thread.js";
import { type PointsPage, withNewestPage, withPoint } from "./merge-history.js";

/** Enough for the screen, so that the first paint is early. */
const FIRST_PAGE = 500;
const NEXT_PAGES = 2_000;
/** What is read again. */
const NEWEST = 50;
const POLL_MS = 3_000;
/** Events say nothing of deletions. */
const POLL_WATCHED_MS = 15_000;

/** The history of a namespace, which grows while the person scrolls and while a run stores checkpoints. */
export interface History extends PagedList {
  /** The newest first. */
  readonly points: readonly HistoryPoint[] | undefined;
}

type Loaded<Point extends HistoryPoint> = InfiniteData<PointsPage<Point>, string | undefined>;

/**
 * Reads checkpoints of a namespace page by page.
 *
 * @param readPage - Reads the page before a checkpoint; `undefined` for the newest one.
 */
export function usePointPages<Point extends HistoryPoint>(
  queryKey: readonly unknown[],
  readPage: (before: string | undefined, signal: AbortSignal) => Promise<PointsPage<Point>>,
) {
  const client = useQueryClient();
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ points, hasMore }: PointsPage<Point>) =>
      hasMore ? points.at(-1)?.checkpointId : undefined,
    staleTime: Infinity,
  });
  return {
    points: useMemo(() => list.data?.pages.flatMap((page) => page.points), [list.data]),
    list: growing(list),
    isSettled: list.isSuccess && !list.isFetching,
    /** Puts what was read besides into the pages. */
    change: (merge: (loaded: Loaded<Point>) => Loaded<Point>): void => {
      client.setQueryData<Loaded<Point>>(queryKey, (loaded) => loaded && merge(loaded));
    },
  };
}

/** Reads the history of a namespace page by page, and follows it. */
export function useHistory({ threadId, namespace }: NamespacePlace): History {
  const client = useQueryClient();
  const place = { threadId, namespace };
  const { points, list, isSettled, change } = usePointPages(["history", "pages", place], (before, signal) =>
    read("history", { ...place, before, limit: before ? NEXT_PAGES : FIRST_PAGE }, signal),
  );
  const isWatched = useWatchedThread(threadId, (event) => {
    if (event.namespace === namespace) change((loaded) => withPoint(loaded, event.point));
    void client.invalidateQueries({ queryKey: ["thread", { threadId }] }, { cancelRefetch: false });
  });
  const newestKey = ["history", "newest", place];
  useEffect(() => {
    // The events begin with the newest checkpoints, and say nothing of others that were stored while there were none.
    if (isWatched) void client.invalidateQueries({ queryKey: newestKey });
  }, [isWatched]);
  useQuery({
    queryKey: newestKey,
    enabled: isSettled,
    staleTime: POLL_MS,
    refetchInterval: isWatched ? POLL_WATCHED_MS : POLL_MS,
    queryFn: async ({ signal }) => {
      const newest = await read("history", { ...place, limit: NEWEST }, signal);
      change((loaded) => withNewestPage(loaded, newest));
      return newest.points.length;
    },
  });
  return { points, ...list };
}
