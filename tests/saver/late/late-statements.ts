import { afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import type pg from "pg";
import { AbortError, ConnectionError, PostgresSaver, type PostgresSaverOptions } from "../../../src/index.js";
import { collect, newThread, threadConfig } from "../../../test-support/checkpoints.js";
import { freePort } from "../../../test-support/free-port.js";
import { TcpProxy } from "../../../test-support/tcp-proxy.js";
import { describeServer, type TestDatabase } from "../../../test-support/targets.js";
import { snapshotOf } from "../bad-input/snapshot.js";
import { abortable } from "../bounded/abortable.js";
import { until } from "../../../test-support/until.js";
import { rejectionOf } from "../bounded/hung-statements.js";
import { Opened } from "../opened.js";
import { LATE_CALLS, type LatePair } from "./late-calls.js";
import { busyBackends, waitingBackends, whileWritesWait } from "./waiting-backends.js";

const TIMEOUT_MS = 1_000;
const WRITES = /insert into|delete from/;
const COUNT = LATE_CALLS.length;

/** Opens a saver on connections that this library controls. */
export type OpenSaver = (
  opened: Opened,
  config: pg.PoolConfig,
  options?: PostgresSaverOptions,
) => PostgresSaver;

/** The promise that a statement which arrives late changes nothing, for savers that `open` opens. */
export function describeLateStatements(on: string, open: OpenSaver): void {
  describeServer(`a late statement on ${on}`, (target) => {
    let database: TestDatabase<string>;
    let proxy: TcpProxy;
    let opened: Opened;

    let snapshot: () => Promise<object>;

    beforeAll(async () => {
      database = await target.migratedDatabase();
      snapshot = await snapshotOf(database);
    });
    // The threads of each test are its own.
    beforeEach(async () => {
      proxy = await TcpProxy.open(database.source);
      opened = new Opened();
    });
    afterEach(async () => {
      await opened.end();
      await proxy.close();
    });

    /** Prepares each kind of call on its own thread, and an idle connection for each. */
    async function prepareAll(saver: PostgresSaver): Promise<LatePair[]> {
      const pairs = await Promise.all(LATE_CALLS.map(({ prepare }) => prepare(saver, newThread())));
      const resume = proxy.stall();
      // Lists don't share statements, so each takes a connection.
      const reads = pairs.map(() => collect(saver.list(threadConfig(newThread()))));
      await until(() => proxy.count === COUNT);
      resume();
      await Promise.all(reads);
      return pairs;
    }

    /** Without names, so that it shows in what is sent whether it writes. */
    const connected = (options?: PostgresSaverOptions): PostgresSaver =>
      open(
        opened,
        { connectionString: proxy.url, max: COUNT, connectionTimeoutMillis: 5_000 },
        { prepare: false, ...options },
      );

    /** Makes all late calls, whose statements the proxy holds back, and waits until it holds them all. */
    async function holdLateCalls(saver: PostgresSaver, signal?: AbortSignal) {
      const pairs = await prepareAll(saver);
      const statements = proxy.delayStatements(WRITES);
      const rejections = pairs.map(({ late }) => rejectionOf(late(saver, signal)));
      await until(() => statements.count === COUNT);
      return { pairs, statements, rejections };
    }

    /** Lets the statements arrive that are on their way. */
    async function expectNothingFrom(deliver: () => Promise<void>): Promise<void> {
      const before = await snapshot();
      await deliver();
      expect(await snapshot()).toEqual(before);
    }

    it.each(LATE_CALLS)("is not executed after the retry of its call: $what", async ({ prepare }) => {
      const saver = connected();
      const { late, newer } = await prepare(saver, newThread());
      await saver.getTuple(threadConfig(newThread()));
      const statements = proxy.delayStatements(WRITES);
      const call = late(saver);
      await until(() => statements.count === 1);
      statements.resetClients();
      await call;
      await newer(saver);
      await expectNothingFrom(() => statements.deliver());
    });

    it("is not executed after its call timed out and was retried", async () => {
      const saver = connected({ statementTimeoutMs: TIMEOUT_MS, prepare: true });
      const pairs = await prepareAll(saver);
      const statements = proxy.delayStatements();
      await Promise.all(pairs.map(({ late }) => late(saver)));
      for (const { newer } of pairs) await newer(saver);
      expect(statements.count).toBeGreaterThan(0);
      await expectNothingFrom(() => statements.deliver());
    });

    it("is not executed after its call was aborted", async () => {
      const saver = connected();
      const { signal, abort } = abortable();
      const { pairs, statements, rejections } = await holdLateCalls(saver, signal);
      abort();
      for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(AbortError);
      for (const { newer } of pairs) await newer(saver);
      await expectNothingFrom(() => statements.deliver());
    });

    it("is not executed after its call failed, even if the first connections that would stop it are lost too", async () => {
      const saver = connected({ retry: false });
      const { statements, rejections } = await holdLateCalls(saver);
      proxy.terminateNew(2 * COUNT);
      statements.resetClients();
      for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(ConnectionError);
      await expectNothingFrom(() => statements.deliver());
    });

    it("is not executed after the next call, if the server was unreachable when its call failed", async () => {
      const saver = connected({ retry: false });
      const { pairs, statements, rejections } = await holdLateCalls(saver);
      proxy.switchTo(`tcp://127.0.0.1:${await freePort()}`);
      statements.resetClients();
      for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(ConnectionError);
      proxy.switchTo(database.source);
      for (const { newer } of pairs) await newer(saver);
      await expectNothingFrom(() => statements.deliver());
    });

    it("is refused if it could not be stopped and another process has written", async () => {
      const saver = connected({ retry: false, statementTimeoutMs: TIMEOUT_MS });
      const { pairs, statements, rejections } = await holdLateCalls(saver);
      proxy.switchTo(`tcp://127.0.0.1:${await freePort()}`);
      for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(ConnectionError);
      const other = opened.saver(database.source);
      for (const { newer, newerWaits } of pairs) if (newerWaits !== true) await newer(other);
      await expectNothingFrom(() => statements.deliver());
    });

    it("is refused if it could not be stopped and gets its lock after the deadline", async () => {
      const saver = connected({ retry: false, statementTimeoutMs: TIMEOUT_MS });
      const pairs = await prepareAll(saver);
      const before = await snapshot();
      const resume = await whileWritesWait(database, async () => {
        const rejections = pairs.map(({ late }) => rejectionOf(late(saver)));
        await until(async () => (await waitingBackends(database)).length === COUNT);
        const resume = proxy.stall();
        for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(ConnectionError);
        expect(await waitingBackends(database)).toHaveLength(COUNT);
        return resume;
      });
      await until(async () => (await busyBackends(database)).length === 0);
      expect(await snapshot()).toEqual(before);
      resume();
    });

    it("no longer waits for a lock when its call is retried", async () => {
      const saver = connected();
      const pairs = await prepareAll(saver);
      const calls = await whileWritesWait(database, async () => {
        const calls = pairs.map(({ late }) => late(saver));
        let first: readonly number[] = [];
        await until(async () => (first = await waitingBackends(database)).length === COUNT);
        proxy.resetAll();
        let then: readonly number[] = [];
        await until(async () => {
          then = await waitingBackends(database);
          return then.filter((pid) => !first.includes(pid)).length === COUNT;
        });
        expect(then).toHaveLength(COUNT);
        return { done: Promise.all(calls) };
      });
      await calls.done;
    });

    it("no longer waits for a lock when its call has failed", async () => {
      const saver = connected({ retry: false });
      const pairs = await prepareAll(saver);
      const before = await snapshot();
      await whileWritesWait(database, async () => {
        const rejections = pairs.map(({ late }) => rejectionOf(late(saver)));
        await until(async () => (await waitingBackends(database)).length === COUNT);
        proxy.resetAll();
        for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(ConnectionError);
        expect(await waitingBackends(database)).toEqual([]);
      });
      expect(await snapshot()).toEqual(before);
    });
  });
}
