import { afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { Annotation, Command, END, INTERRUPT, interrupt, START, StateGraph } from "@langchain/langgraph";
import { AbortError, PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { collect, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { IS_LONG } from "../../test-support/runs.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { beginWatch, nextYieldedId } from "../../test-support/watches.js";
import { snapshotOf } from "../saver/bad-input/snapshot.js";
import { abortable } from "../saver/bounded/abortable.js";
import { CALLS } from "../saver/bounded/calls.js";
import { countHung, rejectionOf, untilHung, whileHeld } from "../saver/bounded/hung-statements.js";
import { type Driver, type Way, waysOf } from "./driver.js";
import { describeEveryFeature, type OpenedSource } from "./every-feature.js";

/** More than one read of a socket returns, and any frame of a WebSocket holds. */
const MEGABYTE = 2 ** 20;

/** Some calls that differ in how they are sent. The others are made by `npm run test:long`. */
const SOME_CALLS = new Set(["getTuple", "putWrites", "a batch of one transaction"]);

/**
 * Defines tests of savers and stores on connections of a driver.
 *
 * @param ways - Default: on a pool, and on a Kysely that has one.
 */
export function describeDriver(driver: Driver, ways: readonly Way[] = waysOf(driver)): void {
  for (const way of ways) {
    describeServer(`a saver on ${way.on}`, (target) => {
      let database: TestDatabase<string>;
      let opened: OpenedSource;
      const openSaver = (options?: PostgresSaverOptions): PostgresSaver =>
        new PostgresSaver(opened.source, undefined, options);

      beforeAll(async () => {
        database = await target.sharedDatabase();
      });
      beforeEach(() => {
        opened = way.open(database.source);
      });
      afterEach(() => opened.close());

      it("runs an agent that is interrupted, resumed and forked, remembers, and forgets its thread", async () => {
        await runAgent(openSaver(), new PostgresStore(opened.source, { schema: "remembered" }));
      });

      it("stores all of what many threads store at once, large values too", async () => {
        const saver = openSaver();
        const bytes = Buffer.alloc(
          MEGABYTE,
          Uint8Array.from({ length: 251 }, (_, index) => index),
        );
        const values = Array.from({ length: 40 }, (_, index) =>
          index === 0 ? "ü".repeat(MEGABYTE) : `value ${index}`,
        );
        const read = await Promise.all(
          values.map(async (value, index) => {
            const stored = { value, bytes: index === 1 ? bytes : Buffer.from([0, 255]) };
            const { config } = await putValues(saver, threadConfig(newThread()), stored);
            await saver.putWrites(config, [["value", value]], "task");
            return saver.getTuple(config);
          }),
        );
        expect(read.map((tuple) => tuple?.checkpoint.channel_values.value)).toEqual(values);
        expect(read.map((tuple) => tuple?.pendingWrites?.[0]?.[2])).toEqual(values);
        const [, large, small] = read.map((tuple) => tuple?.checkpoint.channel_values.bytes as Uint8Array);
        expect(bytes.equals(large ?? Buffer.alloc(0))).toBe(true);
        expect(small).toEqual(new Uint8Array([0, 255]));
      });

      it.each(CALLS.filter(({ what }) => IS_LONG || SOME_CALLS.has(what)))(
        "ends a call on the server when its signal aborts, and changes nothing then: $what",
        async ({ call }) => {
          const saver = openSaver();
          const { config, checkpoint } = await putValues(saver, threadConfig("stored"), { a: ["kept"] });
          await saver.putWrites(config, [["a", "kept"]], "task");
          const stored = { saver, config, checkpoint };
          const before = await (await snapshotOf(database))();
          const { signal, abort } = abortable();
          await whileHeld(database, async () => {
            const rejection = rejectionOf(call(stored, signal));
            await untilHung(database);
            abort();
            expect(await rejection).toBeInstanceOf(AbortError);
            expect(await countHung(database)).toBe(0);
          });
          expect(await (await snapshotOf(database))()).toEqual(before);
          await expect(call(stored)).resolves.not.toThrow();
        },
      );

      it("repeats a call whose backend is terminated, and waits no longer for a server that is gone", async () => {
        const saver = openSaver();
        const { config } = await putValues(saver, threadConfig(newThread()), { a: [1] });
        const reads = await whileHeld(database, async () => {
          const pending = [saver.getTuple(config), saver.getTuple(config)];
          await untilHung(database, pending.length);
          await database.exec(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          );
          return { pending };
        });
        for (const tuple of await Promise.all(reads.pending))
          expect(tuple?.checkpoint.channel_values).toEqual({ a: [1] });
        const unreachable = way.open("postgres://postgres@127.0.0.1:1/none");
        await expect(
          new PostgresSaver(unreachable.source, undefined, { retry: false }).getTuple(config),
        ).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
        await unreachable.close();
      });

      it("repeats a call whose connection is reset", async () => {
        const proxy = await TcpProxy.open(database.source);
        const proxied = way.open(proxy.url);
        const saver = new PostgresSaver(proxied.source);
        const { config } = await putValues(saver, threadConfig(newThread()), { a: [1] });
        const read = await whileHeld(database, async () => {
          const pending = saver.getTuple(config);
          await untilHung(database);
          proxy.resetAll();
          return { pending };
        });
        expect((await read.pending)?.checkpoint.channel_values).toEqual({ a: [1] });
        await proxied.close();
        await proxy.close();
      });

      if (IS_LONG)
        it("waits no longer than `statementTimeoutMs` for a connection that became silent, and repeats the call", async () => {
          const proxy = await TcpProxy.open(database.source);
          const proxied = way.open(proxy.url);
          const saver = new PostgresSaver(proxied.source, undefined, { statementTimeoutMs: 1_000 });
          const { config } = await putValues(saver, threadConfig(newThread()), { a: [1] });
          const resetSilent = proxy.blackHole();
          expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: [1] });
          resetSilent();
          expect(await saver.getTuple(config)).toBeDefined();
          await proxied.close();
          await proxy.close();
        });

      it("holds the lock of a thread, and another saver waits for it", async () => {
        const [thread, steps] = [newThread(), [] as string[]];
        const hold = (saver: PostgresSaver, name: string): Promise<void> =>
          saver.withThreadLock(thread, async () => {
            steps.push(`${name} begins`);
            await saver.getTuple(threadConfig(thread));
            steps.push(`${name} ends`);
          });
        await using other = new PostgresSaver(database.source);
        await Promise.all([hold(openSaver(), "a"), hold(other, "b")]);
        expect(steps.map((step) => step.slice(0, 1)).join("")).toMatch(/^(aabb|bbaa)$/);
      });

      describeWatch(way, () => ({ database, opened }));
    });

    if (IS_LONG)
      describeServer(`everything on ${way.on}`, (target) => {
        describeEveryFeature(target, way.open, way.refused);
      });
  }
}

function describeWatch(
  { refused }: Way,
  use: () => { database: TestDatabase<string>; opened: OpenedSource },
): void {
  if (refused.includes("watch")) {
    it("can't be watched, and says so", async () => {
      const saver = new PostgresSaver(use().opened.source);
      await expect(saver.watch(newThread()).next()).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    });
    return;
  }
  it("is notified of what it watches", async () => {
    const { database, opened } = use();
    const thread = newThread();
    const saver = new PostgresSaver(opened.source, undefined, { notify: true });
    const watch = await beginWatch(saver.watch(thread), database, thread);
    const next = nextYieldedId(watch);
    const { checkpoint } = await putValues(saver, threadConfig(thread), {});
    expect(await next).toBe(checkpoint.id);
    await watch.return(undefined);
  });
}

/** Runs an agent, and expects it to see what it stored. */
export async function runAgent(saver: PostgresSaver, store: PostgresStore): Promise<void> {
  await saver.setup();
  const State = Annotation.Root({
    log: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
  });
  const graph = new StateGraph(State)
    .addNode("ask", () => ({ log: [`ask: ${String(interrupt("ask?"))}`] }))
    .addNode("remember", async (_state, { store: memory }) => {
      await memory?.put(["notes"], "one", { text: "größer", sizes: [1, 2], none: null });
      return { log: ["remember"] };
    })
    .addEdge(START, "ask")
    .addEdge("ask", "remember")
    .addEdge("remember", END)
    .compile({ checkpointer: saver, store });
  const id = newThread();
  const thread = threadConfig(id);

  expect(await graph.invoke({ log: ["in"] }, thread)).toMatchObject({ [INTERRUPT]: [{ value: "ask?" }] });
  const asked = await graph.getState(thread);
  expect(asked.next).toEqual(["ask"]);
  const resumed = await graph.invoke(new Command({ resume: "yes" }), thread);
  expect(resumed).toEqual({ log: ["in", "ask: yes", "remember"] });
  const fork = await graph.updateState(asked.config, { log: ["forked"] }, "ask");
  expect((await graph.invoke(null, fork)).log).toEqual(["in", "forked", "remember"]);
  expect((await collect(graph.getStateHistory(thread))).length).toBeGreaterThan(4);

  expect((await store.get(["notes"], "one"))?.value).toEqual({ text: "größer", sizes: [1, 2], none: null });
  expect(await store.search(["notes"], { filter: { text: "größer" } })).toMatchObject([{ key: "one" }]);
  await store.delete(["notes"], "one");
  expect(await store.get(["notes"], "one")).toBeNull();

  await saver.deleteThread(id);
  expect(await saver.getTuple(thread)).toBeUndefined();
}
