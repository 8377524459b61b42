import { describe, expect, it } from "@jest/globals";
import { SeenCheckpoints } from "./seen-checkpoints.js";

const CHECKPOINT = { checkpointNs: "", checkpointId: "b" };

describe("the checkpoints that a watch has seen", () => {
  it("are new once, by whichever ways they become known", () => {
    const told = new SeenCheckpoints([]);
    expect([told.add(CHECKPOINT, "told"), told.add(CHECKPOINT, "found")]).toEqual([true, false]);
    const found = new SeenCheckpoints([]);
    expect([found.add(CHECKPOINT, "found"), found.add(CHECKPOINT, "told")]).toEqual([true, false]);
  });

  it("are new again when they are told again, as only what was deleted is inserted again", () => {
    const seen = new SeenCheckpoints([]);
    for (const source of ["told", "found"] as const) seen.add(CHECKPOINT, source);
    expect(seen.add(CHECKPOINT, "told")).toBe(true);
  });

  it("never put a namespace back behind what counts as seen", () => {
    const seen = new SeenCheckpoints([], "b");
    expect(seen.add({ checkpointNs: "", checkpointId: "a" }, "told")).toBe(true);
    expect({ newest: seen.newest, floor: seen.floor }).toEqual({ newest: [], floor: "b" });
    seen.add({ checkpointNs: "", checkpointId: "c" }, "told");
    expect(seen.newest).toEqual([{ checkpointNs: "", checkpointId: "c" }]);
  });

  it("are the newest of their namespace only where no later one was seen", () => {
    const seen = new SeenCheckpoints([{ checkpointNs: "", checkpointId: "a" }]);
    expect(seen.add(CHECKPOINT, "told")).toBe(true);
    expect(seen.add({ checkpointNs: "", checkpointId: "0" }, "told")).toBe(true);
    expect(seen.newest).toEqual([CHECKPOINT]);
  });
});
