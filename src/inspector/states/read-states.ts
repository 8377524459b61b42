import { readableValues } from "../stored-values/readable-values.js";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { getStates, type StateRow } from "../queries/get-states.js";
import {
  type DescribedState,
  describeState,
  HANDOFF,
  type StateHeader,
  type StateWrite,
} from "../values/next-nodes.js";
import { ERROR, TASKS } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { isRecord } from "../../serde/objects/inspect-object.js";
import { needsValue } from "../values/trigger-channels.js";
import { readHandoffs } from "./handoffs.js";

/** The state of a checkpoint that has been deleted in the meantime. */
const GONE: DescribedState = { status: "done", next: [] };

/**
 * Works out what checkpoints wait for, in one statement, and one more for each checkpoint with Sends or joins, whose values it takes.
 *
 * @param isOlder - For checkpoints that are not the newest of their namespace: what ran next.
 * @returns The states in the order of the checkpoints.
 */
export async function readStates(
  run: Pick<CallRun, "call" | "context" | "signal">,
  places: readonly CheckpointPlace[],
  { isOlder = false }: { readonly isOlder?: boolean } = {},
): Promise<DescribedState[]> {
  const states = await readStoredStates(run, places);
  return states.map((state) =>
    state === undefined ? GONE : describeState(state.header, state.writes, { isOlder }),
  );
}

/** What a checkpoint and its pending writes say about what runs next. */
export type StoredState = Pick<ParsedState, "header" | "writes">;

/**
 * Reads what {@link readStates} works with. A checkpoint that does not exist has no state.
 *
 * @returns The states in the order of the checkpoints.
 */
export async function readStoredStates(
  run: Pick<CallRun, "call" | "context" | "signal">,
  places: readonly CheckpointPlace[],
): Promise<(StoredState | undefined)[]> {
  if (places.length === 0) return [];
  const rows = await getStates(run.call, places);
  const parsedStates = places.map((place) => {
    const row = rows.get(place);
    return row === undefined ? undefined : { place, ...parseState(place, row) };
  });
  const handoffs = await readHandoffs(
    run,
    parsedStates.flatMap((state) =>
      state?.writes.some(({ channel }) => channel === ERROR) === true ? state.place : [],
    ),
  );
  return Promise.all(
    parsedStates.map(async (state) => {
      if (state === undefined) return undefined;
      const { place, header } = state;
      const values = await withValues(run, place, state);
      const writes = state.writes.map((write) =>
        write.channel === ERROR && handoffs.get(place)?.taskIds.has(write.taskId) === true
          ? { ...write, channel: HANDOFF }
          : write,
      );
      return { header: { ...header, values }, writes };
    }),
  );
}

async function withValues(
  run: Pick<CallRun, "context" | "signal">,
  place: CheckpointPlace,
  { header, unread }: ParsedState,
): Promise<ReadonlyMap<string, unknown>> {
  if (unread.length === 0) return header.values;
  const values = await readableValues(run, place, unread);
  if (values === undefined) return header.values;
  const read = new Map(Object.entries(values));
  // LangGraph.js stores `undefined` for the trigger of a deferred node that is empty.
  const isEmpty = (channel: string): boolean => unread.includes(channel) && read.get(channel) === undefined;
  return new Map([...header.values, ...read].filter(([channel]) => !isEmpty(channel)));
}

/** What was stored of a checkpoint, with the values that must be read to know what runs next. */
interface ParsedState {
  readonly header: StateHeader;
  readonly writes: readonly StateWrite[];
  /** The channels in `header.values` whose values are still missing. */
  readonly unread: readonly string[];
}

// A damaged row must not hide the others.
/** By channel. Zod would take a hundred times as long for each, and a thread may have many. */
const versions = z.custom<Readonly<Record<string, string | number>>>(areVersions).catch({});
const seen = z.record(z.string(), versions).catch({});
const names = z.array(z.string()).catch([]);
const values = z.array(z.tuple([z.string(), z.string(), z.number().nullable()])).catch([]);
const writes = z.array(z.tuple([z.string(), z.string(), z.string()])).catch([]);

/** More is not read to name the nodes of Sends. */
const MAX_READ_BYTES = 262_144;

function parseState({ namespace, checkpointId }: CheckpointPlace, row: StateRow): ParsedState {
  const stored = parsed(values, row.values_json);
  const present = new Map<string, unknown>(parsed(names, row.inline_json).map((name) => [name, undefined]));
  const unread: string[] = [];
  for (const [channel, type, bytes] of stored) {
    if (channel === TASKS && isEmptyList(bytes)) continue;
    present.set(channel, undefined);
    if (needsValue(channel) && mayBePair(type, bytes) && (bytes ?? 0) <= MAX_READ_BYTES) unread.push(channel);
  }
  if (row.has_older_sends) {
    present.set(TASKS, undefined);
    unread.push(TASKS);
  }
  return {
    header: {
      namespace,
      checkpointId,
      step: row.step === null || !/^-?\d+$/.test(row.step) ? undefined : Number(row.step),
      channelVersions: parsed(versions, row.versions_json),
      versionsSeen: parsed(seen, row.seen_json),
      values: present,
    },
    writes: parsed(writes, row.writes_json).map(([taskId, taskPath, channel]) => ({
      taskId,
      taskPath,
      channel,
    })),
    unread,
  };
}

function areVersions(value: unknown): boolean {
  return (
    isRecord(value) &&
    Object.values(value).every((version) => typeof version === "string" || typeof version === "number")
  );
}

function parsed<Output>(schema: z.ZodType<Output>, text: string | null): Output {
  return schema.parse(text === null ? undefined : JSON.parse(text));
}

/** The channel of Sends is stored empty with every later checkpoint. No Send is as short as an empty list, or a pair of them. */
function isEmptyList(bytes: number | null): boolean {
  return (bytes ?? 0) < 8;
}

/** Most triggers hold `null`, and need not be read. */
function mayBePair(type: string, bytes: number | null): boolean {
  return (bytes ?? 0) > (type === "json" ? 4 : 2);
}
