import type { CallContext } from "../db/call-context.js";
import type { NamespaceKey } from "../saver/model/checkpoint-key.js";
import { compareText } from "../saver/model/compare-text.js";
import { type LineageRow, selectLineage, selectReaders } from "./queries/select-lineage.js";
import type { DoomedLineage, DoomedNamespace } from "./doomed-namespace.js";
import { findNeeded } from "./find-needed.js";
import { lookUpEach } from "./look-up-each.js";

/** What goes of a namespace. */
export interface DropPlan {
  readonly key: NamespaceKey;
  /** The checkpoints that go, newest first, so that children go before their parents: what is there can be read. */
  readonly going: readonly string[];
  /** By checkpoint, its children that were looked at and outlive it. */
  readonly children: ReadonlyMap<string, readonly LineageRow[]>;
  /** The checkpoints whose sends stay, since one before version 4 of the format reads them. */
  readonly sendersKept: ReadonlySet<string>;
}

/**
 * Finds out what of the doomed checkpoints of namespaces can go, and what those that stay need: ancestors that delta
 * channels are rebuilt from, and sends. It only reads, and sends as many statements for many namespaces as for one.
 */
export async function planDrops(call: CallContext, doomed: readonly DoomedNamespace[]): Promise<DropPlan[]> {
  const lineages = await selectLineage(
    call,
    doomed.map(({ key }) => key),
  );
  const all = doomed.map((each, at) => withFrontier(each, lineages[at] ?? []));
  const needed = await findNeeded(call, all);
  const kept = new Map(
    all.map((each) => [each, [...each.frontier, ...(needed.get(each)?.values() ?? [])]] as const),
  );
  const readers = await lookUpEach(
    all.filter((each) => (kept.get(each) ?? []).length > 0),
    (some) =>
      selectReaders(
        call,
        some.map((each) => ({ ...each.key, checkpointIds: idsOf(kept.get(each) ?? []) })),
      ),
  );
  return all.map((each) => ({
    key: each.key,
    going: each.ids.filter((id) => needed.get(each)?.has(id) !== true),
    children: byParent([...(kept.get(each) ?? []), ...orphanedBy(each).filter(isDeletedAfterParent)]),
    sendersKept: new Set((readers.get(each) ?? []).map(({ parent_checkpoint_id }) => parent_checkpoint_id)),
  }));
}

function withFrontier(doomed: DoomedNamespace, lineage: readonly LineageRow[]): DoomedLineage {
  const isDoomed = new Set(doomed.ids);
  const frontier = lineage.filter(
    ({ checkpoint_id, parent_checkpoint_id: parent }) =>
      parent !== null && isDoomed.has(parent) && !isDoomed.has(checkpoint_id),
  );
  return { ...doomed, lineage, frontier };
}

/** The checkpoints whose parents are doomed. */
function orphanedBy({ ids, lineage }: DoomedLineage): LineageRow[] {
  const isDoomed = new Set(ids);
  return lineage.filter(({ parent_checkpoint_id: id }) => id !== null && isDoomed.has(id));
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
