import { expect, it } from "@jest/globals";
import { HeldValues } from "./held-values.js";

const placeOf = (version: string, checkpointNs = "") => ({
  ...{ threadId: "t", checkpointNs, channel: "a", version },
});
const valueOf = (version: string, base: string | null, bytes: number) => ({
  ...{ place: placeOf(version), type: "json", blob: Buffer.alloc(bytes), base, line: 1 },
});

it("holds values up to a limit, and remembers the keys of the others", () => {
  const values = new HeldValues(10);
  const splices = [valueOf("2", "1", 4), valueOf("4", "3", 0), valueOf("6", "none", 0)];
  const [small, above, alone] = splices;
  values.add(valueOf("1", null, 6));
  for (const value of [small, valueOf("3", null, 1), above, valueOf("5", "1", 1), alone])
    values.add(value ?? valueOf("", null, 0));
  for (const version of ["1", "2", "3", "4", "5", "6"]) expect(values.has(placeOf(version))).toBe(true);
  expect(values.has(placeOf("7"))).toBe(false);
  expect(values.has(placeOf("1", "sub"))).toBe(false);
  expect([...values.splices()]).toEqual(splices);
  expect(splices.map((value) => values.isComplete(value))).toEqual([true, false, true]);
  expect(values.rowsOf(placeOf("9"))("3")).toBeUndefined();
  expect(values.rowsOf(placeOf("9"))("2")).toBe(small);
});

it("takes splices of each other for complete, so that their decoder names them", () => {
  const values = new HeldValues();
  const [one, two] = [valueOf("1", "2", 1), valueOf("2", "1", 1)];
  for (const value of [one, two]) values.add(value);
  expect(values.isComplete(one)).toBe(true);
});
