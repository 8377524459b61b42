import type { AncestorRow } from "./queries/walk-delta-ancestors.js";

/**
 * Of the ancestors that walks for delta channels come past, those that have to stay: the ones that have something that is
 * looked for, and those on the way to them. What is behind the last of these would be looked through for nothing.
 */
export function neededAncestors(rows: readonly AncestorRow[]): Map<string, AncestorRow> {
  const before = comingBefore(rows);
  const needed = new Map<AncestorRow, string>();
  const open = rows.filter(({ contributes }) => contributes);
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    if (needed.has(row)) continue;
    needed.set(row, row.checkpoint_id);
    open.push(...(before.get(stateKey(row.checkpoint_id, row.found_before)) ?? []));
  }
  return new Map([...needed].map(([row, id]) => [id, row]));
}

/** The rows right before each, by its checkpoint and by what had been found until there. */
function comingBefore(rows: readonly AncestorRow[]): Map<string, AncestorRow[]> {
  const before = new Map<string, AncestorRow[]>();
  for (const row of rows) {
    if (row.parent_checkpoint_id === null) continue;
    const next = stateKey(row.parent_checkpoint_id, [...row.found_before, ...row.found]);
    const known = before.get(next);
    if (known === undefined) before.set(next, [row]);
    else known.push(row);
  }
  return before;
}

function stateKey(checkpointId: string, found: readonly string[]): string {
  return JSON.stringify([checkpointId, ...found]);
}
