import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useMemo } from "preact/hooks";
import type { NamespacePlace } from "../../../api/places.js";
import type { HistoryPage, HistoryPoint } from "../../../api/threads.js";
import { read } from "../../server/call-server.js";
import { useWatchedThread } from "../../server/use-watched-thread.js";
import { withNewest, withPoint } from "./merge-history.js";

/** Enough for the screen, so that the first paint is early. */
const FIRST_PAGE = 500;
const PAGE_SIZE = 2_000;
/** What is read again. */
const NEWEST = 50;
const POLL_MS = 3_000;
/** Events say nothing of deletions. */
const POLL_WATCHED_MS = 15_000;

/** The history of a namespace, which grows while the person scrolls and while a run stores checkpoints. */
export interface History {
  /** The newest first. */
  readonly points: readonly HistoryPoint[] | undefined;
  readonly error: Error | null;
  /** Whether there are older ones. */
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

type Loaded = InfiniteData<HistoryPage, string | undefined>;

/** Reads the history of a namespace page by page, and follows it. */
export function useHistory({ threadId, namespace }: NamespacePlace): History {
  const client = useQueryClient();
  const place = { threadId, namespace };
  const queryKey = ["history", "pages", place];
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      read("history", { ...place, before: pageParam, limit: pageParam ? PAGE_SIZE : FIRST_PAGE }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ points, hasMore }: HistoryPage) =>
      hasMore ? points.at(-1)?.checkpointId : undefined,
    staleTime: Infinity,
  });
  const change = (merge: (loaded: Loaded) => Loaded): void => {
    client.setQueryData<Loaded>(queryKey, (loaded) => (loaded === undefined ? loaded : merge(loaded)));
  };
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
    enabled: list.isSuccess && !list.isFetching,
    staleTime: POLL_MS,
    refetchInterval: isWatched ? POLL_WATCHED_MS : POLL_MS,
    queryFn: async ({ signal }) => {
      const newest = await read("history", { ...place, limit: NEWEST }, signal);
      change((loaded) => withNewest(loaded, newest));
      return newest.points.length;
    },
  });
  const points = useMemo(() => list.data?.pages.flatMap((page) => page.points), [list.data]);
  return {
    ...{ points, error: list.error, hasMore: list.hasNextPage, isLoadingMore: list.isFetchingNextPage },
    loadMore: () => void list.fetchNextPage(),
    retry: () => void list.refetch(),
  };
}
