import type { RunnableConfig } from "@langchain/core/runnables";
import type {
  CheckpointPendingWrite,
  CheckpointTuple,
  DeltaChannelHistory,
} from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../db/call-context.js";
import { DeserializationError } from "../errors/index.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { CheckpointKey, NamespaceKey } from "./model/keys.js";
import { compareWrites, type WriteOrder } from "./codec/group-rows.js";
import { decodeJsonb } from "../serde/json/jsonb.js";
import { decodeValue, INLINE_REFUSAL, type ValueReader } from "./codec/decode-value.js";
import { storedValueOf } from "./codec/stored-value.js";
import { valueReader, readUnreplaced } from "./read-long-values.js";
import type { DeltaRow, DeltaStep } from "./queries/delta-row.js";
import { getDeltaRows } from "./queries/get-delta-rows.js";

type Target = NamespaceKey & Partial<CheckpointKey>;

/** Reads what the walk of the base class from parent to parent returns, in one statement. */
export async function deltaChannelHistory(
  call: CallContext,
  target: Target | undefined,
  channels: readonly string[],
  serde: ContextualSerializer,
): Promise<Record<string, DeltaChannelHistory>> {
  if (target === undefined) return Object.fromEntries(channels.map((channel) => [channel, { writes: [] }]));
  const { threadId, checkpointNs } = target;
  return readUnreplaced(async () => {
    const reader = valueReader(call, serde);
    const rows = channels.length === 0 ? [] : await getDeltaRows(call, target, channels);
    const ancestors = oldestFirst(rows);
    const histories = channels.map(async (channel) => {
      const own = rows.filter((row) => row.channel === channel);
      return [channel, await historyOf(own, ancestors, reader, { threadId, checkpointNs, channel })] as const;
    });
    return Object.fromEntries(await Promise.all(histories));
  });
}

type ChannelLocation = NamespaceKey & { readonly channel: string };

async function historyOf(
  rows: readonly DeltaRow[],
  ancestors: readonly string[],
  reader: ValueReader,
  location: ChannelLocation,
): Promise<DeltaChannelHistory> {
  const writes = inOrder(rows, ancestors).map(async (row): Promise<CheckpointPendingWrite> => {
    const place = { ...location, checkpointId: row.checkpoint_id ?? "" };
    const taskId = row.task_id ?? "";
    const context = { ...place, taskId, idx: row.idx ?? 0 };
    return [
      taskId,
      location.channel,
      await decodeValue(reader, storedValueOf(row.type, row.blob), context, place),
    ];
  });
  // A blob takes precedence over a value in the header. Python's saver leaves a marker there.
  const seed = rows.find(({ part }) => part === "seed") ?? rows.find(({ part }) => part === "inline");
  const history: DeltaChannelHistory = { writes: await Promise.all(writes) };
  if (seed === undefined) return history;
  return { ...history, seed: await decodeSeed(seed, reader, location) };
}

async function decodeSeed(row: DeltaRow, reader: ValueReader, location: ChannelLocation): Promise<unknown> {
  const place = { ...location, checkpointId: row.checkpoint_id ?? "" };
  if (row.json === null)
    return decodeValue(
      reader,
      storedValueOf(row.type, row.blob),
      { ...location, version: row.version ?? "" },
      place,
    );
  if (reader.serde.refusesPlaintext === true) throw new DeserializationError(INLINE_REFUSAL, place);
  return decodeJsonb(row.json, place, "header");
}

/** The ancestors in the order of the walk. If damaged rows are each other's ancestors, it starts with any of them. */
function oldestFirst(rows: readonly DeltaRow[]): string[] {
  const steps = stepsOf(rows);
  const parents = new Map(steps);
  const isParent = new Set(parents.values());
  const newestFirst = new Set<string>();
  const [start] = steps.find(([id]) => !isParent.has(id)) ?? steps[0] ?? [];
  for (let next: string | null | undefined = start; typeof next === "string"; next = parents.get(next)) {
    if (!parents.has(next) || newestFirst.has(next)) break;
    newestFirst.add(next);
  }
  return [...newestFirst].reverse();
}

function stepsOf(rows: readonly DeltaRow[]): DeltaStep[] {
  const json = rows.find(({ part }) => part === "steps")?.json;
  // Our own statement builds this value. It is NULL where the walk found no ancestor.
  return typeof json === "string" ? (JSON.parse(json) as DeltaStep[]) : [];
}

/** Returns the writes among the rows, those of the oldest ancestor first. */
function inOrder(rows: readonly DeltaRow[], ancestors: readonly string[]): DeltaRow[] {
  const byCheckpoint = new Map<string, DeltaRow[]>(ancestors.map((id) => [id, []]));
  for (const row of rows) {
    if (row.part === "write") byCheckpoint.get(row.checkpoint_id ?? "")?.push(row);
  }
  return [...byCheckpoint.values()].flatMap((writes) =>
    writes.sort((a, b) => compareWrites(orderOf(a), orderOf(b))),
  );
}

function orderOf({ task_path, task_id, idx }: DeltaRow): WriteOrder {
  return { taskPath: task_path ?? "", taskId: task_id ?? "", idx: idx ?? 0 };
}

type ReadTuple = (config: RunnableConfig) => Promise<CheckpointTuple | undefined>;

/**
 * Wraps a read so that it reads no checkpoint twice. A walk from parent to parent then ends also where parents form a
 * cycle.
 */
export function readEachOnce(read: ReadTuple): ReadTuple {
  const seen = new Set<string>();
  return async (config) => {
    const tuple = await read(config);
    if (tuple === undefined || seen.has(tuple.checkpoint.id)) return undefined;
    seen.add(tuple.checkpoint.id);
    return tuple;
  };
}
