import { bytewise } from "./bytewise.js";
import { OLD_ID } from "./ids.js";
import { placeOf } from "./place.js";
import { keyOf, type Namespace, NO_ROWS, partsOf, type RowNumbers, sum } from "./reference-rows.js";
import type { ReferenceSaver } from "./reference-saver.js";

export interface Retention {
  readonly threads?: readonly string[];
  readonly namespaces?: readonly string[];
  /** At least one. */
  readonly keepLast: number;
  /** Whether only checkpoints older than an hour are deleted. */
  readonly aged: boolean;
}

/** The deleted rows, as a saver reports them. */
export interface DeletedRows extends RowNumbers {
  readonly threads: number;
  readonly namespaces: number;
}

export function prune(
  saver: ReferenceSaver,
  { threads, namespaces, keepLast, aged }: Retention,
): Promise<DeletedRows> {
  const isSelected = (ns: string) => namespaces?.includes(ns) !== false;
  return countDeleted(saver, async (all) => {
    const over = await callsThatAreOver(saver, all, { keepLast, aged, isSelected });
    for (const { thread, ns } of all) {
      if (threads?.includes(thread) === false || !isSelected(ns)) continue;
      const tuples = await saver.rows.tuples(thread, ns);
      const isOver = over.has(keyOf(thread, ns));
      for (const { config, checkpoint } of isOver ? tuples : tuples.slice(keepLast))
        if (isOver || !aged || checkpoint.id === OLD_ID) await saver.deleteCheckpoint(placeOf(config));
      await dropOrphanedWrites(saver, { thread, ns });
      await saver.rows.sweep({ thread, ns });
    }
  });
}

interface CallRule extends Pick<Retention, "keepLast" | "aged"> {
  readonly isSelected: (ns: string) => boolean;
}

/** The namespaces of subgraph calls whose parent is or will be deleted, and whose parent graph has newer checkpoints. */
async function callsThatAreOver(
  { rows }: ReferenceSaver,
  all: readonly Namespace[],
  { keepLast, aged, isSelected }: CallRule,
): Promise<Set<string>> {
  const over = new Set<string>();
  const isOld = (id: string) => !aged || id === OLD_ID;
  for (const { thread, ns } of [...all].sort((a, b) => a.ns.length - b.ns.length)) {
    const [newest] = await rows.tuples(thread, ns);
    const own = newest?.checkpoint.id;
    if (newest === undefined || own === undefined || !ns.includes(":") || !isSelected(ns) || !isOld(own))
      continue;
    let nearest = -1;
    let ends = Object.keys(newest.metadata?.parents ?? {}).length > 0 && own === OLD_ID;
    for (const [graph, parent] of Object.entries(newest.metadata?.parents ?? {})) {
      const isAbove = graph === "" || ns.startsWith(`${graph}|`);
      const ids = (await rows.tuples(thread, graph)).map(({ checkpoint }) => checkpoint.id);
      const [head] = ids;
      if (!isAbove || head === undefined || over.has(keyOf(thread, graph)) || graph.length < nearest)
        continue;
      nearest = graph.length;
      const isDeletable = isSelected(graph) && isOld(parent) && ids.indexOf(parent) >= keepLast;
      ends = bytewise([head], [own]) > 0 && (isDeletable || !ids.includes(parent));
    }
    if (ends) over.add(keyOf(thread, ns));
  }
  return over;
}

/** Deletes writes of checkpoints that are old, have no row, and would not be the newest. */
async function dropOrphanedWrites({ rows }: ReferenceSaver, { thread, ns }: Namespace): Promise<void> {
  const ids = (await rows.tuples(thread, ns)).map(({ checkpoint }) => checkpoint.id);
  const [head] = ids;
  if (ids.includes(OLD_ID) || (head !== undefined && bytewise([OLD_ID], [head]) > 0)) return;
  rows.drop({ thread_id: thread, checkpoint_ns: ns, checkpoint_id: OLD_ID });
}

export function deleteThreads(saver: ReferenceSaver, threads: readonly string[]): Promise<DeletedRows> {
  return countDeleted(saver, async () => {
    for (const thread of threads) await saver.deleteThread(thread);
  });
}

export function deleteForRuns(saver: ReferenceSaver, runIds: readonly string[]): Promise<DeletedRows> {
  return countDeleted(saver, async (all) => {
    for (const { thread, ns } of all) {
      const tuples = await saver.rows.tuples(thread, ns);
      const ofRuns = tuples.filter(({ metadata = {} }) =>
        runIds.some((id) => Reflect.get(metadata, "run_id") === id),
      );
      for (const { config } of ofRuns) await saver.deleteCheckpoint(placeOf(config));
      if (ofRuns.length > 0) await saver.rows.sweep({ thread, ns });
    }
  });
}

/** Counts the rows that `run` deletes. `run` gets all namespaces. */
async function countDeleted(
  { rows }: ReferenceSaver,
  run: (all: readonly Namespace[]) => Promise<void>,
): Promise<DeletedRows> {
  const before = await rows.count();
  await run([...before.keys()].map(namespaceIn));
  const after = await rows.count();
  const [threads, namespaces] = [new Set<string>(), new Set<string>()];
  let total = NO_ROWS;
  for (const [key, had] of before) {
    const has = after.get(key) ?? NO_ROWS;
    const deleted = {
      checkpoints: had.checkpoints - has.checkpoints,
      writes: had.writes - has.writes,
      blobs: had.blobs - has.blobs,
    };
    total = sum(total, deleted);
    if (deleted.checkpoints + deleted.writes + deleted.blobs === 0) continue;
    threads.add(namespaceIn(key).thread);
    namespaces.add(key);
  }
  return { ...total, threads: threads.size, namespaces: namespaces.size };
}

function namespaceIn(key: string): Namespace {
  const [thread = "", ns = ""] = partsOf(key);
  return { thread, ns };
}
