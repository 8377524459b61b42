import { paint } from "./narrator.js";
import type { ThreadNode } from "./thread-node.js";

/**
 * Draws a thread as a tree, with the oldest checkpoint at the top. A forked branch is drawn to the right, and the original branch
 * continues below it.
 *
 * @param nodes - The checkpoints, oldest first.
 * @param notes - A remark about a checkpoint, by its id.
 */
export function drawThread(
  nodes: readonly ThreadNode[],
  notes: ReadonlyMap<string, string> = new Map(),
): string[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const childrenOf = new Map<string | undefined, ThreadNode[]>();
  for (const node of nodes) {
    // The children of a deleted parent are drawn as roots.
    const parent = node.parentId !== undefined && ids.has(node.parentId) ? node.parentId : undefined;
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), node]);
  }
  return (childrenOf.get(undefined) ?? []).flatMap((root) => drawBranch(root, "", { childrenOf, notes }));
}

/** The ids of the checkpoints without children, oldest first: the head of each branch. */
export function headsOf(nodes: readonly ThreadNode[]): string[] {
  const parents = new Set(nodes.map(({ parentId }) => parentId));
  return nodes.filter(({ id }) => !parents.has(id)).map(({ id }) => id);
}

interface Drawing {
  readonly childrenOf: ReadonlyMap<string | undefined, readonly ThreadNode[]>;
  readonly notes: ReadonlyMap<string, string>;
}

function drawBranch(first: ThreadNode, rail: string, drawing: Drawing): string[] {
  const lines: string[] = [];
  let node: ThreadNode | undefined = first;
  while (node !== undefined) {
    const [next, ...forks]: readonly ThreadNode[] = drawing.childrenOf.get(node.id) ?? [];
    const details = next === undefined ? rail : `${rail}│`;
    lines.push(`${rail}${describe(node, next === undefined)}`);
    lines.push(
      ...remarks(node, drawing.notes).map((remark) => `${details.padEnd(rail.length + 1)}   ${remark}`),
    );
    for (const fork of forks) lines.push(`${rail}├─╮`, ...drawBranch(fork, `${rail}│ `, drawing), `${rail}│`);
    node = next;
  }
  return lines;
}

function describe(node: ThreadNode, isHead: boolean): string {
  const dot = isHead ? paint("green", "◉") : node.source === "fork" ? paint("magenta", "◆") : "●";
  const facts = [`step ${node.step}`.padEnd(7), node.source.padEnd(5), authors(node)].join("  ").trimEnd();
  return `${dot}  ${facts}${isHead ? paint("green", "   ← head") : ""}`;
}

function authors({ source, writtenBy }: ThreadNode): string {
  return source === "fork" ? paint("magenta", "a copy of the checkpoint above") : writtenBy.join(", ");
}

function remarks({ id, question, answer }: ThreadNode, notes: ReadonlyMap<string, string>): string[] {
  const asked = question === undefined ? undefined : `asked “${question}”`;
  const answered = answer === undefined ? "" : `, answered “${answer}”`;
  return [notes.get(id), asked === undefined ? undefined : asked + answered]
    .filter((remark) => remark !== undefined)
    .map((remark) => paint("dim", remark));
}
