import { describe, expect, it } from "@jest/globals";
import { SeenCheckpoints } from "./seen-checkpoints.js";

const CHECKPOINT = { checkpointNs: "", checkpointId: "b" };

describe("SeenCheckpoints", () => {
  it("reports a checkpoint as new once, whether it was notified or found first", () => {
    const notified = new SeenCheckpoints([]);
    expect([notified.add(CHECKPOINT, "notified"), notified.add(CHECKPOINT, "found")]).toEqual([true, false]);
    const found = new SeenCheckpoints([]);
    expect([found.add(CHECKPOINT, "found"), found.add(CHECKPOINT, "notified")]).toEqual([true, false]);
  });

  it("reports a checkpoint as new again after a second notification, since it was deleted and inserted", () => {
    const seen = new SeenCheckpoints([]);
    for (const source of ["notified", "found"] as const) seen.add(CHECKPOINT, source);
    expect(seen.add(CHECKPOINT, "notified")).toBe(true);
  });

  it("never lowers a namespace below the floor", () => {
    const seen = new SeenCheckpoints([], "b");
    expect(seen.add({ checkpointNs: "", checkpointId: "a" }, "notified")).toBe(true);
    expect({ newest: seen.newest, floor: seen.floor }).toEqual({ newest: [], floor: "b" });
    seen.add({ checkpointNs: "", checkpointId: "c" }, "notified");
    expect(seen.newest).toEqual([{ checkpointNs: "", checkpointId: "c" }]);
  });

  it("keeps the newest checkpoint of a namespace when an older one is added", () => {
    const seen = new SeenCheckpoints([{ checkpointNs: "", checkpointId: "a" }]);
    expect(seen.add(CHECKPOINT, "notified")).toBe(true);
    expect(seen.add({ checkpointNs: "", checkpointId: "0" }, "notified")).toBe(true);
    expect(seen.newest).toEqual([CHECKPOINT]);
  });
});
