import type { HistoryPoint } from "../../../../api/threads.js";

/** The columns that branches are drawn in. What has no room there shares one more column. */
export const MAX_COLUMNS = 16;

/** A line from a checkpoint to its parent, which is in a later row. */
export interface Edge {
  readonly child: string;
  readonly parent: string;
  readonly column: number;
  /** The run of the child. */
  readonly runId?: string;
}

/** A checkpoint with the lines that are drawn in its row. */
export interface LaneRow {
  readonly point: HistoryPoint;
  readonly column: number;
  /** The lines that end at the checkpoint: they come from its children, in the rows above. */
  readonly incoming: readonly Edge[];
  /** The lines that go through the row. */
  readonly passing: readonly Edge[];
  /** The line to the parent. */
  readonly outgoing?: Edge;
}

/** The lines that are open below the last row. The next page of rows continues with them. */
interface OpenLanes {
  /** By column. */
  readonly lanes: readonly (Edge | undefined)[];
  /** The lines of the shared column. */
  readonly shared: readonly Edge[];
}

const NONE: OpenLanes = { lanes: [], shared: [] };

/**
 * Lays out the tree of a history as a graph of commits: each branch has a column, from its newest checkpoint down to the checkpoint that it
 * continues from. The branch of the newest checkpoint has the first column.
 *
 * @param points - The newest first.
 * @param open - What the preceding rows have left open.
 */
export function layOut(
  points: readonly HistoryPoint[],
  open: OpenLanes = NONE,
): { readonly rows: readonly LaneRow[]; readonly open: OpenLanes } {
  const lanes = [...open.lanes];
  let shared = open.shared;
  const rows = points.map((point): LaneRow => {
    const isIncoming = (edge: Edge | undefined): edge is Edge => edge?.parent === point.checkpointId;
    const incoming = [...lanes.filter(isIncoming), ...shared.filter(isIncoming)];
    lanes.forEach((edge, column) => {
      if (isIncoming(edge)) lanes[column] = undefined;
    });
    if (shared.some(isIncoming)) shared = shared.filter((edge) => !isIncoming(edge));
    const [first] = incoming;
    const column = first === undefined || first.column === MAX_COLUMNS ? freeColumn(lanes) : first.column;
    // One line stands for all of the shared column.
    const passing = [...lanes.filter((edge) => edge !== undefined), ...shared.slice(0, 1)];
    const outgoing = edgeOf(point, column);
    if (outgoing === undefined) return { point, column, incoming, passing };
    if (column === MAX_COLUMNS) shared = [...shared, outgoing];
    else lanes[column] = outgoing;
    return { point, column, incoming, passing, outgoing };
  });
  return { rows, open: { lanes, shared } };
}

function edgeOf({ checkpointId, parentId, runId }: HistoryPoint, column: number): Edge | undefined {
  // Only damaged rows have a parent that is newer. Its row is above, so that the line would never end.
  if (parentId === undefined || parentId >= checkpointId) return undefined;
  return { child: checkpointId, parent: parentId, column, ...(runId !== undefined && { runId }) };
}

function freeColumn(lanes: readonly (Edge | undefined)[]): number {
  const free = lanes.indexOf(undefined);
  return Math.min(free === -1 ? lanes.length : free, MAX_COLUMNS);
}

/** The number of columns that rows need. */
export function columnsOf(rows: readonly LaneRow[]): number {
  let columns = 1;
  for (const { column, incoming, passing } of rows) {
    columns = Math.max(columns, column + 1, ...[...incoming, ...passing].map((edge) => edge.column + 1));
  }
  return columns;
}
