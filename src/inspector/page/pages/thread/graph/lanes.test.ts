import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../../../../test-support/runs.js";
import type { HistoryPoint } from "../../../../api/threads.js";
import { type Edge, type LaneRow, layOut, MAX_COLUMNS } from "./lanes.js";

/** Older than all others. */
const DELETED = "-";

function idOf(position: number): string {
  return String(position).padStart(5, "0");
}

function pointOf(checkpointId: string, parentId?: string): HistoryPoint {
  return {
    ...{ checkpointId, createdAt: 0, writes: 0, interrupted: false, failed: false },
    ...(parentId !== undefined && { parentId }),
  };
}

/** Any tree: each checkpoint continues from an older one, from none, or from one that was deleted. The newest first. */
const anyHistory = fc
  .array(fc.option(fc.nat(1_000), { nil: undefined, freq: 8 }), { maxLength: 80 })
  .map((parents) =>
    parents
      .map((parent, position) => {
        // Mostly a near one, as in real threads.
        const distance = parent === undefined ? 0 : parent > 300 ? 1 : (parent % (position + 2)) + 1;
        if (distance === 0) return pointOf(idOf(position));
        return pointOf(idOf(position), distance > position ? DELETED : idOf(position - distance));
      })
      .reverse(),
  );

/** Follows the line of a checkpoint down through the rows, and returns the checkpoint that it ends at. */
function endOf(edge: Edge, rows: readonly LaneRow[], from: number): string | undefined {
  for (const { point, incoming, passing } of rows.slice(from + 1)) {
    if (incoming.some(({ child }) => child === edge.child)) return point.checkpointId;
    const isDrawn = passing.some(({ column }) => column === edge.column);
    if (!isDrawn) throw new Error(`the line of ${edge.child} is interrupted at ${point.checkpointId}`);
  }
  return undefined;
}

describe("layOut", () => {
  it("connects every checkpoint with its parent, and nothing else", () => {
    fc.assert(
      fc.property(anyHistory, (points) => {
        const { rows } = layOut(points);
        const ids = new Set(points.map(({ checkpointId }) => checkpointId));
        rows.forEach(({ point, outgoing, column }, row) => {
          expect(outgoing?.parent).toBe(point.parentId);
          if (outgoing === undefined) return;
          expect(outgoing.column).toBe(column);
          expect(endOf(outgoing, rows, row)).toBe(ids.has(outgoing.parent) ? outgoing.parent : undefined);
        });
        const edges = rows.filter(({ outgoing }) => outgoing !== undefined && ids.has(outgoing.parent));
        expect(rows.flatMap(({ incoming }) => incoming)).toHaveLength(edges.length);
      }),
      runs(300),
    );
  });

  it("draws no two lines, and no line and a checkpoint, over each other", () => {
    fc.assert(
      fc.property(anyHistory, (points) => {
        for (const { column, incoming, passing } of layOut(points).rows) {
          const own = [...new Set([column, ...incoming.map((edge) => edge.column)])];
          const columns = [...own, ...passing.map((edge) => edge.column)].filter(
            (used) => used !== MAX_COLUMNS,
          );
          expect(new Set(columns).size).toBe(columns.length);
        }
      }),
      runs(300),
    );
  });

  it("continues over pages as if there were one", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(80), (points, cut) => {
        const first = layOut(points.slice(0, cut));
        const second = layOut(points.slice(cut), first.open);
        const whole = layOut(points);
        expect([...first.rows, ...second.rows]).toEqual(whole.rows);
        expect(second.open).toEqual(whole.open);
      }),
      runs(200),
    );
  });

  it("keeps the newest branch in the first column and puts a fork beside it", () => {
    const history = [pointOf("4", "2"), pointOf("3", "2"), pointOf("2", "1"), pointOf("1")];
    expect(layOut(history).rows.map(({ column }) => column)).toEqual([0, 1, 0, 0]);
  });

  it("draws a thousand forks of one checkpoint in a bounded number of columns", () => {
    const forks = Array.from({ length: 1_000 }, (_, position) => pointOf(idOf(1_000 - position), "0"));
    const { rows } = layOut([...forks, pointOf("0")]);
    expect(Math.max(...rows.map(({ passing }) => passing.length))).toBe(MAX_COLUMNS + 1);
    expect(rows.at(-1)?.incoming).toHaveLength(1_000);
  });

  it("draws no line upwards, which only damaged rows would need", () => {
    const { rows, open } = layOut([pointOf("2", "1"), pointOf("1", "2")]);
    expect(rows[1]?.outgoing).toBeUndefined();
    expect(open.lanes.every((edge) => edge === undefined)).toBe(true);
  });
});
