import { useQuery } from "@tanstack/preact-query";
import { useMemo } from "preact/hooks";
import type { NamespacePlace } from "../../../../api/places.js";
import type { StoryQuery, StoryStep } from "../../../../api/story.js";
import type { HistoryPoint } from "../../../../api/threads.js";
import { read } from "../../../server/call-server.js";
import type { PagedList } from "../../../server/use-pages.js";
import { withNewestPage } from "../merge-history.js";
import { usePointPages } from "../use-history.js";

/** Enough for the screen, so that the first paint is early. */
const FIRST_PAGE = 30;
const NEXT_PAGES = 100;
/** What is read again when something has been stored. */
const NEWEST = 20;

/** The steps of a namespace, which grow while the person scrolls and while a run stores checkpoints. */
export interface Story extends PagedList {
  /** The newest first. */
  readonly steps: readonly StoryStep[] | undefined;
}

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
  const place = { threadId, namespace };
  const readPage = async (part: Pick<StoryQuery, "before" | "limit">, signal: AbortSignal) => {
    const { steps, hasMore } = await read("story", { ...place, ...part }, signal);
    return { points: steps, hasMore };
  };
  const {
    points: told,
    list,
    isSettled,
    change,
  } = usePointPages(["story", "pages", place], (before, signal) =>
    readPage({ before, limit: before === undefined ? FIRST_PAGE : NEXT_PAGES }, signal),
  );
  const steps = useMemo(() => told && withoutDeleted(told, points ?? []), [told, points]);
  useQuery({
    queryKey: ["story", "newest", place, stateOf(head)],
    enabled: isSettled && head !== undefined && stateOf(head) !== stateOf(told?.[0]),
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const newest = await readPage({ limit: NEWEST }, signal);
      change((loaded) => withNewestPage(loaded, newest));
      return newest.points.length;
    },
  });
  return { steps, ...list };
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
