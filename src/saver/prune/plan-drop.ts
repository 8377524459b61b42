import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import type { NamespaceKey } from "../checkpoint-key.js";
import { compareText } from "../codec/compare-text.js";
import { type LineageRow, selectLineage, selectReaders } from "../queries/prune/select-lineage.js";
import { selectDeltaChannels } from "../queries/prune/select-delta-channels.js";
import { selectWitnesses } from "../queries/prune/select-witnesses.js";
import { walkDeltaAncestors } from "../queries/prune/walk-delta-ancestors.js";
import { neededAncestors } from "./needed-ancestors.js";

/** What goes of a namespace. */
export interface DropPlan {
  /** The checkpoints that go, newest first, so that children go before their parents: what is there can be read. */
  readonly going: readonly string[];
  /** By checkpoint, its children that were looked at and outlive it. */
  readonly children: ReadonlyMap<string, readonly LineageRow[]>;
  /** The checkpoints whose sends stay, since one before version 4 of the format reads them. */
  readonly sendersKept: ReadonlySet<string>;
}

/**
 * Finds out what of the doomed checkpoints of a namespace can go, and what those that stay need: ancestors that delta
 * channels are rebuilt from, and sends. It only reads.
 *
 * @param doomed - Newest first.
 */
export async function planDrop(
  tables: CheckpointTables,
  namespace: NamespaceKey,
  doomed: readonly string[],
): Promise<DropPlan> {
  if (doomed.length === 0) return { going: [], children: new Map(), sendersKept: new Set() };
  const isDoomed = new Set(doomed);
  const lineage = await selectLineage(tables, namespace);
  const orphaned = lineage.filter(({ parent_checkpoint_id: id }) => id !== null && isDoomed.has(id));
  const frontier = orphaned.filter(({ checkpoint_id }) => !isDoomed.has(checkpoint_id));
  const needed = await findNeeded(tables, namespace, { doomed, frontier, lineage });
  const kept = [...frontier, ...needed.values()];
  return {
    going: doomed.filter((id) => !needed.has(id)),
    children: byParent([...kept, ...orphaned.filter(isDeletedAfterParent)]),
    sendersKept: await findSenders(tables, namespace, kept),
  };
}

interface Doomed {
  readonly doomed: readonly string[];
  /** Those that stay and whose parents are doomed: what they need of older ones leads through these. */
  readonly frontier: readonly LineageRow[];
  readonly lineage: readonly LineageRow[];
}

/** What those that stay need; and what tells that they do, or else the next who prunes would not know. */
async function findNeeded(
  tables: CheckpointTables,
  namespace: NamespaceKey,
  { doomed, frontier, lineage }: Doomed,
): Promise<Map<string, LineageRow>> {
  if (frontier.length === 0) return new Map();
  const ids = idsOf(frontier);
  const channels = await selectDeltaChannels(tables, namespace, ids);
  if (channels.length === 0) return new Map();
  const needed = neededAncestors(await walkDeltaAncestors(tables, namespace, ids, channels));
  if (needed.size === 0) return needed;
  const going = doomed.filter((id) => !needed.has(id));
  const witnesses = await selectWitnesses(tables, namespace, channels, going);
  const kept = new Set(witnesses.map(({ checkpoint_id }) => checkpoint_id));
  const rows = lineage.filter(({ checkpoint_id }) => kept.has(checkpoint_id));
  return new Map([...needed, ...rows.map((row) => [row.checkpoint_id, row] as const)]);
}

async function findSenders(
  tables: CheckpointTables,
  namespace: NamespaceKey,
  kept: readonly LineageRow[],
): Promise<Set<string>> {
  if (kept.length === 0) return new Set();
  const readers = await selectReaders(tables, { ...namespace, checkpointIds: idsOf(kept) });
  return new Set(readers.map(({ parent_checkpoint_id }) => parent_checkpoint_id));
}

/** Ids grow from parent to child, but where clocks differ: there a parent goes first. */
function isDeletedAfterParent({ checkpoint_id, parent_checkpoint_id }: LineageRow): boolean {
  return parent_checkpoint_id !== null && compareText(checkpoint_id, parent_checkpoint_id) < 0;
}

function byParent(rows: readonly LineageRow[]): Map<string, LineageRow[]> {
  const children = new Map<string, LineageRow[]>();
  for (const row of rows) {
    const parent = row.parent_checkpoint_id ?? "";
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [row]);
    else known.push(row);
  }
  return children;
}

function idsOf(rows: readonly LineageRow[]): string[] {
  return rows.map(({ checkpoint_id }) => checkpoint_id);
}
