import type { HistoryPoint } from "../../../api/threads.js";

/** A page of checkpoints, the newest first. */
export interface PointsPage<Point extends HistoryPoint = HistoryPoint> {
  readonly points: readonly Point[];
  readonly hasMore: boolean;
}

/** The pages of a history that are loaded, from its newest checkpoint. */
export interface LoadedHistory<Point extends HistoryPoint = HistoryPoint> {
  readonly pages: PointsPage<Point>[];
  /** The checkpoint that each page begins after. */
  readonly pageParams: (string | undefined)[];
}

/**
 * Puts a newest page that was read again over what is loaded, so that new checkpoints appear, deleted ones go, and pending writes show. If
 * there are checkpoints between the two, the older ones have to be loaded again.
 */
export function withNewestPage<Point extends HistoryPoint>(
  loaded: LoadedHistory<Point>,
  newest: PointsPage<Point>,
): LoadedHistory<Point> {
  const [first, ...others] = loaded.pages;
  const oldest = newest.points.at(-1)?.checkpointId;
  const onlyNewest = { pages: [newest], pageParams: [undefined] };
  if (first === undefined || oldest === undefined || !newest.hasMore) {
    return isSame(loaded.pages, [newest]) ? loaded : onlyNewest;
  }
  const isConnected = first.points.some(({ checkpointId }) => checkpointId >= oldest);
  if (!isConnected) return onlyNewest;
  const older = first.points.filter(({ checkpointId }) => checkpointId < oldest);
  const points = [...newest.points, ...older];
  if (isSame([{ points: first.points.slice(0, newest.points.length) }], [newest])) return loaded;
  return { pages: [{ ...first, points }, ...others], pageParams: loaded.pageParams };
}

/** Adds a checkpoint that was stored just now, or has other writes. */
export function withPoint(loaded: LoadedHistory, point: HistoryPoint): LoadedHistory {
  const [first, ...others] = loaded.pages;
  if (first === undefined) return loaded;
  const known = first.points.filter(({ checkpointId }) => checkpointId === point.checkpointId);
  if (isSame([{ points: known }], [{ points: [point] }])) return loaded;
  const newer = first.points.filter(({ checkpointId }) => checkpointId > point.checkpointId);
  const older = first.points.filter(({ checkpointId }) => checkpointId < point.checkpointId);
  // It belongs to a later page, which has it when it is loaded.
  if (older.length === 0 && first.hasMore) return loaded;
  return {
    pages: [{ ...first, points: [...newer, point, ...older] }, ...others],
    pageParams: loaded.pageParams,
  };
}

type Points = readonly Pick<PointsPage, "points">[];

function isSame(before: Points, after: Points): boolean {
  const textOf = (pages: Points): string => JSON.stringify(pages.map(({ points }) => points));
  return textOf(before) === textOf(after);
}
