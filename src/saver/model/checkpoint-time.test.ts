import { describe, expect, it } from "@jest/globals";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { idAfter, idsFrom, timeInId } from "./checkpoint-time.js";

describe("the time inside a checkpoint's id", () => {
  it("is the time at which LangGraph created it", () => {
    const before = Date.now();
    const time = timeInId(uuid6(3))?.getTime();
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now() + 1);
  });

  it("is that of an id with a known time", () => {
    expect(timeInId("1ec9414c-232a-6b00-b3c8-9f6bdeced846")).toEqual(new Date("2022-02-22T19:22:22.000Z"));
  });

  it.each(["1", "", "2024-05-04T06:32:42.235Z", "550e8400-e29b-41d4-a716-446655440000"])(
    "is not there in %j",
    (id) => {
      expect(timeInId(id)).toBeUndefined();
    },
  );

  it("is ordered as text: ids of a time and later are not before its lower bound, and earlier ids are", () => {
    const id = uuid6(0);
    const time = timeInId(id) ?? new Date(NaN);
    expect(id >= idsFrom(time)).toBe(true);
    expect(id < idsFrom(new Date(time.getTime() + 1))).toBe(true);
  });

  it("has a lower bound for every Date", () => {
    expect(idsFrom(new Date(-8.64e15))).toBe("00000000-0000-6000");
    expect(idsFrom(new Date(8.64e15))).toBe("ffffffff-ffff-6fff");
  });
});

describe("an id after another one", () => {
  it("is the fresh one where that is larger", () => {
    expect(idAfter("1ec9414c-232a-6b00-b3c8-9f6bdeced846", "1ec9414c-232a-6b01-8000-000000000000")).toBe(
      "1ec9414c-232a-6b01-8000-000000000000",
    );
  });

  it("is the next one where a clock was ahead, also across the fields of the UUID", () => {
    const fresh = "1ec9414c-232a-6b01-8000-000000000000";
    expect(idAfter("fec9414c-ffff-6fff-b3c8-9f6bdeced846", fresh)).toBe(
      "fec9414d-0000-6000-8000-000000000000",
    );
    expect(idAfter(fresh, fresh)).toBe("1ec9414c-232a-6b02-8000-000000000000");
  });

  it("is undefined after a larger id that is not a UUID of version 6", () => {
    expect(idAfter("checkpoint 1", "1ec9414c-232a-6b01-8000-000000000000")).toBeUndefined();
  });
});
