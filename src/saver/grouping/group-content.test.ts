import { describe, expect, it } from "@jest/globals";
import { putOf } from "../../../test-support/put-operation.js";
import type { BatchOperation } from "../codec/resolve-batch.js";
import { bytesOf, GroupContent, type GroupMember, mayShare } from "./group-content.js";

const deletion = (threadId: string): BatchOperation => ({ kind: "deleteThread", threadId });

function callOf(operation: BatchOperation): GroupMember {
  return { operation, bytes: bytesOf(operation) };
}

function contentOf(...operations: BatchOperation[]): boolean[] {
  const content = new GroupContent();
  return operations.map((operation) => content.add(callOf(operation)));
}

describe("the content of a group", () => {
  it("has one checkpoint of each namespace", () => {
    expect(contentOf(putOf("1"), putOf("2"), putOf("1", "child"), putOf("1"))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it("is either deletions or the rest", () => {
    expect(contentOf(putOf("1"), deletion("2"), putOf("3"))).toEqual([true, false, true]);
    expect(contentOf(deletion("1"), putOf("2"), deletion("3"))).toEqual([true, false, true]);
  });

  it("has at most 100 calls and 512 KiB", () => {
    const many = contentOf(...Array.from({ length: 110 }, (_, index) => putOf(String(index))));
    expect(many.filter((added) => added)).toHaveLength(100);
    const large = contentOf(...Array.from({ length: 20 }, (_, index) => putOf(String(index), "", 60_000)));
    expect(large.filter((added) => added)).toHaveLength(8);
  });

  it("has no call that is long or has a signal", () => {
    expect(mayShare(callOf(putOf("1", "", 64 * 1_024)))).toBe(false);
    expect(mayShare({ ...callOf(putOf("1")), signal: new AbortController().signal })).toBe(false);
    expect(contentOf(putOf("1", "", 70_000), putOf("2"))).toEqual([false, true]);
  });
});
