import type { StoryStep, StoryTask } from "../../../../api/story.js";
import { countBranches, foldBranches } from "./fold-branches.js";

/** Steps of one run that follow each other in time. */
export interface StoryRun {
  readonly runId: string | undefined;
  /** The newest first. */
  readonly steps: readonly StoryStep[];
}

/** A row of the timeline. */
export type StoryRow =
  | StepRow
  /** Branches that leave the shown one at the step below. */
  | { readonly kind: "branches"; readonly key: string; readonly count: number };

/** A row about the steps of a run. */
export type StepRow =
  | { readonly kind: "run"; readonly key: string; readonly run: StoryRun }
  /** What has begun after the checkpoint of a step, and made no other one. */
  | { readonly kind: "open"; readonly key: string; readonly step: StoryStep }
  | {
      readonly kind: "step";
      readonly key: string;
      readonly step: StoryStep;
      /** The step that it goes on from, where that is not the one before it in time. */
      readonly from: StoryStep | undefined;
      /** Whether the step is of a branch that is folded in. */
      readonly isAside?: true;
    };

/** The rows of a branch, in which other branches are folded. */
export interface BranchRows {
  /** The ids of its checkpoints, the oldest first. */
  readonly branch: readonly string[];
  /** The keys of the rows of branches that are open. */
  readonly opened: ReadonlySet<string>;
  /** Whether older steps are not loaded yet. */
  readonly hasMore: boolean;
}

/** @param steps - The newest first. */
export function rowsOfBranch(
  steps: readonly StoryStep[],
  { branch, opened, hasMore }: BranchRows,
): StoryRow[] {
  const { shown, others } = foldBranches(steps, branch);
  const foldedAt = (at: string): StoryRow[] => {
    const aside = others.get(at);
    if (aside === undefined) return [];
    const key = `branches ${at}`;
    const asideRows = opened.has(key)
      ? aside.map((step): StoryRow => ({
          ...{ kind: "step", key: step.checkpointId, step, isAside: true },
          from: undefined,
        }))
      : [];
    return [{ kind: "branches", key, count: countBranches(aside) }, ...asideRows];
  };
  const rows = rowsOf(shown).flatMap((row) => (row.kind === "step" ? [...foldedAt(row.key), row] : row));
  // What they come from may be among those.
  return hasMore ? rows : [...rows, ...foldedAt("")];
}

/** @param steps - The newest first. */
export function rowsOf(steps: readonly StoryStep[]): StepRow[] {
  const continued = new Set(
    steps.flatMap(({ source, parentId }) => (source === "loop" && parentId !== undefined ? parentId : [])),
  );
  const byId = new Map(steps.map((step) => [step.checkpointId, step]));
  const before = new Map(
    steps.map(({ checkpointId }, index) => [checkpointId, steps[index + 1]?.checkpointId]),
  );
  const fromOf = ({ checkpointId, parentId = "" }: StoryStep): StoryStep | undefined =>
    before.get(checkpointId) === parentId ? undefined : byId.get(parentId);
  return runsOf(steps).flatMap((run): StepRow[] => [
    { kind: "run", key: `run ${run.steps.at(-1)?.checkpointId}`, run },
    ...run.steps.flatMap((step): StepRow[] => {
      const { checkpointId: key, open } = step;
      const isOpen = open !== undefined && !continued.has(key);
      return [
        ...(isOpen ? [{ kind: "open", key: `open ${key}`, step } as const] : []),
        { kind: "step", key, step, from: fromOf(step) },
      ];
    }),
  ]);
}

/** An input begins a run, and so does another id of a run. What a person has edited belongs to the run that goes on from it. */
function runsOf(steps: readonly StoryStep[]): StoryRun[] {
  const runs: { runId: string | undefined; steps: StoryStep[] }[] = [];
  let hasBegun = true;
  for (const step of steps) {
    const last = runs.at(-1);
    const isEdit = step.runId === undefined && (step.source === "fork" || step.source === "update");
    const goesOn = last !== undefined && !hasBegun && (last.runId === step.runId || isEdit);
    if (goesOn) last.steps.push(step);
    else runs.push({ runId: step.runId, steps: [step] });
    // A step of the same run may be older than the edit only where the run has no id.
    hasBegun = step.source === "input" || (isEdit && last?.runId !== undefined);
  }
  return runs;
}

/** The nodes of tasks with how many of their tasks there are. */
export function nodeCountsOf(
  tasks: readonly StoryTask[],
  omitted: number,
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { node = "" } of tasks) counts.set(node, (counts.get(node) ?? 0) + 1);
  if (omitted > 0) counts.set("", (counts.get("") ?? 0) + omitted);
  return [...counts];
}

/** What the steps have in common with a bill: their time and their tokens. */
export function costOf(steps: readonly StoryStep[]): { tookMs: number; input: number; output: number } {
  return steps.reduce(
    (sum, { tookMs = 0, waitedFor, ran }) => ({
      tookMs: sum.tookMs + (waitedFor === undefined ? tookMs : 0),
      input: sum.input + (ran?.tokens?.input ?? 0),
      output: sum.output + (ran?.tokens?.output ?? 0),
    }),
    { tookMs: 0, input: 0, output: 0 },
  );
}
