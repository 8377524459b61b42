import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { ManualTime } from "../../../test-support/manual-time.js";
import { LONGEST_READING_MS, ServerClock } from "./server-clock.js";

const time = new ManualTime();
beforeEach(() => {
  time.start();
});
afterEach(() => {
  time.stop();
});

it("a ServerClock keeps its reading where the next answer is read late, as in a frozen process", () => {
  const clock = new ServerClock();
  clock.read("1000", time.now);
  const askedAt = time.now;
  time.freeze(LONGEST_READING_MS + 1);
  clock.read("1000", askedAt);
  expect(clock.in(0)).toBe(1_000_000 + LONGEST_READING_MS + 1);
});

it("a ServerClock is unread where its only answer was read late", () => {
  const clock = new ServerClock();
  const askedAt = time.now;
  time.freeze(LONGEST_READING_MS + 1);
  clock.read("1000", askedAt);
  expect([clock.isUnread, clock.in(0)]).toEqual([true, undefined]);
});
