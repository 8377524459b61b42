import { looksLikeRecord } from "./records.js";

describe("which plain objects are stored as entries, because a reader would take them for a record", () => {
  const types = ["constructor", "secret", "not_implemented", "undefined", "delta_snapshot", "other"];

  test.each([
    { lc: 1, taken: ["constructor", "secret", "not_implemented"] },
    { lc: 2, taken: ["constructor", "undefined", "delta_snapshot"] },
    { lc: 3, taken: [] },
    { lc: "1", taken: [] },
  ])("of lc $lc: $taken", ({ lc, taken }) => {
    expect(types.filter((type) => looksLikeRecord(lc, type))).toEqual(taken);
  });
});
