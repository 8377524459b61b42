import { isUnreadable } from "../../errors/index.js";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { getStates } from "../queries/get-states.js";
import { configOf } from "../stored-values/config-of.js";
import { type DescribedState, describeState } from "../values/next-nodes.js";
import { type ParsedState, parseState } from "./parse-state.js";

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
  return Promise.all(
    places.map(async (place) => {
      const row = rows.get(place);
      if (row === undefined) return undefined;
      const { header, writes, unread } = parseState(place, row);
      const values = await withValues(run, place, { header, writes, unread });
      return { header: { ...header, values }, writes };
    }),
  );
}

async function withValues(
  { context, signal }: Pick<CallRun, "context" | "signal">,
  place: CheckpointPlace,
  { header, unread }: ParsedState,
): Promise<ReadonlyMap<string, unknown>> {
  if (unread.length === 0) return header.values;
  try {
    const tuple = await context.saver.getTuple(configOf(place), { channels: unread, writes: false, signal });
    const read = new Map(Object.entries(tuple?.checkpoint.channel_values ?? {}));
    // LangGraph.js stores `undefined` for the trigger of a deferred node that is empty.
    const isEmpty = (channel: string): boolean => unread.includes(channel) && read.get(channel) === undefined;
    return new Map([...header.values, ...read].filter(([channel]) => !isEmpty(channel)));
  } catch (error) {
    // A value that this saver can't read, for example for want of a key, must not hide the thread.
    if (isUnreadable(error)) return header.values;
    throw error;
  }
}
