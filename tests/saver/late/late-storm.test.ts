import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { CheckpointError, type PostgresSaver } from "../../../src/index.js";
import { newThread, threadConfig } from "../../../test-support/checkpoints.js";
import { runs } from "../../../test-support/runs.js";
import { type DelayedStatements, TcpProxy } from "../../../test-support/tcp-proxy.js";
import { describeServer, type TestDatabase } from "../../../test-support/targets.js";
import { abortable } from "../bounded/abortable.js";
import { Opened } from "../opened.js";
import { deleteThread, put, resume } from "./late-calls.js";

const THREADS = 4;
/** Long enough for calls that are merely slow on a busy machine. */
const TIMEOUT_MS = 1_000;

const KINDS = ["put", "resume", "batch", "prune", "deleteThread"] as const;

function oneInSix<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

function fourInFive<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 4, arbitrary });
}

/** A call, and when its caller aborts it, if at all. */
const anyStep = fc.record({
  kind: fc.constantFrom(...KINDS),
  pauseMs: fc.integer({ min: 0, max: 40 }),
  abortAfterMs: oneInSix(fc.integer({ min: 0, max: 60 })),
});

/** A period in which nothing that was sent arrives. */
const anyStall = fc.record({
  beforeMs: fc.integer({ min: 0, max: 60 }),
  resetAfterMs: fourInFive(fc.integer({ min: 0, max: 30 })),
  arrivesAfterMs: fc.integer({ min: 0, max: 400 }),
});

type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;
type Stall = typeof anyStall extends fc.Arbitrary<infer T> ? T : never;

describeServer("calls over a link that stalls repeatedly", (target) => {
  it("change nothing after they have settled", async () => {
    const database = await target.createDatabase();
    const proxy = await TcpProxy.open(database.source);
    const opened = new Opened();
    const options = { statementTimeoutMs: TIMEOUT_MS };
    const saver = opened.saver(
      { connectionString: proxy.url, max: THREADS, connectionTimeoutMillis: 5_000 },
      options,
    );
    await saver.setup();

    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyStep, { minLength: 8, maxLength: 12 }), {
          minLength: THREADS,
          maxLength: THREADS,
        }),
        fc.array(anyStall, { minLength: 6, maxLength: 10 }),
        async (threads, stalls) => {
          const storm = stallRepeatedly(proxy, stalls);
          const calling = threads.map((steps) => makeCalls({ saver, database }, steps));
          const checks = await Promise.all(calling);
          await storm;
          for (const check of checks) await check();
        },
      ),
      { ...runs(2), endOnFailure: true },
    );
    await opened.end();
    await proxy.close();
  });
});

/**
 * Makes one call after another on a thread. Returns a function that checks that nothing has changed since.
 */
async function makeCalls(
  { saver, database }: { readonly saver: PostgresSaver; readonly database: TestDatabase },
  steps: readonly Step[],
): Promise<() => Promise<void>> {
  const thread = newThread();
  let before = await stateOf(database, thread);
  const expectUnchanged = async (): Promise<void> => {
    expect(await stateOf(database, thread)).toEqual(before);
  };
  for (const [nth, step] of steps.entries()) {
    await sleep(step.pauseMs);
    await expectUnchanged();
    const isDone = await makeCall(saver, thread, step, nth);
    before = await stateOf(database, thread);
    if (isDone) expectDone(before, step, nth);
  }
  return expectUnchanged;
}

/** @returns Whether the call succeeded. */
async function makeCall(
  saver: PostgresSaver,
  thread: string,
  { kind, abortAfterMs }: Step,
  nth: number,
): Promise<boolean> {
  const { signal, abort } = abortable();
  const timer = abortAfterMs === undefined ? undefined : setTimeout(abort, abortAfterMs);
  try {
    await callOf(saver, thread, kind, nth)(signal);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(CheckpointError);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

function callOf(
  saver: PostgresSaver,
  thread: string,
  kind: Step["kind"],
  nth: number,
): (signal: AbortSignal) => Promise<unknown> {
  switch (kind) {
    case "put":
      return (signal) => put(saver, thread)(saver, signal);
    case "resume":
      return (signal) => resume(thread, String(nth))(saver, signal);
    case "deleteThread":
      return (signal) => deleteThread(thread)(saver, signal);
    case "prune":
      return (signal) => saver.prune([thread], { strategy: "delete", signal });
    case "batch":
      return (signal) =>
        saver.batch(
          async (batch) => {
            await batch.deleteThread(thread);
            await batch.putWrites(
              threadConfig(thread, { checkpoint_id: "1" }),
              [["__resume__", String(nth)]],
              "task",
            );
          },
          { signal },
        );
  }
}

/** The rows of a thread. */
interface State {
  readonly checkpoints: readonly string[];
  readonly writes: readonly string[];
}

function expectDone({ checkpoints, writes }: State, { kind }: Step, nth: number): void {
  const text = String(nth);
  // In MessagePack's encoding.
  const value = Buffer.concat([Buffer.of(0xa0 + text.length), Buffer.from(text)]).toString("hex");
  if (kind === "put") expect(checkpoints.length).toBeGreaterThan(0);
  else if (kind === "resume") expect(writes).toEqual([value]);
  else expect({ checkpoints, writes }).toEqual({ checkpoints: [], writes: kind === "batch" ? [value] : [] });
}

async function stateOf(database: TestDatabase, thread: string): Promise<State> {
  const [state] = await database.query<{ checkpoints: string[]; writes: string[] }>(
    `select
       array(select checkpoint_id || md5(checkpoint::text) from checkpoints where thread_id = $1 order by 1) as checkpoints,
       array(select encode(blob, 'hex') from checkpoint_writes where thread_id = $1 order by 1) as writes`,
    [thread],
  );
  return { checkpoints: state?.checkpoints ?? [], writes: state?.writes ?? [] };
}

async function stallRepeatedly(proxy: TcpProxy, stalls: readonly Stall[]): Promise<void> {
  const arriving: Promise<void>[] = [];
  for (const { beforeMs, resetAfterMs, arrivesAfterMs } of stalls) {
    await sleep(beforeMs);
    const statements = proxy.delayStatements();
    if (resetAfterMs !== undefined) {
      await sleep(resetAfterMs);
      statements.resetClients();
    }
    arriving.push(arrive(statements, arrivesAfterMs));
  }
  await Promise.all(arriving);
}

async function arrive(statements: DelayedStatements, afterMs: number): Promise<void> {
  await sleep(afterMs);
  await statements.deliver();
}
