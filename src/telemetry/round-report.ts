import { currentInstruments } from "./instruments.js";
import type { LogFields, SafeLogger } from "./logger.js";

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

/** Reports a round to metrics, and to the log where it has deleted something. Its failure is logged as that of its call. */
export function reportRound(log: SafeLogger, { task, outcome, rows, seconds }: RoundReport): void {
  const instruments = currentInstruments();
  const operation = { "db.operation.name": task };
  instruments?.roundDuration.record(seconds, { ...operation, "langgraph.checkpoint.outcome": outcome });
  if (rows > 0) instruments?.roundRows.add(rows, operation);
  if (outcome === "done") instruments?.roundSuccess.record(Date.now() / 1_000, operation);
  const fields: LogFields = { operation: task, rows, durationMs: Math.round(seconds * 1_000) };
  if (outcome === "skipped") log.write("debug", `${task} runs in another process`, fields);
  else if (rows > 0) log.write("info", `${task} has deleted rows`, fields);
}
