import { setTimeout as sleep } from "node:timers/promises";
import type { Report } from "../../examples/service/load/tally.js";
import type { Fault } from "../chaos/faults/fault.js";
import { untilTimeIsUp } from "../chaos/run/schedule.js";
import { type LoadProcess, startLoad } from "./load-process.js";
import { MemoryWatch } from "./memory-watch.js";
import type { ServiceArguments } from "./parse-arguments.js";
import { faultsNamed, pauseOf, redeployOf } from "./service-faults.js";
import { KEEP_LAST, openServiceStage, type ServiceStage } from "./service-stage.js";

/** What a run has found. */
export interface ServiceRun {
  readonly faults: number;
  readonly report: Report;
  /** The smallest heap of the process that was not killed, in each tenth of the time, in megabytes. */
  readonly heapMb: readonly number[];
  /** How many threads have as few checkpoints as retention leaves. It is bounded, and each fault ends its round. */
  readonly prunedThreads: number;
  /** All that must not be: empty for a run that has kept every promise. */
  readonly failures: readonly string[];
}

/** How long a user may wait for a turn, whatever happens meanwhile. */
const BOUND_S = 20;
/** How much the heap may grow after the first three tenths of the time, in which code is loaded and compiled. */
const HEAP_GROWTH_MB = 8;
const WARM_TENTHS = 3;
/** Retention begins within a minute. */
const RETENTION_MINUTES = 5;
/** A pause after a fault, in which users go on. */
const CALM_MS = [2_000, 5_000] as const;

/** Puts two processes of the example under load, and injects one fault after the other. */
export async function runService(
  { minutes, users, only, seed }: ServiceArguments,
  onProgress: (text: string) => void,
): Promise<ServiceRun> {
  const stage = await openServiceStage(seed);
  const { steady, mortal, installed } = stage;
  const urls = [steady, mortal].flatMap(({ url }) => ["--url", url]);
  const times = ["--seconds", String(minutes * 60), "--bound", String(BOUND_S)];
  const load = startLoad(installed.path("load/main.js"), [...urls, "--users", String(users), ...times]);
  const memory = new MemoryWatch(steady);
  try {
    const own = [pauseOf([steady, mortal]), redeployOf(mortal)];
    const faults = await sufferAll(
      stage,
      untilTimeIsUp(stage.random, minutes * 60_000, faultsNamed(only, own)),
      onProgress,
    );
    return { faults, ...(await judge(stage, load, memory, minutes)) };
  } finally {
    await memory.stop();
    load.kill();
    await stage.close();
  }
}

async function sufferAll(
  stage: ServiceStage,
  faults: Iterable<Fault>,
  onProgress: (text: string) => void,
): Promise<number> {
  let count = 0;
  for (const fault of faults) {
    onProgress(`${new Date().toISOString()} ${fault.name}`);
    const tidyUp = await fault.inject(stage);
    await sleep(stage.random.between(...CALM_MS));
    tidyUp?.();
    count++;
  }
  return count;
}

async function judge(
  { admin, steady, mortal }: ServiceStage,
  load: LoadProcess,
  memory: MemoryWatch,
  minutes: number,
): Promise<Omit<ServiceRun, "faults">> {
  const report = await load.report;
  await memory.stop();
  const heapMb = memory.floors();
  const codes = await Promise.all([steady, mortal].map((service) => service.end("SIGTERM")));
  const [{ pruned } = { pruned: 0 }] = await admin.query<{ pruned: number }>(
    "select count(*)::integer as pruned from (select from checkpoints group by thread_id having count(*) <= $1) as threads",
    [KEEP_LAST],
  );
  const failures = [
    ...report.findings,
    ...[...steady.exits, ...mortal.exits].map((exit) => `unexpected end of a process: ${exit}`),
    ...codes.filter((code) => code !== 0).map((code) => `exit code ${code ?? "?"} after SIGTERM`),
    ...growthIn(heapMb),
    // Each user's last thread has few checkpoints by itself.
    ...(minutes >= RETENTION_MINUTES && pruned <= 2 * report.users ? ["retention has pruned no thread"] : []),
  ];
  return { report, heapMb, prunedThreads: pruned, failures };
}

function growthIn(heapMb: readonly number[]): string[] {
  const growth = (heapMb.at(-1) ?? 0) - (heapMb[WARM_TENTHS - 1] ?? 0);
  return growth <= HEAP_GROWTH_MB ? [] : [`the heap has grown by ${growth} MB: ${heapMb.join(", ")}`];
}
