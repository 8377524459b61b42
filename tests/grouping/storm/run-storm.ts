import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { PostgresSaver } from "../../../src/index.js";
import type { TestDatabase } from "../../../test-support/targets.js";
import type { Random } from "../../chaos/random.js";
import { type AnyCall, anyCall } from "./any-call.js";
import { anyDisturbance } from "./disturbances.js";

/** A storm of calls. */
export interface Storm {
  readonly random: Random;
  readonly saver: PostgresSaver;
  readonly threads: readonly string[];
  /** How many callers make calls at the same time. */
  readonly callers: number;
  /** How many calls each of them makes. */
  readonly callsEach: number;
  /** Where other sessions disturb the calls. Absent where there are none. */
  readonly disturbed?: TestDatabase;
}

/** What has become of a call. */
export interface SettledCall {
  readonly call: AnyCall;
  /** Absent where it succeeded. */
  readonly error?: unknown;
}

/** Longer than any call takes on a busy machine. */
const NEVER_MS = 60_000;

/**
 * Runs a storm until all of its calls have settled.
 *
 * @throws Error with the calls that never settle.
 */
export async function runStorm(storm: Storm): Promise<readonly SettledCall[]> {
  const pending = new Set<AnyCall>();
  const settled: SettledCall[] = [];
  const make = async (call: AnyCall): Promise<void> => {
    pending.add(call);
    try {
      await call.run();
      settled.push({ call });
    } catch (error) {
      settled.push({ call, error });
    }
    pending.delete(call);
  };
  const calm = new AbortController();
  const disturbing = disturb(storm, calm.signal);
  const all = Array.from({ length: storm.callers }, () => makeCalls(storm, make));
  const never = new AbortController();
  const tooLate = pause(NEVER_MS, undefined, { signal: never.signal }).then(() => {
    const names = [...pending].map(({ name, threadId }) => `${name} on ${threadId}`);
    throw new Error(`${pending.size} calls never settle: ${names.join(", ")}`);
  });
  try {
    await Promise.race([Promise.all(all), tooLate]);
  } finally {
    never.abort();
    tooLate.catch(() => undefined);
    calm.abort();
    await disturbing;
  }
  return settled;
}

/** Calls like a graph, which doesn't await each call before it makes the next one. */
async function makeCalls(
  { random: parent, saver, threads, callsEach }: Storm,
  make: (call: AnyCall) => Promise<void>,
): Promise<void> {
  const random = parent.fork();
  const notAwaited: Promise<void>[] = [];
  for (let count = 0; count < callsEach; count++) {
    const call = anyCall(random, saver, threads);
    const when = call.abort && random.pick(["before", "at once", "next turn", "soon", "later"] as const);
    if (when === "before") call.abort?.();
    const made = make(call);
    if (when === "at once") call.abort?.();
    else if (call.abort !== undefined && when !== "before") void abortLater(call.abort, random, when);
    if (random.chance(0.4)) notAwaited.push(made);
    else await made;
  }
  await Promise.all(notAwaited);
}

async function abortLater(abort: () => void, random: Random, when: string | undefined): Promise<void> {
  if (when === "next turn") await nextTurn();
  else await pause(random.between(0, when === "soon" ? 5 : 60));
  abort();
}

/** Disturbs the calls until the signal aborts. */
async function disturb({ random, threads, disturbed }: Storm, calm: AbortSignal): Promise<void> {
  if (disturbed === undefined) return;
  const own = random.fork();
  while (!calm.aborted) {
    await anyDisturbance(own)(disturbed, own, threads);
    await pause(own.between(0, 20));
  }
}
