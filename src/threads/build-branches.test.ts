import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../test-support/runs.js";
import { buildBranches } from "./history.js";
import type { Branch, HistoryEntry } from "./thread-types.js";

function entry(checkpointId: string, parentCheckpointId?: string): HistoryEntry {
  const described = { createdAt: new Date(0), step: 0, source: "loop", metadata: {} as never };
  return { checkpointId, parentCheckpointId, ...described, writes: 0, interrupted: false };
}

/** A tree of branches as nested lists of ids. */
type Shape = (string | Shape)[];
function shapeOf({ checkpoints, branches }: Branch): Shape {
  return [...checkpoints.map(({ checkpointId }) => checkpointId), ...branches.map(shapeOf)];
}

function idsOf(branches: readonly Branch[]): string[] {
  return branches.flatMap((branch) => [
    ...branch.checkpoints.map(({ checkpointId }) => checkpointId),
    ...idsOf(branch.branches),
  ]);
}

describe("buildBranches", () => {
  it("returns no branches for no checkpoints", () => {
    expect(buildBranches([])).toEqual([]);
  });

  it("returns one line without forks, whatever the order of the input", () => {
    const line = [entry("3", "2"), entry("1"), entry("2", "1")];
    expect(buildBranches(line).map(shapeOf)).toEqual([["1", "2", "3"]]);
  });

  it("ends a line at a fork, and sorts the new branches", () => {
    const entries = [
      entry("1"),
      entry("2", "1"),
      entry("5", "2"),
      entry("3", "2"),
      entry("4", "3"),
      entry("6", "3"),
    ];
    expect(buildBranches(entries).map(shapeOf)).toEqual([["1", "2", ["3", ["4"], ["6"]], ["5"]]]);
  });

  it("begins a branch with a checkpoint whose parent is missing", () => {
    const entries = [entry("4", "missing"), entry("1"), entry("2", "1"), entry("5", "4")];
    expect(buildBranches(entries).map(shapeOf)).toEqual([
      ["1", "2"],
      ["4", "5"],
    ]);
  });

  it("terminates on cycles of damaged rows", () => {
    const entries = [entry("1", "3"), entry("2", "1"), entry("3", "2"), entry("4", "4"), entry("5", "2")];
    expect(buildBranches(entries).map(shapeOf)).toEqual([["1", "2", ["3"], ["5"]], ["4"]]);
  });

  it("returns every checkpoint once, whatever the parents", () => {
    const parents = fc.array(fc.option(fc.nat(30), { nil: undefined }), { maxLength: 30 });
    fc.assert(
      fc.property(parents, (chosen) => {
        const entries = chosen.map((parent, index) =>
          entry(String(index), parent === undefined ? undefined : String(parent)),
        );
        const ids = idsOf(buildBranches(entries));
        expect(ids.toSorted()).toEqual(entries.map(({ checkpointId }) => checkpointId).toSorted());
      }),
      runs(100),
    );
  });

  it("handles a line of 100,000 checkpoints, and as many nested forks", () => {
    const name = (index: number) => String(index).padStart(6, "0");
    const line = Array.from({ length: 100_000 }, (_, index) =>
      index === 0 ? entry(name(0)) : entry(name(index), name(index - 1)),
    );
    expect(buildBranches(line)[0]?.checkpoints).toHaveLength(100_000);
    const comb = line.flatMap((each) => [each, entry(`${each.checkpointId} aside`, each.parentCheckpointId)]);
    expect(buildBranches(comb)).toHaveLength(2);
  });
});
