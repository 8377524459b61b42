import { describe, expect, it } from "@jest/globals";
import { type ChannelVersions, emptyCheckpoint, MemorySaver } from "@langchain/langgraph-checkpoint";
import { VersionCopier } from "./copied-versions.js";
import { type ListedCheckpoint, nameOfCheckpoint } from "./listed-checkpoints.js";

function listed(
  checkpointId: string,
  versions: ChannelVersions,
  parent?: ListedCheckpoint,
): ListedCheckpoint {
  return { threadId: "t", checkpointNs: "", checkpointId, parent, versions, tasks: undefined };
}

/** Copies a thread to a target that counts in numbers and has some of its checkpoints. */
function copied(
  all: readonly ListedCheckpoint[],
  stored: readonly (readonly [ListedCheckpoint, ChannelVersions])[] = [],
): ChannelVersions[] {
  const checkpoints = new Map(stored.map(([one, versions]) => [nameOfCheckpoint(one), { ...one, versions }]));
  const copier = new VersionCopier(new MemorySaver(), { checkpoints }, all);
  for (const one of all) copier.count(one);
  return all.map(
    (one) => copier.copy(one, { ...emptyCheckpoint(), channel_versions: one.versions }).channel_versions,
  );
}

describe("the versions of a copy", () => {
  const root = listed("1", { a: 1, b: 1 });
  const child = listed("2", { a: 2, b: 2 }, root);
  const branch = listed("3", { a: 2, b: 1 }, root);

  it("differ where two branches have counted to the same number", () => {
    const [first, second, copy] = copied([root, child, branch]);
    expect([first, second]).toEqual([root.versions, child.versions]);
    expect(copy).toMatchObject({ b: 1 });
    expect(Number.isInteger(copy?.a)).toBe(false);
  });

  it("of a parent that the target has deleted are those that its child shares with it", () => {
    const [, , copy] = copied([root, child, branch], [[child, { a: 2, b: 2 }]]);
    expect(copy).toMatchObject({ b: 1 });
    expect(copy?.a).toBeGreaterThan(2);
  });

  it("stay those of an earlier checkpoint where a later one goes back to them", () => {
    const on = listed("4", { a: 3, b: 1 }, branch);
    const back = listed("5", { a: 2, b: 1 }, on);
    const [, , first, , last] = copied([root, child, branch, on, back]);
    expect(first?.a).toBeGreaterThan(2);
    expect(last?.a).toBe(first?.a);
  });

  it("stay those that the target has given a checkpoint", () => {
    expect(copied([root, child, branch], [[branch, { a: 2.25, b: 1 }]])[2]).toEqual({ a: 2.25, b: 1 });
  });
});
