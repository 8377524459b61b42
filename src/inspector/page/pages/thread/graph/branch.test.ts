import { describe, expect, it } from "@jest/globals";
import type { HistoryPoint } from "../../../../api/threads.js";
import { branchTo, tipOf, treeOf } from "./branch.js";

function pointOf(checkpointId: string, parentId?: string): HistoryPoint {
  return {
    ...{ checkpointId, createdAt: 0, writes: 0, interrupted: false, failed: false },
    ...(parentId !== undefined && { parentId }),
  };
}

const tree = treeOf([
  pointOf("5", "2"),
  pointOf("4", "3"),
  pointOf("3", "2"),
  pointOf("2", "1"),
  pointOf("1"),
]);

describe("branches", () => {
  it("go on with the newest checkpoint of each fork", () => {
    expect(tipOf(tree, "1")).toBe("5");
    expect(tipOf(tree, "3")).toBe("4");
  });

  it("lead from the oldest loaded checkpoint to their end", () => {
    expect(branchTo(tree, "4").map(({ checkpointId }) => checkpointId)).toEqual(["1", "2", "3", "4"]);
    expect(branchTo(tree, "unknown")).toEqual([]);
  });

  it("end in damaged histories, where checkpoints are their own ancestors", () => {
    const cycle = treeOf([pointOf("2", "1"), pointOf("1", "2")]);
    expect(tipOf(cycle, "1")).toBe("2");
    expect(branchTo(cycle, "2").map(({ checkpointId }) => checkpointId)).toEqual(["1", "2"]);
  });
});
