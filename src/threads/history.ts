import type { CallContext } from "../db/call-context.js";
import { type NamespaceKey, compareText } from "../saver/model/keys.js";
import type { HistoryRequest } from "./boundary/parse-thread-queries.js";
import { getHistoryPage, type HistoryRow } from "./queries/get-history-page.js";
import { describeRow } from "./describe-row.js";
import type { HistoryEntry, ThreadHistory, Branch } from "./thread-types.js";
import { groupBy } from "../db/group-by.js";

/** More than most threads have, and few enough that the planner does not use JIT for the page. */
const PAGE_SIZE = 5_000;

/** Reads the tree of a namespace, or of a page of it; see `history` of the savers. */
export async function history(
  call: CallContext,
  { limit, before, ...key }: HistoryRequest,
): Promise<ThreadHistory> {
  const entries: HistoryEntry[] = [];
  for (let last = before; ; last = entries.at(-1)?.checkpointId) {
    // One more than the limit tells whether anything older is stored.
    const pageSize = Math.min(PAGE_SIZE, limit + 1 - entries.length);
    const page = await getHistoryPage(call, key, last, pageSize);
    for (const row of page) entries.push(await entryOf(row, key));
    if (page.length < pageSize || entries.length > limit) break;
  }
  const next = entries.length > limit ? entries[limit - 1]?.checkpointId : undefined;
  const shown = entries.slice(0, limit);
  const head = before === undefined ? shown[0]?.checkpointId : await getHead(call, key);
  return { ...key, head, branches: buildBranches(shown), ...(next !== undefined && { next }) };
}

async function getHead(call: CallContext, key: NamespaceKey): Promise<string | undefined> {
  const [newest] = await getHistoryPage(call, key, undefined, 1);
  return newest?.checkpoint_id;
}

async function entryOf(row: HistoryRow, key: NamespaceKey): Promise<HistoryEntry> {
  const checkpointId = row.checkpoint_id;
  const { time, ...described } = await describeRow({ ...key, checkpointId }, row);
  return {
    checkpointId,
    parentCheckpointId: row.parent_checkpoint_id ?? undefined,
    createdAt: time,
    ...described,
    writes: row.writes,
    interrupted: row.interrupted,
  };
}

/** A branch under construction. */
interface GrowingBranch extends Branch {
  readonly checkpoints: HistoryEntry[];
  readonly branches: GrowingBranch[];
}

/**
 * Builds the tree of branches of some checkpoints. A branch is a line of checkpoints up to its end or to a fork. A checkpoint
 * whose parent is missing begins a branch at the root; so does the oldest checkpoint of a cycle of damaged rows.
 *
 * The function is not recursive, since a line may have any number of checkpoints.
 */
export function buildBranches(entries: readonly HistoryEntry[]): Branch[] {
  const sorted = entries.toSorted((a, b) => compareText(a.checkpointId, b.checkpointId));
  const ids = new Set(sorted.map(({ checkpointId }) => checkpointId));
  const isRoot = ({ parentCheckpointId }: HistoryEntry): boolean =>
    parentCheckpointId === undefined || !ids.has(parentCheckpointId);
  const builder = new BranchBuilder(sorted);
  const roots = sorted.filter(isRoot).map((entry) => builder.build(entry));
  // A checkpoint that no root leads to is part of a cycle, or descends from one.
  const cycles = sorted.flatMap((entry) => (builder.has(entry) ? [] : [builder.build(entry)]));
  return [...roots, ...cycles].sort(compareFirstIds);
}

class BranchBuilder {
  readonly #children: ReadonlyMap<string | undefined, readonly HistoryEntry[]>;
  readonly #visited = new Set<string>();

  constructor(sorted: readonly HistoryEntry[]) {
    this.#children = groupBy(sorted, ({ parentCheckpointId }) => parentCheckpointId);
  }

  has({ checkpointId }: HistoryEntry): boolean {
    return this.#visited.has(checkpointId);
  }

  /** Builds the branch that begins with a checkpoint, with all of its descendants. */
  build(first: HistoryEntry): Branch {
    const root = this.#begin(first);
    const growing = [root];
    for (let branch = growing.pop(); branch !== undefined; branch = growing.pop()) {
      const forks = this.#extend(branch).map((entry) => this.#begin(entry));
      branch.branches.push(...forks);
      growing.push(...forks);
    }
    return root;
  }

  #begin(first: HistoryEntry): GrowingBranch {
    this.#visited.add(first.checkpointId);
    return { checkpoints: [first], branches: [] };
  }

  /** Extends a line to its end, and returns the checkpoints that it forks into there. */
  #extend({ checkpoints }: GrowingBranch): HistoryEntry[] {
    for (let last = checkpoints.at(-1); last !== undefined; last = checkpoints.at(-1)) {
      const next = (this.#children.get(last.checkpointId) ?? []).filter((entry) => !this.has(entry));
      const [only, ...others] = next;
      if (only === undefined || others.length > 0) return next;
      this.#visited.add(only.checkpointId);
      checkpoints.push(only);
    }
    return [];
  }
}

function compareFirstIds(a: Branch, b: Branch): number {
  return compareText(a.checkpoints[0]?.checkpointId ?? "", b.checkpoints[0]?.checkpointId ?? "");
}
