import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeEach, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { type Logger, PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { ManualTime } from "../../test-support/manual-time.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { beginWatch } from "../../test-support/watches.js";
import { TOO_LONG_MS } from "../../src/telemetry/running-calls.js";
import { Telemetry } from "../../src/telemetry/telemetry.js";
import { itemOperations } from "../../src/store/store-call.js";

const caller = new AsyncLocalStorage<string>();
const CALLERS = ["ada", "bob", "eve"];

/** Who was the caller when a line was logged, with what the line says. */
let logged: (readonly [string | undefined, string])[] = [];
const write = (message: string): void => {
  logged.push([caller.getStore(), message]);
};
const logger: Logger = { info: write, warn: write, error: write };

beforeEach(() => {
  logged = [];
});

describe("the async context of log lines", () => {
  it("is that of the call that waits too long, and goes on (C20)", () => {
    const time = new ManualTime();
    time.start();
    try {
      const telemetry = new Telemetry({ logger, address: () => ({}) });
      const running = CALLERS.map((user) =>
        caller.run(user, () => telemetry.began(itemOperations["store.put"])),
      );
      time.pass(TOO_LONG_MS + 1);
      expect(logged).toEqual(CALLERS.map((user) => [user, "store.put waits too long"]));
      logged = [];
      // One statement answers all of them.
      caller.run("ada", () => {
        for (const call of running) call.moved();
      });
      expect(logged).toEqual(CALLERS.map((user) => [user, "store.put goes on"]));
      for (const call of running) telemetry.ended(call);
    } finally {
      time.stop();
    }
  });

  it("is none where a call sets up for all of them, and each has an error of its own", async () => {
    // Nobody listens at this port.
    const store = new PostgresStore("postgres://postgres@127.0.0.1:1/none", { retry: false, logger });
    const outcomes = await Promise.allSettled(
      CALLERS.map((user) => caller.run(user, () => store.put(["a"], user, { by: user }))),
    );
    const reasons = outcomes.map((outcome) => outcome.status === "rejected" && (outcome.reason as unknown));
    expect(new Set(reasons).size).toBe(CALLERS.length);
    for (const reason of reasons) expect(reason).toMatchObject({ code: "CONNECTION_FAILED" });
    expect(logged).toEqual([[undefined, "store.setup failed"]]);
    await store.end();
  });
});

describeServer("the async context of a pool", (target) => {
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });

  const putAll = (saver: PostgresSaver) =>
    Promise.all(
      CALLERS.map((user) =>
        caller.run(user, () =>
          saver.put(
            threadConfig(user),
            {
              v: 4,
              id: "1f1ebda3-8f42-6bc0-8000-cf73e6978e15",
              ts: "2026-01-01T00:00:00.000Z",
              channel_values: {},
              channel_versions: {},
              versions_seen: {},
            },
            metadataOf(),
            {},
          ),
        ),
      ),
    );

  it("is none where the password is asked for", async () => {
    const database: TestDatabase<string> = await target.migratedDatabase();
    const { user, password, host, port, database: name } = new pg.Client(database.source);
    const asked: unknown[] = [];
    const saver = new PostgresSaver({
      ...(user !== undefined && { user }),
      host,
      port,
      ...(name !== undefined && { database: name }),
      max: 2,
      password: () => {
        asked.push(caller.getStore());
        return password ?? "";
      },
      onConnect: () => {
        asked.push(caller.getStore());
      },
    });
    ends.push(() => saver.end());
    await putAll(saver);
    expect(new Set(asked)).toEqual(new Set([undefined]));
  });

  it("is that of the watch that goes on, although one connection serves several (C20)", async () => {
    const database: TestDatabase<string> = await target.migratedDatabase();
    const saver = new PostgresSaver(database.source, undefined, { notify: true, logger });
    ends.push(() => saver.end());
    const watches = await Promise.all(
      CALLERS.map((user) => caller.run(user, () => beginWatch(saver.watch(user), database, user))),
    );
    logged = [];
    await database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()",
    );
    const next = watches.map((watch, at) => caller.run(CALLERS[at] ?? "", () => watch.next()));
    const resumed = () => logged.filter(([, message]) => message === "watch resumed");
    await until(() => resumed().length >= CALLERS.length);
    expect(resumed().toSorted()).toEqual(CALLERS.map((user) => [user, "watch resumed"]));
    await Promise.all(watches.map((watch) => watch.return(undefined)));
    await Promise.all(next);
  });
});
