import { compareText } from "../saver/model/compare-text.js";
import type { Branch, HistoryEntry } from "./thread-types.js";

/** A branch that is being built. */
interface OpenBranch extends Branch {
  readonly checkpoints: HistoryEntry[];
  readonly branches: OpenBranch[];
}

/**
 * Puts checkpoints together to a tree of branches, each a line up to where it ends or forks. Those without a parent, and
 * those whose parent is not among them, begin branches of their own; so does the oldest one of those that damaged rows have
 * made each other's ancestors.
 *
 * It keeps what it has yet to do in lists of its own, not on the stack: a line may have any number of checkpoints.
 */
export function buildBranches(entries: readonly HistoryEntry[]): Branch[] {
  const sorted = entries.toSorted((a, b) => compareText(a.checkpointId, b.checkpointId));
  const ids = new Set(sorted.map(({ checkpointId }) => checkpointId));
  const isRoot = ({ parentCheckpointId }: HistoryEntry): boolean =>
    parentCheckpointId === undefined || !ids.has(parentCheckpointId);
  const builder = new Builder(sorted);
  const roots = sorted.filter(isRoot).map((entry) => builder.grow(entry));
  // What no root has led to is in a circle, or comes from one.
  const circles = sorted.flatMap((entry) => (builder.has(entry) ? [] : [builder.grow(entry)]));
  return [...roots, ...circles].sort(byFirstId);
}

class Builder {
  readonly #children = new Map<string, HistoryEntry[]>();
  readonly #seen = new Set<string>();

  constructor(sorted: readonly HistoryEntry[]) {
    for (const entry of sorted) {
      if (entry.parentCheckpointId === undefined) continue;
      const siblings = this.#children.get(entry.parentCheckpointId);
      if (siblings === undefined) this.#children.set(entry.parentCheckpointId, [entry]);
      else siblings.push(entry);
    }
  }

  has({ checkpointId }: HistoryEntry): boolean {
    return this.#seen.has(checkpointId);
  }

  /** The branch that begins with a checkpoint, with all that comes after it. */
  grow(first: HistoryEntry): Branch {
    const root = this.#open(first);
    const growing = [root];
    for (let branch = growing.pop(); branch !== undefined; branch = growing.pop()) {
      const forks = this.#extend(branch).map((entry) => this.#open(entry));
      branch.branches.push(...forks);
      growing.push(...forks);
    }
    return root;
  }

  #open(first: HistoryEntry): OpenBranch {
    this.#seen.add(first.checkpointId);
    return { checkpoints: [first], branches: [] };
  }

  /** Goes on with a line to its end, and returns what it forks into there. */
  #extend({ checkpoints }: OpenBranch): HistoryEntry[] {
    for (let last = checkpoints.at(-1); last !== undefined; last = checkpoints.at(-1)) {
      const next = (this.#children.get(last.checkpointId) ?? []).filter((entry) => !this.has(entry));
      const [only, ...others] = next;
      if (only === undefined || others.length > 0) return next;
      this.#seen.add(only.checkpointId);
      checkpoints.push(only);
    }
    return [];
  }
}

function byFirstId(a: Branch, b: Branch): number {
  return compareText(a.checkpoints[0]?.checkpointId ?? "", b.checkpoints[0]?.checkpointId ?? "");
}
