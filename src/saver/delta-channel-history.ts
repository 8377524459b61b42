import type { CheckpointPendingWrite, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { CheckpointTables } from "../db/checkpoint-tables.js";
import { DeserializationError } from "../errors.js";
import { parseJsonText } from "../serde/json/json-text.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { CheckpointKey, NamespaceKey } from "./checkpoint-key.js";
import { compareText } from "./codec/compare-text.js";
import { decodeValue, INLINE_REFUSAL } from "./codec/decode-value.js";
import { storedValueOf } from "./codec/stored-value.js";
import type { DeltaRow } from "./queries/delta-row.js";
import { getDeltaRows } from "./queries/get-delta-rows.js";

type Target = NamespaceKey & Partial<CheckpointKey>;

/** What the base class's walk from parent to parent returns, read in one statement. */
export async function deltaChannelHistory(
  tables: CheckpointTables,
  target: Target | undefined,
  channels: readonly string[],
  serde: ContextualSerializer,
): Promise<Record<string, DeltaChannelHistory>> {
  if (target === undefined) return Object.fromEntries(channels.map((channel) => [channel, { writes: [] }]));
  const rows = channels.length === 0 ? [] : await getDeltaRows(tables, target, channels);
  const { threadId, checkpointNs } = target;
  const depths = depthOfEach(rows);
  const histories = channels.map(async (channel) => {
    const own = rows.filter((row) => row.channel === channel);
    return [channel, await historyOf(own, depths, serde, { threadId, checkpointNs, channel })] as const;
  });
  return Object.fromEntries(await Promise.all(histories));
}

type ChannelLocation = NamespaceKey & { readonly channel: string };

async function historyOf(
  rows: readonly DeltaRow[],
  depths: ReadonlyMap<string, number>,
  serde: ContextualSerializer,
  location: ChannelLocation,
): Promise<DeltaChannelHistory> {
  const depthOf = (row: DeltaRow): number => depths.get(row.checkpoint_id ?? "") ?? 0;
  const writes = rows
    .filter(({ part }) => part === "write")
    .sort((a, b) => depthOf(b) - depthOf(a) || byTask(a, b))
    .map(async (row): Promise<CheckpointPendingWrite> => {
      const place = { ...location, checkpointId: row.checkpoint_id ?? "" };
      const taskId = row.task_id ?? "";
      const value = await decodeValue(
        serde,
        storedValueOf(row.type, row.blob),
        { ...place, taskId, idx: row.idx ?? 0 },
        place,
      );
      return [taskId, location.channel, value];
    });
  // A blob wins over what the header has of the same channel: Python leaves a marker there.
  const seed = rows.find(({ part }) => part === "seed") ?? rows.find(({ part }) => part === "inline");
  const history: DeltaChannelHistory = { writes: await Promise.all(writes) };
  if (seed === undefined) return history;
  return { ...history, seed: await decodeSeed(seed, serde, location) };
}

async function decodeSeed(
  row: DeltaRow,
  serde: ContextualSerializer,
  location: ChannelLocation,
): Promise<unknown> {
  const place = { ...location, checkpointId: row.checkpoint_id ?? "" };
  if (row.json === null)
    return decodeValue(
      serde,
      storedValueOf(row.type, row.blob),
      { ...location, version: row.version ?? "" },
      place,
    );
  if (serde.refusesPlaintext === true) throw new DeserializationError(INLINE_REFUSAL, place);
  return parseJsonText(row.json);
}

/** How far above the target each ancestor is: every step names the next one. */
function depthOfEach(rows: readonly DeltaRow[]): Map<string, number> {
  const json = rows.find(({ part }) => part === "steps")?.json ?? "{}";
  const parents = new Map(Object.entries(steps.parse(JSON.parse(json))));
  const isParent = new Set(parents.values());
  const depths = new Map<string, number>();
  let next: string | null | undefined = [...parents.keys()].find((id) => !isParent.has(id));
  while (typeof next === "string" && !depths.has(next)) {
    depths.set(next, depths.size);
    next = parents.get(next);
  }
  return depths;
}

const steps = z.record(z.string(), z.string().nullable());

/** The base class orders the writes of a checkpoint by their task first, whatever their paths. */
function byTask(a: DeltaRow, b: DeltaRow): number {
  return (
    compareText(a.task_id ?? "", b.task_id ?? "") ||
    compareText(a.task_path ?? "", b.task_path ?? "") ||
    (a.idx ?? 0) - (b.idx ?? 0)
  );
}
