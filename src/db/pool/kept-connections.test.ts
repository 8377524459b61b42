import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { ManualTime } from "../../../test-support/manual-time.js";
import { SuspectConnections } from "./kept-connections.js";

const time = new ManualTime();
beforeEach(() => {
  time.start();
});
afterEach(() => {
  time.stop();
});

it("SuspectConnections has those that last answered before another one fell silent, whichever call failed last", () => {
  const suspects = new SuspectConnections();
  const [early, late, unused] = [{}, {}, {}];
  const found = () => [early, late, unused].map((connection) => suspects.has(connection));
  time.pass(10);
  suspects.answered(early);
  time.pass(10);
  suspects.answered(late);
  expect(found()).toEqual([false, false, false]);
  suspects.silentSince(10);
  expect(found()).toEqual([false, false, false]);
  suspects.silentSince(15);
  expect(found()).toEqual([true, false, false]);
  suspects.silentSince(5);
  expect(found()).toEqual([true, false, false]);
  suspects.answered(early);
  suspects.silentSince(20);
  expect(found()).toEqual([false, false, false]);
  suspects.silentSince(21);
  expect(found()).toEqual([true, true, false]);
});
