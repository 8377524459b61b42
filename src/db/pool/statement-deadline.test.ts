import { expect, it, afterEach, beforeEach } from "@jest/globals";
import { ConnectionError, StatementTimeoutError } from "../../errors/index.js";
import { lateError, LONGEST_READING_MS, ServerClock } from "./statement-deadline.js";
import { ManualTime } from "../../../test-support/manual-time.js";

it("lateError returns a StatementTimeoutError for a write that was refused near its deadline", () => {
  expect(lateError(new Error("refused"), false, 1_000)).toBeInstanceOf(StatementTimeoutError);
});

it("lateError returns a transient error for a write that was refused early, after the server's clock was changed", () => {
  const error = lateError(new Error("refused"), true, 1_000);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ transient: true });
});

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
