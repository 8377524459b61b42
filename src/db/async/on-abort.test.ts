import { getEventListeners } from "node:events";
import { expect, it } from "@jest/globals";
import { joinSignals } from "./on-abort.js";

it("joined signals abort with the reason of the first one, also if it aborted before", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const { signal } = joinSignals([one.signal, undefined, other.signal]);
  other.abort("first");
  one.abort("second");
  expect([signal.aborted, signal.reason]).toEqual([true, "first"]);
  expect(joinSignals([one.signal, new AbortController().signal]).signal.reason).toBe("second");
});

it("joined signals leave nothing on a signal that lives on", () => {
  const longLived = new AbortController();
  const { signal, release } = joinSignals([longLived.signal]);
  expect(getEventListeners(longLived.signal, "abort")).toHaveLength(1);
  release();
  expect(getEventListeners(longLived.signal, "abort")).toEqual([]);
  longLived.abort();
  expect(signal.aborted).toBe(false);
});
