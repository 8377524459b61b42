import { useGrowth } from "../../server/use-pages.js";
import { after } from "../../parts/effects.js";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { NamespacePlace } from "../../../api/places.js";
import type { HistoryPoint } from "../../../api/threads.js";
import { linkToThread, parseRoute, navigate, replaceRoute } from "../../routes/route.js";
import { branchTo, tipOf, treeOf } from "./graph/branch.js";
import type { History } from "./use-history.js";

/** Browsers refuse to change the address more often than some 200 times in 10 s. */
const PAUSE_MS = 150;

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
export function useSelection(place: NamespacePlace, address: URLSearchParams, history: History): Selection {
  const { params, replaceSoon, go } = usePendingRoute(address);
  const { points = [], hasMore } = history;
  const tree = useMemo(() => treeOf(points), [points]);
  const head = points[0]?.checkpointId;
  const at = params.get("at") ?? head;
  const point = at === undefined ? undefined : tree.points.get(at);
  // The ids of checkpoints are in the order of time.
  const mayComeLater = at !== undefined && hasMore && at < (points.at(-1)?.checkpointId ?? "");
  useGrowth(history, point === undefined && mayComeLater);
  const tip = params.get("tip") ?? (at === undefined ? undefined : tipOf(tree, at));
  const branch = useMemo(() => (tip === undefined ? [] : branchTo(tree, tip)), [tree, tip]);
  // So that the scrubber can go on.
  const isAtEnd = point !== undefined && branch[0] === point && branch.length > 1;
  useGrowth(history, isAtEnd);
  return {
    ...{ point, branch },
    isFollowing: !params.has("at"),
    isMissing: at !== undefined && point === undefined && !mayComeLater && points.length > 0,
    select: (checkpointId, { replace }) => {
      const isOnBranch = branch.some((known) => known.checkpointId === checkpointId);
      const keepsTip = isOnBranch && tip !== tipOf(tree, checkpointId);
      const link = linkToThread(place, {
        view: params.get("view") ?? undefined,
        ...(checkpointId !== head && { at: checkpointId }),
        ...(keepsTip && { tip }),
      });
      if (replace) replaceSoon(link);
      else go(link);
    },
  };
}

interface PendingRoute {
  /** Those that the address will have. */
  readonly params: URLSearchParams;
  /** Replaces the address when the person pauses. */
  readonly replaceSoon: (link: string) => void;
  /** Goes to an address at once. */
  readonly go: (link: string) => void;
}

/** Changes the address. Until the browser has reported that, the parameters that it will have are returned. */
function usePendingRoute(address: URLSearchParams): PendingRoute {
  const [pending, setPending] = useState<string>();
  const written = useRef<string>();
  // The browser reports an address that was changed here later: a key that was pressed meanwhile counts. After another change of the
  // address, an effect after the paint would also drop a key that was pressed before it ran.
  useLayoutEffect(() => {
    const isOwn = location.hash === written.current;
    setPending((newer) => (isOwn && newer !== written.current ? newer : undefined));
  }, [address]);
  useEffect(() => {
    if (pending === undefined) return;
    return after(PAUSE_MS, () => {
      written.current = pending;
      replaceRoute(pending);
    });
  }, [pending]);
  const params = useMemo(
    () => (pending === undefined ? address : parseRoute(pending).params),
    [pending, address],
  );
  const go = (link: string): void => {
    written.current = link;
    setPending(link);
    navigate(link);
  };
  return { params, replaceSoon: setPending, go };
}
