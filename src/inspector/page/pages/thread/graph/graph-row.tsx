import { memo } from "preact/compat";
import type { HistoryPoint } from "../../../../api/threads.js";
import { counted } from "../../../parts/number-texts.js";
import { Time } from "../../../parts/time.js";
import { LaneSvg } from "./lane-svg.js";
import type { GraphRow as Row } from "./lanes.js";
import { runColour, runLabel } from "./run-colour.js";

interface GraphRowProps {
  readonly row: Row;
  readonly columns: number;
  readonly columnWidth: number;
  readonly isHead: boolean;
  /** Whether the row above belongs to another run. */
  readonly beginsRun: boolean;
}

/** A checkpoint in the graph. */
export const GraphRow = memo(({ row, columns, columnWidth, isHead, beginsRun }: GraphRowProps) => {
  const { step, source, runId, createdAt } = row.point;
  return (
    <>
      <LaneSvg {...{ row, columns, columnWidth, isHead }} />
      <span class="graph-step">{step === undefined ? "checkpoint" : `step ${step}`}</span>
      <span class="graph-about">
        <bdi class="dim">{source}</bdi>
        {marksOf(row.point, isHead, row.incoming.length).map(([name, text]) => (
          <span key={name} class={`badge badge-${name}`}>
            {text}
          </span>
        ))}
      </span>
      {runId !== undefined && (
        <span class={`graph-run ${runColour(runId)}${beginsRun ? "" : " sr-only"}`} title={`Run ${runId}`}>
          run <bdi>{runLabel(runId)}</bdi>
        </span>
      )}
      <span class="graph-time dim">
        <Time at={createdAt} />
      </span>
    </>
  );
});

/** What is special about a checkpoint, with the class of its mark. */
function marksOf(
  { interrupted, failed, writes }: HistoryPoint,
  isHead: boolean,
  children: number,
): readonly (readonly [name: string, text: string])[] {
  const marks: [string, string][] = [];
  if (isHead) marks.push(["head", "head"]);
  if (failed) marks.push(["failed", "error"]);
  if (interrupted) marks.push(["interrupted", "interrupt"]);
  if (children > 1) marks.push(["fork", counted(children, "branch", "branches")]);
  if (writes > 0 && !failed && !interrupted) marks.push(["writes", counted(writes, "write")]);
  return marks;
}
