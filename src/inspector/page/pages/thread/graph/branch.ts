import type { HistoryPoint } from "../../../../api/threads.js";

/** The loaded checkpoints of a namespace as a tree. */
interface PointTree {
  readonly points: ReadonlyMap<string, HistoryPoint>;
  /** The checkpoints that continue from one, the newest first. */
  readonly children: ReadonlyMap<string, readonly string[]>;
}

/** @param points - The newest first. */
export function treeOf(points: readonly HistoryPoint[]): PointTree {
  const children = new Map<string, string[]>();
  for (const { checkpointId, parentId } of points) {
    if (parentId === undefined) continue;
    const siblings = children.get(parentId);
    if (siblings === undefined) children.set(parentId, [checkpointId]);
    else siblings.push(checkpointId);
  }
  return { points: new Map(points.map((point) => [point.checkpointId, point])), children };
}

/** Returns the end of the branch that goes on from a checkpoint: at each fork with the newest one. */
export function tipOf({ children }: PointTree, checkpointId: string): string {
  let tip = checkpointId;
  // A child is newer than its parent, other than in damaged rows, which may form a cycle.
  for (
    let [next] = children.get(tip) ?? [];
    next !== undefined && next > tip;
    [next] = children.get(tip) ?? []
  ) {
    tip = next;
  }
  return tip;
}

/** Returns the branch that ends at a checkpoint, as far as it is loaded, the oldest first. */
export function branchTo({ points }: PointTree, tip: string): readonly HistoryPoint[] {
  const branch: HistoryPoint[] = [];
  for (let point = points.get(tip); point !== undefined;) {
    branch.push(point);
    const parent: HistoryPoint | undefined =
      point.parentId !== undefined && point.parentId < point.checkpointId
        ? points.get(point.parentId)
        : undefined;
    point = parent;
  }
  return branch.reverse();
}
