import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useMemo } from "preact/hooks";
import type { NamespacePlace } from "../../../../api/places.js";
import type { StoryStep } from "../../../../api/story.js";
import type { HistoryPoint } from "../../../../api/threads.js";
import { read } from "../../../server/call-server.js";
import { type PointsPage, withNewest } from "../merge-history.js";

/** Enough for the screen, so that the first paint is early. */
const FIRST_PAGE = 30;
const PAGE_SIZE = 100;
/** What is read again when something has been stored. */
const NEWEST = 20;

/** The steps of a namespace, which grow while the person scrolls and while a run stores checkpoints. */
export interface Story {
  /** The newest first. */
  readonly steps: readonly StoryStep[] | undefined;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

type Loaded = InfiniteData<PointsPage<StoryStep>, string | undefined>;

/**
 * Reads the story of a namespace page by page, and again from the head when that is another one or has other writes.
 *
 * @param points - The history, which the page follows. A checkpoint that it has no more was deleted.
 */
export function useStory(
  { threadId, namespace }: NamespacePlace,
  points: readonly HistoryPoint[] | undefined,
): Story {
  const head = points?.[0];
  const client = useQueryClient();
  const place = { threadId, namespace };
  const queryKey = ["story", "pages", place];
  const list = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }): Promise<PointsPage<StoryStep>> => {
      const page = { ...place, before: pageParam, limit: pageParam === undefined ? FIRST_PAGE : PAGE_SIZE };
      const { steps, hasMore } = await read("story", page, signal);
      return { points: steps, hasMore };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ points, hasMore }: PointsPage<StoryStep>) =>
      hasMore ? points.at(-1)?.checkpointId : undefined,
    staleTime: Infinity,
  });
  const told = useMemo(() => list.data?.pages.flatMap((page) => page.points), [list.data]);
  const steps = useMemo(() => told && withoutDeleted(told, points ?? []), [told, points]);
  useQuery({
    queryKey: ["story", "newest", place, stateOf(head)],
    enabled: list.isSuccess && head !== undefined && stateOf(head) !== stateOf(told?.[0]),
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const newest = await read("story", { ...place, limit: NEWEST }, signal);
      const page = { points: newest.steps, hasMore: newest.hasMore };
      client.setQueryData<Loaded>(queryKey, (loaded) => loaded && withNewest(loaded, page));
      return newest.steps.length;
    },
  });
  return {
    ...{ steps, error: list.error, hasMore: list.hasNextPage, isLoadingMore: list.isFetchingNextPage },
    loadMore: () => void list.fetchNextPage(),
    retry: () => void list.refetch(),
  };
}

/** The history may know fewer older checkpoints than the story, and the story may know newer ones first. */
function withoutDeleted(steps: readonly StoryStep[], points: readonly HistoryPoint[]): readonly StoryStep[] {
  const [newest, oldest] = [points[0]?.checkpointId, points.at(-1)?.checkpointId];
  if (newest === undefined || oldest === undefined) return steps;
  const known = new Set(points.map(({ checkpointId }) => checkpointId));
  return steps.filter(({ checkpointId: id }) => id > newest || id < oldest || known.has(id));
}

function stateOf(point: HistoryPoint | undefined): string {
  return point === undefined ? "" : [point.checkpointId, point.writes].join(" ");
}
