import type { StoryStep } from "../../../../api/story.js";

/** The steps of a story, of which those beside the shown branch are folded in where they leave it. */
interface FoldedStory {
  /** The steps of the shown branch, the newest first. */
  readonly shown: readonly StoryStep[];
  /** The other steps by the step of the branch that they come from, the newest first. `""`: from none that is loaded. */
  readonly others: ReadonlyMap<string, readonly StoryStep[]>;
}

/**
 * Folds what is beside a branch.
 *
 * @param steps - The newest first.
 * @param branch - The ids of its checkpoints, the oldest first, as far as they are known. Older steps count as its own.
 */
export function foldBranches(steps: readonly StoryStep[], branch: readonly string[]): FoldedStory {
  const [oldest] = branch;
  if (oldest === undefined) return { shown: steps, others: new Map() };
  const own = new Set(branch);
  const isShown = (id: string): boolean => own.has(id) || id < oldest;
  const leftAt = new Map<string, string>();
  const aside = steps.filter(({ checkpointId }) => !isShown(checkpointId));
  // From the oldest one on, since each comes after its parent.
  for (const { checkpointId, parentId = "" } of aside.toReversed())
    leftAt.set(checkpointId, parentId !== "" && isShown(parentId) ? parentId : (leftAt.get(parentId) ?? ""));
  const others = new Map<string, StoryStep[]>();
  for (const step of aside) {
    const at = leftAt.get(step.checkpointId) ?? "";
    const known = others.get(at);
    if (known === undefined) others.set(at, [step]);
    else known.push(step);
  }
  return { shown: steps.filter(({ checkpointId }) => isShown(checkpointId)), others };
}

/** How many branches these steps end in. */
export function countBranches(steps: readonly StoryStep[]): number {
  const continued = new Set(steps.map(({ parentId }) => parentId));
  return steps.filter(({ checkpointId }) => !continued.has(checkpointId)).length;
}
