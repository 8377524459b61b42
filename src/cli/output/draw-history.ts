import { stripVTControlCharacters } from "node:util";
import type { Branch, HistoryEntry, ThreadHistory } from "../../threads/thread-types.js";
import { ago, countOf, humanTime } from "./format-numbers.js";
import { printable } from "./printable.js";
import type { Style } from "./style.js";

/**
 * Draws the checkpoints of a thread as a tree, the oldest on top. The ancestors of the head form a straight line; other
 * branches are drawn to its right.
 *
 * @param columns - The width of the terminal. If a line is too long, the facts after the id move to a second line.
 */
export function drawHistory(
  { head, branches }: ThreadHistory,
  style: Style,
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const widths = { step: 0, source: 0 };
  for (const { step, source } of entriesOf(branches)) {
    widths.step = Math.max(widths.step, String(step ?? "?").length);
    widths.source = Math.max(widths.source, printable(source ?? "").length);
  }
  const drawing = { head, style, columns, widths, headLine: branchesTo(head, branches) };
  return branches.flatMap((branch) => drawBranch(branch, "", drawing));
}

interface Drawing {
  readonly head: string | undefined;
  readonly style: Style;
  readonly columns: number;
  readonly widths: { readonly step: number; readonly source: number };
  /** The branches that hold the head and its ancestors. */
  readonly headLine: ReadonlySet<Branch>;
}

function drawBranch(first: Branch, rail: string, drawing: Drawing): string[] {
  const lines: string[] = [];
  for (let branch: Branch | undefined = first; branch !== undefined;) {
    const { checkpoints, branches }: Branch = branch;
    const next: Branch | undefined = branches.find((one) => drawing.headLine.has(one)) ?? branches.at(-1);
    for (const [index, entry] of checkpoints.entries()) {
      const isTip = index === checkpoints.length - 1 && next === undefined;
      lines.push(...describe(entry, isTip, rail, drawing));
    }
    for (const fork of branches) {
      if (fork === next) continue;
      lines.push(`${rail}├─╮`, ...drawBranch(fork, `${rail}│ `, drawing), `${rail}│`);
    }
    branch = next;
  }
  return lines;
}

function describe(entry: HistoryEntry, isTip: boolean, rail: string, drawing: Drawing): string[] {
  const { head, style, columns, widths } = drawing;
  const isHead = entry.checkpointId === head;
  const dot = isHead ? style.good("◉") : isTip ? "○" : "●";
  const facts = [
    `step ${String(entry.step ?? "?").padStart(widths.step)}`,
    printable(entry.source ?? "").padEnd(widths.source),
    printable(entry.checkpointId),
  ];
  const notes = [
    entry.createdAt === undefined
      ? "unknown"
      : `${humanTime(entry.createdAt)}  ${style.dim(ago(entry.createdAt))}`,
    entry.writes === 0 ? "" : style.dim(countOf(entry.writes, "write")),
    entry.interrupted ? style.warning("interrupted") : "",
    isHead ? style.good("← head") : "",
    entry.damaged === undefined ? "" : style.bad(`damaged: ${printable(entry.damaged)}`),
  ].filter((note) => note !== "");
  const line = `${rail}${[dot, ...facts, ...notes].join("  ")}`;
  if (stripVTControlCharacters(line).length <= columns) return [line];
  return [`${rail}${[dot, ...facts].join("  ")}`, `${rail}${[isTip ? " " : "│", ...notes].join("  ")}`];
}

// Iterative: a tree of forks may be as deep as the thread is long.
function branchesTo(head: string | undefined, roots: readonly Branch[]): Set<Branch> {
  const parents = new Map<Branch, Branch | undefined>(roots.map((root) => [root, undefined]));
  const open = [...roots];
  for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
    if (branch.checkpoints.some(({ checkpointId }) => checkpointId === head)) {
      return ancestorsOf(branch, parents);
    }
    for (const child of branch.branches) {
      parents.set(child, branch);
      open.push(child);
    }
  }
  return new Set();
}

function ancestorsOf(found: Branch, parents: ReadonlyMap<Branch, Branch | undefined>): Set<Branch> {
  const all = new Set<Branch>();
  for (let branch: Branch | undefined = found; branch !== undefined; branch = parents.get(branch)) {
    all.add(branch);
  }
  return all;
}

function entriesOf(roots: readonly Branch[]): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  const open = [...roots];
  for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
    for (const entry of branch.checkpoints) entries.push(entry);
    for (const child of branch.branches) open.push(child);
  }
  return entries;
}
