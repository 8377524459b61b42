import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import type { Branch, HistoryEntry, ThreadHistory, ThreadSummary } from "../../src/threads/thread-types.js";
import { bytewise } from "./bytewise.js";
import { contains } from "./contains.js";
import { timeIn } from "./ids.js";
import { placeOf } from "./place.js";
import { keyOf, type Namespace, NO_ROWS, partsOf } from "./reference-rows.js";
import type { ReferenceSaver } from "./reference-saver.js";

/** The newest checkpoint of each thread over all of its namespaces, as `listThreads` returns it. */
export async function listThreads(
  { rows }: ReferenceSaver,
  query: { after?: string; limit?: number; filter?: Record<string, unknown>; updatedAfter?: Date },
): Promise<ThreadSummary[]> {
  const { after = "", limit, filter = {}, updatedAfter = new Date(0) } = query;
  const threads = new Set((await rows.tuples()).map(({ config }) => placeOf(config).thread_id));
  const summaries: ThreadSummary[] = [];
  for (const thread of [...threads].sort()) {
    const tuples = await rows.tuples(thread);
    const namespaces = new Set(tuples.map(({ config }) => placeOf(config).checkpoint_ns));
    // Of two checkpoints with the same id, the one in the first namespace counts.
    const [newest] = tuples.sort(byThreadOrder).slice(-1);
    if (newest === undefined) continue;
    const { createdAt: updatedAt, step, source, metadata } = describe(newest);
    const { checkpoint_ns: checkpointNs, checkpoint_id: checkpointId = "" } = placeOf(newest.config);
    if (thread <= after || updatedAt <= updatedAfter || !contains(metadata, filter)) continue;
    const described = { threadId: thread, checkpointNs, checkpointId, updatedAt, step, source, metadata };
    summaries.push({ ...described, checkpoints: tuples.length, namespaces: namespaces.size });
  }
  return summaries.slice(0, limit);
}

/** Sorts oldest first; of checkpoints with the same id, the one that counts comes last. */
function byThreadOrder(a: CheckpointTuple, b: CheckpointTuple): number {
  const [placeA, placeB] = [placeOf(a.config), placeOf(b.config)];
  const byId = bytewise([placeA.checkpoint_id ?? ""], [placeB.checkpoint_id ?? ""]);
  return byId === 0 ? bytewise([placeB.checkpoint_ns], [placeA.checkpoint_ns]) : byId;
}

export async function history(
  { rows }: ReferenceSaver,
  { thread, ns }: Namespace,
  { limit = Infinity, before }: { readonly limit?: number | undefined; readonly before?: string | undefined },
): Promise<ThreadHistory> {
  const all = (await rows.tuples(thread, ns)).reverse().map(describe);
  const older = all.filter(
    ({ checkpointId }) => before === undefined || bytewise([checkpointId], [before]) < 0,
  );
  const entries = older.slice(-limit);
  const next = older.length > limit ? entries[0]?.checkpointId : undefined;
  const ids = new Set(entries.map(({ checkpointId }) => checkpointId));
  const seen = new Set<HistoryEntry>();
  const grow = (first: HistoryEntry): Branch => {
    const checkpoints: HistoryEntry[] = [];
    let next = [first];
    for (let [only] = next; only !== undefined && next.length === 1; [only] = next) {
      const { checkpointId } = only;
      seen.add(only);
      checkpoints.push(only);
      next = entries.filter((entry) => entry.parentCheckpointId === checkpointId && !seen.has(entry));
    }
    return { checkpoints, branches: next.map(grow) };
  };
  const roots = entries.filter(({ parentCheckpointId }) => !ids.has(parentCheckpointId ?? "")).map(grow);
  // The remaining checkpoints are in a cycle.
  const circles = entries.flatMap((entry) => (seen.has(entry) ? [] : [grow(entry)]));
  const branches = [...roots, ...circles].sort((a, b) => bytewise(firstId(a), firstId(b)));
  const head = all.at(-1)?.checkpointId;
  return { threadId: thread, checkpointNs: ns, head, branches, ...(next !== undefined && { next }) };
}

function firstId({ checkpoints: [first] }: Branch): string[] {
  return [first?.checkpointId ?? ""];
}

function describe({
  checkpoint,
  parentConfig,
  metadata,
  pendingWrites = [],
}: CheckpointTuple): HistoryEntry & { createdAt: Date } {
  if (metadata === undefined) throw new Error("a checkpoint without metadata");
  return {
    checkpointId: checkpoint.id,
    parentCheckpointId: parentConfig && placeOf(parentConfig).checkpoint_id,
    createdAt: timeIn(checkpoint.id) ?? new Date(checkpoint.ts),
    step: metadata.step,
    source: metadata.source,
    metadata,
    writes: pendingWrites.length,
    interrupted: pendingWrites.some(([, channel]) => channel === INTERRUPT),
  };
}

/** @returns The code of the error, or the rows that the target now has of the source. */
export async function copyThread({ rows }: ReferenceSaver, source: string, target: string) {
  const idsOf = async (thread: string) =>
    (await rows.tuples(thread)).map(({ config }) => {
      const { checkpoint_ns, checkpoint_id } = placeOf(config);
      return keyOf(checkpoint_ns, checkpoint_id);
    });
  const known = new Set(await idsOf(source));
  if ((await idsOf(target)).some((id) => !known.has(id))) return "THREAD_EXISTS";
  const { memory, values, taskPaths } = rows;
  for (const [ns, stored] of Object.entries(memory.storage[source] ?? {})) {
    const namespaces = (memory.storage[target] ??= {});
    namespaces[ns] = { ...stored, ...namespaces[ns] };
  }
  for (const [key, writes] of Object.entries(memory.writes)) {
    const [thread, ...place] = partsOf(key);
    if (thread !== source) continue;
    const copied = keyOf(target, ...place);
    for (const row of Object.keys(writes)) {
      const path = keyOf(target, ...place, row);
      if (!taskPaths.has(path)) taskPaths.set(path, taskPaths.get(keyOf(source, ...place, row)) ?? "");
    }
    memory.writes[copied] = { ...writes, ...memory.writes[copied] };
    rows.sortWrites(copied);
  }
  for (const [key, value] of [...values]) {
    const [thread, ...place] = partsOf(key);
    const copied = keyOf(target, ...place);
    if (thread === source && !values.has(copied)) values.set(copied, value);
  }
  return (await rows.count("thread")).get(keyOf(source)) ?? NO_ROWS;
}
