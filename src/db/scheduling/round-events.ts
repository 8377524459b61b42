import { defineInstruments } from "../../telemetry/instruments.js";
import type { Telemetry } from "../../telemetry/telemetry.js";

/** What a round of work that runs by itself has done. */
export interface RoundReport {
  /** The name of the work. */
  readonly task: string;
  /** `skipped`: another process does the work. */
  readonly outcome: "done" | "failed" | "stopped" | "skipped";
  /** Deleted rows. */
  readonly rows: number;
  readonly seconds: number;
}

/** From a tenth of a second to a day. */
const ROUND_BOUNDS = [0.1, 1, 10, 60, 300, 900, 3_600, 14_400, 86_400];

const roundInstruments = defineInstruments((meter) => ({
  duration: meter.createHistogram("langgraph.checkpoint.retention.duration", {
    description:
      "Duration of rounds of retention and sweeps, by outcome: done, failed, stopped, or skipped, as another process does the work.",
    unit: "s",
    advice: { explicitBucketBoundaries: ROUND_BOUNDS },
  }),
  rows: meter.createCounter("langgraph.checkpoint.retention.rows", {
    description: "Rows that rounds of retention and sweeps have deleted.",
    unit: "{row}",
  }),
  started: meter.createGauge("langgraph.checkpoint.retention.started", {
    description: "When this process has begun its rounds of retention or sweeps, since 1970.",
    unit: "s",
  }),
  success: meter.createGauge("langgraph.checkpoint.retention.last_success", {
    description: "When this process has last completed a round of retention or a sweep, since 1970.",
    unit: "s",
  }),
}));

/**
 * Reports that a process has rounds, and since when. Without it, nobody could tell rounds that never succeed from a process that has none.
 *
 * @param task - The name of the work.
 */
export function reportRoundsSince(task: string, since: Date): void {
  roundInstruments()?.started.record(since.getTime() / 1_000, { "db.operation.name": task });
}

/** Reports a round to metrics, and to the log where it has deleted something. Its failure is logged as that of its call. */
export function reportRound(
  telemetry: Telemetry | undefined,
  { task, outcome, rows, seconds }: RoundReport,
): void {
  const instruments = roundInstruments();
  const operation = { "db.operation.name": task };
  instruments?.duration.record(seconds, { ...operation, "langgraph.checkpoint.outcome": outcome });
  if (rows > 0) instruments?.rows.add(rows, operation);
  if (outcome === "done") instruments?.success.record(Date.now() / 1_000, operation);
  const fields = { operation: task, rows, durationMs: Math.round(seconds * 1_000) };
  if (outcome === "skipped") telemetry?.report("debug", `${task} runs in another process`, { fields });
  else if (rows > 0) telemetry?.report("info", `${task} has deleted rows`, { fields });
}

/** Reports that a round waits for a replica, or continues. */
export function reportRoundLag(
  telemetry: Telemetry | undefined,
  task: string,
  state: "behind" | "caught up",
  lagMs: number,
): void {
  const details = { fields: { operation: task, lagMs: Math.round(lagMs) } };
  if (state === "behind") telemetry?.report("warn", `${task} pauses: a replica is behind`, details);
  else telemetry?.report("info", `${task} continues: the replicas have caught up`, details);
}

const reportedHiddenLag = new WeakSet<Telemetry>();

/** Reports, once, that the role may not see how far replicas are behind. */
export function reportHiddenLag(telemetry: Telemetry | undefined): void {
  if (telemetry === undefined || reportedHiddenLag.has(telemetry)) return;
  reportedHiddenLag.add(telemetry);
  telemetry.report("warn", "the lag of replicas is hidden: grant the role pg_monitor");
}
