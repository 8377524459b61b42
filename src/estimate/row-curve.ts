import type { RowPoint } from "./unit-costs.js";

/** What rows take: the figures of {@link RowPoint} without its size. */
export type RowCost = Omit<RowPoint, "size">;

const NOTHING: RowCost = { heap: 0, toast: 0, index: 0, wal: 0 };

/**
 * Returns what a row of a size takes, on the line between the measured points around it. Above the last point, what grows is the
 * TOAST and the log, in proportion.
 *
 * @param points - In order of their sizes.
 */
export function costAt(points: readonly RowPoint[], size: number): RowCost {
  const above = points.find((point) => point.size >= size);
  const below = points.findLast((point) => point.size <= size);
  if (below === undefined) return above ?? NOTHING;
  if (above === undefined) {
    const ratio = size / below.size;
    return { ...below, toast: below.toast * ratio, wal: below.wal * ratio };
  }
  const share = above === below ? 0 : (size - below.size) / (above.size - below.size);
  const between = (figure: keyof RowCost) => below[figure] + share * (above[figure] - below[figure]);
  return { heap: between("heap"), toast: between("toast"), index: between("index"), wal: between("wal") };
}

/** Adds up what rows take. */
export function sumOf(costs: readonly RowCost[]): RowCost {
  return costs.reduce(
    (sum, { heap, toast, index, wal }) => ({
      heap: sum.heap + heap,
      toast: sum.toast + toast,
      index: sum.index + index,
      wal: sum.wal + wal,
    }),
    NOTHING,
  );
}

/** Multiplies what a row takes. */
export function multiplyCost({ heap, toast, index, wal }: RowCost, count: number): RowCost {
  return { heap: heap * count, toast: toast * count, index: index * count, wal: wal * count };
}

/** The bytes on disk. */
export function diskBytes({ heap, toast, index }: RowCost): number {
  return heap + toast + index;
}
