import { describe, expect, it } from "@jest/globals";
import { checkSoak, overdue, type SoakSnapshot } from "./check-soak.js";
import type { SoakEntry, UntimedSoakEntry } from "./soak-entry.js";
import { SoakHistory } from "./soak-history.js";

const MIB = 2 ** 20;

function began(action: string, more: Partial<Extract<SoakEntry, { type: "began" }>> = {}): UntimedSoakEntry {
  return { type: "began", action, kind: "turn", user: 0, thread: "t", how: "sync", isLast: false, ...more };
}

/** A history in which the user has ended, and what it must leave. */
function historyOf(...entries: readonly UntimedSoakEntry[]): SoakHistory {
  const all = [...entries, began("last", { isLast: true }), { type: "done", action: "last" } as const];
  return SoakHistory.of(all.map((entry, at) => ({ ...entry, at })));
}

const snapshot = (turns: readonly string[], more: Partial<SoakSnapshot> = {}): SoakSnapshot => ({
  turns: new Map([["t", turns]]),
  items: new Map(),
  problems: [],
  ...more,
});

const TWO = [began("a"), { type: "done", action: "a" }, began("b"), { type: "done", action: "b" }] as const;

describe("the laws of the soak", () => {
  it("find nothing where each acknowledged turn is there, and others may be", () => {
    const history = historyOf(...TWO, began("c"), { type: "cancelled", action: "c" });
    expect(checkSoak(history, snapshot(["a", "b", "c", "last"]), 1)).toEqual([]);
    expect(checkSoak(history, snapshot(["a", "b", "last"]), 1)).toEqual([]);
  });

  it("find a turn that is lost, twice, or in another place", () => {
    const history = historyOf(...TWO);
    expect(checkSoak(history, snapshot(["b", "last"]), 1)).toEqual([
      expect.stringContaining("turn a is lost"),
    ]);
    expect(checkSoak(history, snapshot(["a", "b", "b", "last"]), 1)).toEqual([
      expect.stringContaining("turn b is there twice"),
    ]);
    expect(checkSoak(history, snapshot(["b", "a", "last"]), 1)).toEqual([expect.stringContaining("order")]);
  });

  it("find a thread that is lost after a move, and expect nothing of one that was deleted", () => {
    const moved = (kind: "archive" | "delete") =>
      historyOf(
        ...[began("a", { thread: "m" }), { type: "done", action: "a" } as const],
        ...[began("move", { thread: "m", kind }), { type: "done", action: "move" } as const],
      );
    expect(checkSoak(moved("delete"), snapshot(["last"]), 1)).toEqual([]);
    expect(checkSoak(moved("archive"), snapshot(["last"]), 1)).toEqual([
      expect.stringContaining("thread m: the acknowledged turn a is lost"),
    ]);
  });

  it("find a lost item, what verify has found, and a user whose last turn has not succeeded", () => {
    const history = historyOf({ type: "item", user: 0, number: 3 });
    const found = snapshot(["last"], { items: new Map([[0, new Set([2])]]), problems: ["damaged"] });
    expect(checkSoak(history, found, 2)).toEqual([
      expect.stringContaining("item 3"),
      "damaged",
      expect.stringContaining("user 1"),
    ]);
  });

  it("find a heap that grows in the second half", () => {
    const heaps = (sizes: readonly number[]) =>
      historyOf(...sizes.map((size) => ({ type: "memory", process: "0.1", bytes: size * MIB }) as const));
    expect(checkSoak(heaps([90, 100, 101, 99, 100, 102, 98, 101]), snapshot(["last"]), 1)).toEqual([]);
    expect(checkSoak(heaps([90, 100, 110, 120, 130, 140, 150, 180]), snapshot(["last"]), 1)).toEqual([
      expect.stringContaining("its heap grew from 120 MiB"),
    ]);
  });

  it("find who waits longer than the bound, but not for a process that was killed", () => {
    const history = historyOf(began("0.1-7"), began("1.1-3"));
    expect(overdue(history, 1_000, 500).map(({ action }) => action)).toEqual(["0.1-7", "1.1-3"]);
    history.killed("0.1");
    expect(overdue(history, 1_000, 500).map(({ action }) => action)).toEqual(["1.1-3"]);
    expect(overdue(history, 400, 500)).toEqual([]);
  });
});
