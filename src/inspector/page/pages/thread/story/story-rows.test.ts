import { describe, expect, it } from "@jest/globals";
import type { StoryStep, StoryTasks } from "../../../../api/story.js";
import { rowsOf, rowsOfBranch } from "./story-rows.js";

const open: NonNullable<StoryStep["open"]> = {
  ...({
    tasks: [],
    omitted: 0,
    tools: [],
    messages: [],
    messageCount: 0,
    isPartial: false,
  } satisfies StoryTasks),
  status: "failed",
};

function stepOf(
  checkpointId: string,
  { parent, source = "loop", run }: { parent?: string; source?: string; run?: string } = {},
): StoryStep {
  return {
    ...{ checkpointId, createdAt: 0, source, writes: 0, interrupted: false, failed: false },
    ...(parent !== undefined && { parentId: parent }),
    ...(run !== undefined && { runId: run }),
  };
}

/** `[…]` is the head of a run, `!` what is open, and `a<b` a step that goes on from an earlier one. */
function outline(steps: readonly StoryStep[]): string {
  return rowsOf(steps)
    .map((row) => {
      if (row.kind === "run") return `[${row.run.runId ?? ""}]`;
      const { checkpointId } = row.step;
      if (row.kind === "open") return `!${checkpointId}`;
      return row.from === undefined ? checkpointId : `${checkpointId}<${row.from.checkpointId}`;
    })
    .join(" ");
}

describe("the rows of a story", () => {
  it("begins a run at each input, and at another id of a run", () => {
    const steps = [
      stepOf("f", { parent: "e", run: "2" }),
      stepOf("e", { parent: "d", run: "1" }),
      stepOf("d", { parent: "c", source: "input", run: "1" }),
      stepOf("c", { parent: "b" }),
      stepOf("b", { parent: "a", source: "input" }),
    ];
    expect(outline(steps)).toBe("[2] f [1] e d [] c b");
  });

  it("puts an edit before the run that goes on from it, and says from where a branch goes on", () => {
    const steps = [
      stepOf("e", { parent: "d", run: "2" }),
      stepOf("d", { parent: "b", source: "fork" }),
      stepOf("c", { parent: "b", run: "1" }),
      stepOf("b", { parent: "a", run: "1" }),
    ];
    expect(outline(steps)).toBe("[2] e d<b [1] c b");
  });

  it("shows what is open only where no step has come of it", () => {
    const left = [
      { ...stepOf("c", { parent: "a" }), open },
      { ...stepOf("b", { parent: "a" }), open },
    ];
    expect(outline(left)).toBe("[] !c c !b b");
    expect(outline([stepOf("d", { parent: "b" }), ...left])).toBe("[] d<b !c c b");
  });
});

describe("rowsOfBranch", () => {
  // 4 follows 1, and so does 2, which 3 and 5 follow. 0 was read before its parent was deleted.
  const steps = [
    stepOf("5", { parent: "2" }),
    stepOf("4", { parent: "1" }),
    stepOf("3", { parent: "2" }),
    stepOf("2", { parent: "1" }),
    stepOf("1", { parent: "0" }),
    stepOf("0", { parent: "deleted" }),
  ];
  const keysOf = (branch: string[], opened: string[] = [], all = steps) =>
    rowsOfBranch(all, { branch, opened: new Set(opened), hasMore: false }).map((row) =>
      row.kind === "branches" ? `${row.count} ${row.key}` : row.key,
    );

  it("folds other branches in where they leave the shown one", () => {
    expect(keysOf(["0", "1", "4"])).toEqual(["run 0", "4", "2 branches 1", "1", "0"]);
  });

  it("shows the steps of branches that are open", () => {
    expect(keysOf(["0", "1", "4"], ["branches 1"])).toEqual([
      "run 0",
      "4",
      "2 branches 1",
      "5",
      "3",
      "2",
      "1",
      "0",
    ]);
  });

  it("counts steps that are older than the branch is known as its own", () => {
    expect(keysOf(["1", "2", "5"])).toEqual(["run 0", "5", "1 branches 2", "2", "1 branches 1", "1", "0"]);
  });

  it("shows at the end what comes from no step that is there", () => {
    const rest = [...steps.slice(0, 5), stepOf("x", { parent: "deleted" })].toSorted((a, b) =>
      a.checkpointId < b.checkpointId ? 1 : -1,
    );
    expect(keysOf(["1", "4"], [], rest).at(-1)).toBe("1 branches ");
  });
});
