import { setTimeout as sleep } from "node:timers/promises";
import { PostgresSaver } from "../../../src/index.js";
import { check, type Finding } from "../checker/check.js";
import { History } from "../checker/history.js";
import { readSnapshot } from "../checker/read-snapshot.js";
import { nowMs } from "../clock.js";
import type { Fault } from "../faults/fault.js";
import type { JournalEntry } from "../journal/entry.js";
import { type ChaosOptions, RESUME_MS } from "./chaos-options.js";
import { JournalWatch, type Resumption } from "./journal-watch.js";
import { openStage, type Stage } from "./scene.js";

/** A fault, and how the load resumed. Times are those of the journal. */
export interface Incident {
  readonly fault: string;
  readonly beganAt: number;
  /** The time from which the saver could work again. */
  readonly returnedAt: number;
  /** Undefined if the load never resumed. */
  readonly resumption: Resumption | undefined;
  /** How many unexpected exits the process of the load had in the meantime. */
  readonly exits: number;
}

/** The result of a run. */
export interface ChaosRun {
  readonly incidents: readonly Incident[];
  readonly findings: readonly Finding[];
  readonly entries: readonly JournalEntry[];
  /** The unexpected exits of the process. */
  readonly exits: readonly string[];
  /** Whether all calls ended in time when the load stopped. */
  readonly hasStopped: boolean;
  /** The number of checkpoints at the end. */
  readonly checkpoints: number;
  /** The number of values that were stored as splices at the end. */
  readonly splices: number;
}

const GIVE_UP_MS = 4 * RESUME_MS;
const CALM_MS = 200;

/** Puts a saver under load, injects faults, and compares the acknowledged calls with the contents of the database. */
export async function runChaos(options: ChaosOptions): Promise<ChaosRun> {
  const stage = await openStage(options);
  try {
    const watch = new JournalWatch(stage.journal, stage.settings.slots);
    const { giveUpMs = GIVE_UP_MS } = options;
    await stage.client.start();
    if ((await watch.untilResumed(nowMs(), giveUpMs)) === undefined) {
      throw new Error(`the load did not start: ${stage.client.exits.join("\n")}`);
    }
    const incidents: Incident[] = [];
    for (const fault of options.faults(stage.random)) {
      const incident = await suffer(fault, stage, (since) => watch.untilResumed(since, giveUpMs));
      incidents.push(incident);
      options.onProgress?.(describe(incident));
    }
    const hasStopped = await stage.client.stop();
    watch.catchUp();
    return { incidents, hasStopped, exits: stage.client.exits, ...(await judge(stage, watch.entries)) };
  } finally {
    await stage.close();
  }
}

async function suffer(
  fault: Fault,
  stage: Stage,
  untilResumed: (since: number) => Promise<Resumption | undefined>,
): Promise<Incident> {
  const { exits } = stage.client;
  const exitsBefore = exits.length;
  const beganAt = nowMs();
  const tidyUp = await fault.inject(stage);
  const returnedAt = nowMs();
  const resumption = await untilResumed(returnedAt);
  tidyUp?.();
  await sleep(stage.random.between(CALM_MS, stage.calmMs));
  return { fault: fault.name, beganAt, returnedAt, resumption, exits: exits.length - exitsBefore };
}

async function judge(
  { admin, directUrl }: Stage,
  entries: readonly JournalEntry[],
): Promise<Pick<ChaosRun, "findings" | "entries" | "checkpoints" | "splices">> {
  await using reader = PostgresSaver.fromConnString(directUrl);
  const snapshot = await readSnapshot(reader, admin);
  const checkpoints = [...snapshot.tuples.values()].reduce((sum, tuples) => sum + tuples.length, 0);
  const [{ splices } = { splices: 0 }] = await admin.query<{ splices: number }>(
    "select count(*)::integer as splices from checkpoint_blobs where base is not null",
  );
  return { entries, checkpoints, splices, findings: check(History.of(entries), snapshot) };
}

function describe({ fault, resumption, beganAt, returnedAt }: Incident): string {
  const took = Math.round(returnedAt - beganAt);
  if (resumption === undefined) return `${fault}: ${took} ms; NOT resumed`;
  return `${fault}: ${took} ms; resumed after ${Math.round(resumption.firstMs)} to ${Math.round(resumption.allMs)} ms`;
}
