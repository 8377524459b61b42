import { beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { DatabaseError, NotReplicatedError, type PostgresSaverOptions } from "../../src/index.js";
import { until } from "../../test-support/until.js";
import { abortable } from "./bounded/abortable.js";
import type { Stored } from "./bounded/calls.js";
import { rejectionOf } from "./bounded/hung-statements.js";
import { type OpenSaver, OPENINGS } from "./bounded/openings.js";
import { TIMEOUT_MS, useUnreplicatedServer, WRITES } from "./bounded/unreplicated-server.js";

// These tests wait for the ends of calls, so all kinds of savers wait at once, each in a database of its own.
describe("every change whose synchronous standby is lost, on each kind of saver", () => {
  const server = useUnreplicatedServer();
  let urls: string[];
  beforeAll(async () => {
    urls = [];
    for (const index of OPENINGS.keys()) urls.push(await server().createDatabase(`opening_${index}`));
  });
  beforeEach(() => Promise.all(urls.map((url) => server().empty(url))));

  /** Makes a call on each kind of saver. Returns what each was rejected with. */
  async function rejections(
    call: (stored: Stored) => Promise<unknown>,
    options?: PostgresSaverOptions,
    untilEnded: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Record<string, unknown>> {
    const opened = OPENINGS.map(({ open }, index): OpenSaver => open(urls[index] ?? "", options));
    const stored = await Promise.all(opened.map(({ saver }, index) => server().fill(saver, urls[index])));
    await server().standby.lose();
    const rejected = stored.map((each) => rejectionOf(call(each)));
    await untilEnded();
    const errors = await Promise.all(rejected);
    await Promise.all(opened.map(({ close }) => close()));
    return Object.fromEntries(OPENINGS.map(({ on }, index) => [on, errors[index]]));
  }

  const onEach = (expected: unknown) => Object.fromEntries(OPENINGS.map(({ on }) => [on, expected]));

  it.each(WRITES)("is not acknowledged if statementTimeoutMs ends $what", async ({ call }) => {
    const errors = await rejections((stored) => call(stored), { statementTimeoutMs: TIMEOUT_MS });
    expect(errors).toEqual(onEach(expect.any(NotReplicatedError)));
    expect(errors).toEqual(onEach(expect.any(DatabaseError)));
    expect(errors).toMatchObject(onEach({ code: "NOT_REPLICATED", transient: false }));
  });

  it.each(WRITES)("is not acknowledged if an AbortSignal ends $what", async ({ call }) => {
    const { signal, abort } = abortable();
    const errors = await rejections(
      (stored) => call(stored, signal),
      {},
      async () => {
        await until(async () => (await server().standby.countWaiting()) >= OPENINGS.length);
        abort();
      },
    );
    expect(errors).toEqual(onEach(expect.any(NotReplicatedError)));
  });
});
