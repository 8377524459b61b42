import { expect, it } from "@jest/globals";
import { ConnectionError } from "../../../src/index.js";
import { freePort } from "../../../test-support/free-port.js";
import { describeServer } from "../../../test-support/targets.js";
import { until } from "../../../test-support/until.js";
import { rejectionOf } from "../bounded/hung-statements.js";
import { COUNT, POOLS, useHeldCalls } from "./held-calls.js";
import { busyBackends, waitingBackends, whileWritesWait } from "./waiting-backends.js";

const TIMEOUT_MS = 1_000;

describeServer("a statement of an ended call", (target) => {
  const onEachPool = useHeldCalls(target, POOLS);

  it("is refused if it could not be stopped and another process has written", () =>
    onEachPool(async (held) => {
      const saver = held.connected({ retry: false, statementTimeoutMs: TIMEOUT_MS });
      const { pairs, statements, rejections } = await held.holdAll(saver);
      held.proxy.switchTo(`tcp://127.0.0.1:${await freePort()}`);
      for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(ConnectionError);
      const other = held.opened.saver(held.database.source);
      for (const { newer, newerWaits } of pairs) if (newerWaits !== true) await newer(other);
      await held.expectNothingFrom(() => statements.deliver());
    }));

  it("is refused if it could not be stopped and gets its lock after the deadline", () =>
    onEachPool(async (held) => {
      const saver = held.connected({ retry: false, statementTimeoutMs: TIMEOUT_MS });
      const pairs = await held.prepareAll(saver);
      const before = await held.snapshot();
      const resume = await whileWritesWait(held.database, async () => {
        const rejections = pairs.map(({ late }) => rejectionOf(late(saver)));
        await until(async () => (await waitingBackends(held.database)).length === COUNT);
        const resume = held.proxy.stall();
        for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(ConnectionError);
        expect(await waitingBackends(held.database)).toHaveLength(COUNT);
        return resume;
      });
      await until(async () => (await busyBackends(held.database)).length === 0);
      expect(await held.snapshot()).toEqual(before);
      resume();
    }));

  it("no longer waits for a lock when its call is retried", () =>
    onEachPool(async (held) => {
      const saver = held.connected();
      const pairs = await held.prepareAll(saver);
      const calls = await whileWritesWait(held.database, async () => {
        const calls = pairs.map(({ late }) => late(saver));
        let first: readonly number[] = [];
        await until(async () => (first = await waitingBackends(held.database)).length === COUNT);
        held.proxy.resetAll();
        let then: readonly number[] = [];
        await until(async () => {
          then = await waitingBackends(held.database);
          return then.filter((pid) => !first.includes(pid)).length === COUNT;
        });
        expect(then).toHaveLength(COUNT);
        return { done: Promise.all(calls) };
      });
      await calls.done;
    }));

  it("no longer waits for a lock when its call has failed", () =>
    onEachPool(async (held) => {
      const saver = held.connected({ retry: false });
      const pairs = await held.prepareAll(saver);
      const before = await held.snapshot();
      await whileWritesWait(held.database, async () => {
        const rejections = pairs.map(({ late }) => rejectionOf(late(saver)));
        await until(async () => (await waitingBackends(held.database)).length === COUNT);
        held.proxy.resetAll();
        for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(ConnectionError);
        expect(await waitingBackends(held.database)).toEqual([]);
      });
      expect(await held.snapshot()).toEqual(before);
    }));
});
