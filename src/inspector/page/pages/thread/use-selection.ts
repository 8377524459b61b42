import { useEffect, useMemo } from "preact/hooks";
import type { NamespacePlace } from "../../../api/places.js";
import type { HistoryPoint } from "../../../api/threads.js";
import { linkToThread } from "../../routes/route.js";
import { navigate, replaceRoute } from "../../routes/use-route.js";
import { branchTo, tipOf, treeOf } from "./graph/branch.js";
import type { History } from "./use-history.js";

/** The selected checkpoint and its branch. */
export interface Selection {
  readonly point: HistoryPoint | undefined;
  /** Whether new checkpoints are selected as they are stored. */
  readonly isFollowing: boolean;
  /** Whether the namespace has no such checkpoint. */
  readonly isMissing: boolean;
  /** The oldest first. */
  readonly branch: readonly HistoryPoint[];
  readonly select: (checkpointId: string, how: { readonly replace: boolean }) => void;
}

/**
 * The selection is in the address: `at` is the checkpoint, and `tip` the end of its branch, where that isn't the newest one that continues from
 * the checkpoint. Without `at` the head is selected, also when it changes.
 */
export function useSelection(place: NamespacePlace, params: URLSearchParams, history: History): Selection {
  const { points = [], hasMore, isLoadingMore, loadMore } = history;
  const tree = useMemo(() => treeOf(points), [points]);
  const head = points[0]?.checkpointId;
  const at = params.get("at") ?? head;
  const point = at === undefined ? undefined : tree.points.get(at);
  // The ids of checkpoints are in the order of time.
  const mayComeLater = at !== undefined && hasMore && at < (points.at(-1)?.checkpointId ?? "");
  useEffect(() => {
    if (point === undefined && mayComeLater && !isLoadingMore) loadMore();
  }, [point === undefined, mayComeLater, isLoadingMore]);
  const tip = params.get("tip") ?? (at === undefined ? undefined : tipOf(tree, at));
  const branch = useMemo(() => (tip === undefined ? [] : branchTo(tree, tip)), [tree, tip]);
  // So that the scrubber can go on.
  const isAtEnd = point !== undefined && branch[0] === point && branch.length > 1;
  useEffect(() => {
    if (isAtEnd && hasMore && !isLoadingMore) loadMore();
  }, [isAtEnd, hasMore, isLoadingMore]);
  return {
    ...{ point, branch },
    isFollowing: !params.has("at"),
    isMissing: at !== undefined && point === undefined && !mayComeLater && points.length > 0,
    select: (checkpointId, { replace }) => {
      const isOnBranch = branch.some((known) => known.checkpointId === checkpointId);
      const keepsTip = isOnBranch && tip !== tipOf(tree, checkpointId);
      const link = linkToThread(place, {
        ...(checkpointId !== head && { at: checkpointId }),
        ...(keepsTip && { tip }),
      });
      if (replace) replaceRoute(link);
      else navigate(link);
    },
  };
}
