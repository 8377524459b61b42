import { sourceName } from "../../../parts/words.js";
import { memo } from "preact/compat";
import type { HistoryPoint } from "../../../../api/threads.js";
import { countText } from "../../../parts/number-texts.js";
import { Time } from "../../../parts/time.js";
import type { Edge, LaneRow } from "./lanes.js";
import { runColour, runLabel } from "./run-colour.js";

interface GraphRowProps {
  readonly row: LaneRow;
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
        <bdi class="dim">{sourceName(source)}</bdi>
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
  if (children > 1) marks.push(["fork", countText(children, "branch", "branches")]);
  if (writes > 0 && !failed && !interrupted) marks.push(["writes", countText(writes, "write")]);
  return marks;
}

/** The height of a row, in pixels. */
export const ROW_HEIGHT = 32;
const MIDDLE = ROW_HEIGHT / 2;

interface LaneSvgProps {
  readonly row: LaneRow;
  readonly columns: number;
  /** The width of a column, in pixels. */
  readonly columnWidth: number;
  readonly isHead: boolean;
}

/** Draws the lines of a row, and its checkpoint. */
function LaneSvg({ row, columns, columnWidth, isHead }: LaneSvgProps) {
  const { point, column, incoming, passing, outgoing } = row;
  const xOf = (at: number): number => (at + 0.5) * columnWidth + 2;
  const x = xOf(column);
  const width = columns * columnWidth + 4;
  const inColumns = new Map(incoming.map((edge) => [edge.column, edge]));
  return (
    <svg class="lanes" aria-hidden="true" width={width} height={ROW_HEIGHT}>
      {passing.map((edge) => (
        <Line key={edge.column} edge={edge} d={`M${xOf(edge.column)} 0V${ROW_HEIGHT}`} />
      ))}
      {[...inColumns.values()].map((edge) => (
        <Line key={edge.column} edge={edge} d={arc(xOf(edge.column), x)} />
      ))}
      {outgoing !== undefined && <Line edge={outgoing} d={`M${x} ${MIDDLE}V${ROW_HEIGHT}`} />}
      <g
        class={point.failed ? "mark-failed" : point.interrupted ? "mark-interrupted" : runColour(point.runId)}
      >
        {isHead && <circle class="mark-head" cx={x} cy={MIDDLE} r={7.5} />}
        <Mark x={x} failed={point.failed} interrupted={point.interrupted} />
      </g>
    </svg>
  );
}

function Line({ edge, d }: { readonly edge: Edge; readonly d: string }) {
  return <path class={runColour(edge.runId)} data-child={edge.child} data-parent={edge.parent} d={d} />;
}

function arc(from: number, to: number): string {
  return from === to ? `M${to} 0V${MIDDLE}` : `M${from} 0Q${from} ${MIDDLE} ${to} ${MIDDLE}`;
}

interface MarkProps {
  readonly x: number;
  readonly failed: boolean;
  readonly interrupted: boolean;
}

/** A circle; a diamond for an error, and a square for an interrupt, so that colour is not all that tells them apart. */
function Mark({ x, failed, interrupted }: MarkProps) {
  if (failed) return <path class="mark" d={`M${x} ${MIDDLE - 6}l6 6l-6 6l-6-6z`} />;
  if (interrupted) return <rect class="mark" x={x - 4.5} y={MIDDLE - 4.5} width={9} height={9} rx={1} />;
  return <circle class="mark" cx={x} cy={MIDDLE} r={4.5} />;
}
