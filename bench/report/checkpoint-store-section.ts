import type { CheckpointStoreResult } from "../checkpoint-store/measure-checkpoint-stores.js";
import { significant, spread } from "./figures.js";
import { markdownTable } from "./markdown-table.js";

/** Formats the times of the checkpoint stores beside those of their drivers. */
export function checkpointStoreSection(results: readonly CheckpointStoreResult[]): string {
  const rows = results.map(({ backend, operation, ours, raw, ratio }) => [
    backend,
    operation,
    spread(ours.medianMs, ours.p5Ms, ours.p95Ms),
    spread(raw.medianMs, raw.p5Ms, raw.p95Ms),
    significant(ratio),
  ]);
  return `## Checkpoint stores

The same work by the driver alone, JSON included: one prepared statement or command for each call, in turns in the same run. Medians in
milliseconds, in brackets the 5th and the 95th percentile. A state has about 1 kB. The target is at most 1.3 times the driver's time.

${markdownTable(["backend", "operation", "this library", "driver", "this library / driver"], rows)}`;
}
