import { describe, expect, it } from "@jest/globals";
import { CircuitBreaker } from "./guarded-calls.js";

const failure = new Error("no answer");

function breakerAt(start: number) {
  const clock = { now: start };
  return { clock, breaker: new CircuitBreaker({ retryAfterMs: 100, now: () => clock.now }) };
}

describe("a circuit breaker", () => {
  it("lets calls pass until one fails", () => {
    const { breaker } = breakerAt(0);
    expect([breaker.admit(), breaker.admit()]).toEqual(["call", "call"]);
    breaker.failed(failure);
    expect(breaker.failure).toBe(failure);
    expect([breaker.admit(), breaker.admit()]).toEqual(["leave out", "leave out"]);
  });

  it("lets one call try again after the time, and the next one after as long again", () => {
    const { breaker, clock } = breakerAt(0);
    breaker.failed(failure);
    clock.now = 99;
    expect(breaker.admit()).toBe("leave out");
    clock.now = 100;
    expect([breaker.admit(), breaker.admit()]).toEqual(["try", "leave out"]);
    breaker.failed(failure);
    clock.now = 199;
    expect(breaker.admit()).toBe("leave out");
    clock.now = 200;
    expect(breaker.admit()).toBe("try");
    breaker.succeeded();
    expect([breaker.failure, breaker.admit()]).toEqual([undefined, "call"]);
  });
});
