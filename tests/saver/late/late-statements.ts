import { expect, it } from "@jest/globals";
import { AbortError, ConnectionError } from "../../../src/index.js";
import { newThread, threadConfig } from "../../../test-support/checkpoints.js";
import { freePort } from "../../../test-support/free-port.js";
import { describeServer } from "../../../test-support/targets.js";
import { until } from "../../../test-support/until.js";
import { abortable } from "../bounded/abortable.js";
import { COUNT, type Openings, useHeldCalls } from "./held-calls.js";
import { LATE_CALLS } from "./late-calls.js";

const TIMEOUT_MS = 1_000;

/** The promise that a statement which arrives late changes nothing, for savers that `openings` open. */
export function describeLateStatements(openings: Openings): void {
  describeServer("a late statement", (target) => {
    const onEachPool = useHeldCalls(target, openings);

    it.each(LATE_CALLS)("is not executed after the retry of its call: $what", ({ prepare }) =>
      onEachPool(async (held) => {
        const saver = held.connected();
        const { late, newer } = await prepare(saver, newThread());
        await saver.getTuple(threadConfig(newThread()));
        const statements = held.holdWrites();
        const call = late(saver);
        await until(() => statements.count === 1);
        statements.resetClients();
        await call;
        await newer(saver);
        await held.expectNothingFrom(() => statements.deliver());
      }),
    );

    it("is not executed after its call timed out and was retried", () =>
      onEachPool(async (held) => {
        const saver = held.connected({ statementTimeoutMs: TIMEOUT_MS, prepare: true });
        const pairs = await held.prepareAll(saver);
        const statements = held.proxy.delayStatements();
        await Promise.all(pairs.map(({ late }) => late(saver)));
        for (const { newer } of pairs) await newer(saver);
        expect(statements.count).toBeGreaterThan(0);
        await held.expectNothingFrom(() => statements.deliver());
      }));

    it("is not executed after its call was aborted", () =>
      onEachPool(async (held) => {
        const saver = held.connected();
        const { signal, abort } = abortable();
        const { pairs, statements, rejections } = await held.holdAll(saver, signal);
        abort();
        for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(AbortError);
        for (const { newer } of pairs) await newer(saver);
        await held.expectNothingFrom(() => statements.deliver());
      }));

    it("is not executed after its call failed, even if the first connections that would stop it are lost too", () =>
      onEachPool(async (held) => {
        const saver = held.connected({ retry: false });
        const { statements, rejections } = await held.holdAll(saver);
        held.proxy.terminateNew(2 * COUNT);
        statements.resetClients();
        for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(ConnectionError);
        await held.expectNothingFrom(() => statements.deliver());
      }));

    it("is not executed after the next call, if the server was unreachable when its call failed", () =>
      onEachPool(async (held) => {
        const saver = held.connected({ retry: false });
        const { pairs, statements, rejections } = await held.holdAll(saver);
        held.proxy.switchTo(`tcp://127.0.0.1:${await freePort()}`);
        statements.resetClients();
        for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(ConnectionError);
        held.proxy.switchTo(held.database.source);
        for (const { newer } of pairs) await newer(saver);
        await held.expectNothingFrom(() => statements.deliver());
      }));
  });
}
