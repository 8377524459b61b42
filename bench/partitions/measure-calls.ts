import { readFile } from "node:fs/promises";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { summarize, type Summary } from "../measure/statistics.js";
import { takeTurns, timed } from "../measure/take-turns.js";
import { changedValue, type Contestant } from "./contestants.js";
import { type Amount, threadIdOf } from "./fill-threads.js";

/** The times of a call on each layout, in the order of the contestants. */
export interface CallResult {
  readonly call: string;
  readonly times: readonly Summary[];
  /** The processor time of the backend, which other work on the machine changes less. */
  readonly serverCpu: readonly Summary[];
}

type Saver = Contestant["saver"];

interface MeasuredCall {
  readonly name: string;
  readonly rounds: { readonly quick: number; readonly full: number };
  /** Prepares a call of a thread, and returns what is timed. */
  readonly prepare: (saver: Saver, thread: string) => Promise<() => Promise<unknown>>;
}

const now = (call: () => Promise<unknown>) => Promise.resolve(call);
const OFTEN = { quick: 3, full: 400 };
const SELDOM = { quick: 2, full: 40 };

// What deletes threads comes last, and each call has a thread of its own.
const CALLS: readonly MeasuredCall[] = [
  {
    name: "`put`",
    rounds: OFTEN,
    prepare: async (saver, thread) => {
      const { config, checkpoint } = await newest(saver, thread);
      return () => putValues(saver, config, { changing: changedValue(3) }, checkpoint);
    },
  },
  {
    name: "`putWrites`",
    rounds: OFTEN,
    prepare: async (saver, thread) => {
      const { config } = await newest(saver, thread);
      return () => saver.putWrites(config, [["changing", changedValue(4)]], newThread());
    },
  },
  { name: "`getTuple`", rounds: OFTEN, prepare: (saver, thread) => now(() => newest(saver, thread)) },
  {
    name: "`prune` of one thread",
    rounds: SELDOM,
    prepare: (saver, thread) => now(() => saver.prune([thread])),
  },
  {
    name: "`deleteThread`",
    rounds: SELDOM,
    prepare: (saver, thread) => now(() => saver.deleteThread(thread)),
  },
  {
    name: "`listThreads`, 100 of all",
    rounds: { quick: 1, full: 10 },
    prepare: (saver) => now(() => saver.listThreads({ limit: 100 })),
  },
];

async function newest(saver: Saver, thread: string): Promise<CheckpointTuple> {
  const tuple = await saver.getTuple(threadConfig(thread));
  if (tuple === undefined) throw new Error(`thread ${thread} has no checkpoint`);
  return tuple;
}

/** Measures calls of the same threads on all contestants in turns. */
export async function measureCalls(
  contestants: readonly Contestant[],
  { threads }: Amount,
  kind: "quick" | "full",
): Promise<CallResult[]> {
  const results: CallResult[] = [];
  const inTurn = threadsInRandomOrder(threads);
  for (const { name, rounds, prepare } of CALLS) {
    const times = contestants.map((): number[] => []);
    const serverCpu = contestants.map((): number[] => []);
    const chosen = Array.from({ length: rounds[kind] }, inTurn);
    const turns = contestants.map(({ saver, backend }, index) => {
      let round = 0;
      return async () => {
        const call = await prepare(saver, chosen[round++] ?? "");
        const before = await cpuMs(backend);
        times[index]?.push(await timed(call));
        serverCpu[index]?.push((await cpuMs(backend)) - before);
      };
    });
    await takeTurns(turns, rounds[kind]);
    results.push({
      call: name,
      times: times.map((of) => summarize(of)),
      serverCpu: serverCpu.map((of) => summarize(of)),
    });
  }
  return results;
}

/** The processor time of a process on this machine, in milliseconds. The first number of the file is nanoseconds. */
async function cpuMs(pid: number): Promise<number> {
  const [nanoseconds] = (await readFile(`/proc/${pid}/schedstat`, "utf8")).split(" ");
  return Number(nanoseconds) / 1e6;
}

/** Returns another thread each time, so that pages come from everywhere in the tables. The step has no factor in common with the number of threads. */
function threadsInRandomOrder(threads: number): () => string {
  const step = 7_919;
  let at = 0;
  return () => threadIdOf(((at += step) % threads) + 1);
}
