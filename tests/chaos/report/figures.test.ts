import { describe, expect, it } from "@jest/globals";
import type { JournalEntry, OperationKind } from "../journal/entry.js";
import type { ChaosRun, Incident } from "../run/run-chaos.js";
import { failuresOf } from "./failures.js";
import { errorsOf, figuresByFault, totalOf } from "./figures.js";

function intent(op: string, at: number, kind: OperationKind = "put"): JournalEntry {
  return { type: "intent", at, op, kind, slot: 1, thread: "1.1", puts: [], writes: [], deletes: false };
}

function ack(op: string, at: number, attempts = 1): JournalEntry {
  return { type: "ack", at, op, attempts, seen: [] };
}

function incident(fault: string, beganAt: number, allMs?: number): Incident {
  const resumption = allMs === undefined ? undefined : { firstMs: 10, allMs };
  return { fault, beganAt, returnedAt: beganAt + 100, resumption, exits: 0 };
}

function run(more: Partial<ChaosRun>): ChaosRun {
  return {
    incidents: [],
    findings: [],
    entries: [],
    exits: [],
    hasStopped: true,
    checkpoints: 0,
    splices: 0,
    ...more,
  };
}

describe("the figures of a run", () => {
  it("count a call for the last fault before its end, and separately whether it was retried or failed", () => {
    const entries = [
      ...[intent("1", 0), ack("1", 50)],
      ...[intent("2", 90), ack("2", 250, 3)],
      ...[intent("3", 300, "list"), ack("3", 350, 2)],
      ...[intent("4", 1_050), { type: "fail" as const, at: 1_100, op: "4", error: "no" }],
      intent("5", 1_200),
    ];
    const incidents = [incident("one", 100, 70), incident("two", 1_000, 80)];
    const figures = figuresByFault(run({ entries, incidents }));
    expect(figures).toMatchObject([
      {
        name: "one",
        times: 1,
        acknowledged: 2,
        retried: 1,
        failed: 0,
        firstMs: 10,
        allMs: 70,
        pendingMs: 50,
      },
      { name: "two", times: 1, acknowledged: 0, retried: 0, failed: 1, allMs: 80 },
    ]);
    expect(totalOf(figures)).toMatchObject({ times: 2, acknowledged: 2, retried: 1, failed: 1, allMs: 80 });
    expect(errorsOf(entries)).toEqual([["no", 1]]);
  });

  it("take the longest time of a kind of fault, which is infinite if the load never resumed", () => {
    const incidents = [incident("one", 0, 30), incident("one", 500, 20), incident("two", 900)];
    expect(figuresByFault(run({ incidents })).map(({ times, allMs }) => [times, allMs])).toEqual([
      [2, 30],
      [1, Infinity],
    ]);
  });
});

describe("the failures of a run", () => {
  it("are empty when every promise was kept", () => {
    expect(failuresOf(run({ incidents: [incident("one", 0, 4_999)] }))).toEqual([]);
  });

  it.each<[string, Partial<ChaosRun>]>([
    ["a finding of the checker", { findings: [{ kind: "lost", thread: "1.1", text: "a" }] }],
    ["a wrong result of a read", { entries: [{ type: "violation", at: 0, op: "1", text: "older" }] }],
    [
      "an unhandled rejection",
      { entries: [{ type: "process", at: 0, event: "unhandledRejection", detail: "" }] },
    ],
    ["an unexpected exit of the process", { exits: ["exit code 1"] }],
    ["a load that resumed too late", { incidents: [incident("one", 0, 5_001)] }],
    ["a load that never resumed", { incidents: [incident("one", 0)] }],
    ["a load that did not stop", { hasStopped: false }],
  ])("include %s", (_what, broken) => {
    expect(failuresOf(run(broken))).toHaveLength(1);
  });
});
