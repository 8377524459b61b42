import { expect, test } from "@jest/globals";
import { MAX_BASES } from "../splices/value-chain.js";
import { VersionChains } from "./version-chains.js";

const chainsOf = (bases: Readonly<Record<string, string | null>>) =>
  new VersionChains(Object.entries(bases).map(([version, base]) => ({ version, base })));

/** Splices `name 1` to `name length`, each of the one before, above `name 0`. */
const chain = (name: string, length: number, below: string | null = null) =>
  Object.fromEntries(
    Array.from({ length: length + 1 }, (_, at) => [`${name} ${at}`, at === 0 ? below : `${name} ${at - 1}`]),
  );

test("a value may refer to another one as far as the values below it and above it fit into one chain", () => {
  const half = MAX_BASES / 2;
  const chains = chainsOf({ ...chain("low", half), ...chain("high", half) });
  expect(chains.mayRefer("high 0", `low ${half}`)).toBe(false);
  expect(chains.mayRefer("high 0", `low ${half - 1}`)).toBe(true);
  chains.set("high 0", `low ${half - 1}`);
  expect(chains.basesOf(`high ${half}`)?.size).toBe(MAX_BASES);
  expect(chains.isTooLong(`high ${half}`)).toBe(false);
  // What was changed counts from then on.
  chains.set(`low ${half - 1}`, "more");
  chains.set("more", `low ${half - 2}`);
  expect(chains.isTooLong(`high ${half}`)).toBe(true);
  chains.set("high 0", null);
  expect(chains.mayRefer("low 0", "high 0")).toBe(true);
});

test("a value may not refer to itself, or to a value that is made of it", () => {
  const chains = chainsOf({ a: null, b: "a", c: "b" });
  for (const base of ["a", "b", "c"]) expect(chains.mayRefer("a", base)).toBe(false);
});

test("a chain that is damaged has no length, and nothing may refer to it", () => {
  const chains = chainsOf({ a: "b", b: "a", c: "gone", d: null });
  for (const version of ["a", "b", "c"]) {
    expect(chains.basesOf(version)).toBeUndefined();
    expect(chains.isTooLong(version)).toBe(false);
    expect(chains.mayRefer("d", version)).toBe(false);
  }
  expect(chains.mayRefer("a", "d")).toBe(true);
});
