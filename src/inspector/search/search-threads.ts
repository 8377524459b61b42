import type { CheckpointPlace } from "../api/places.js";
import type { FoundText, ThreadRow, ThreadStatus } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { getStateSizes, NEWEST, type StateSizesRow, parsedSizes } from "../queries/get-states.js";
import { describeOpenTask, type OpenWrite, readOpenTasks } from "../states/open-tasks.js";
import {
  isOpen,
  type ListedThread,
  type ThreadInState,
  withFirstTask,
  withStates,
} from "../threads/describe-threads.js";
import { excerptOf, excerptOfName, findFact, type SearchTerm } from "./excerpt-of.js";
import { type SearchedState, searchState } from "./search-state.js";

/** How many threads are read at the same time. */
const BATCH = 50;
/** Longer values are not searched, and a thread with one says so. */
export const MAX_SEARCHED_BYTES = 4 * 1_024 * 1_024;
/** How many bytes of values a search reads before it answers. */
const MAX_BYTES = 64 * 1_024 * 1_024;
/** How many bytes of values are in memory at the same time. */
const MAX_BYTES_AT_ONCE = 16 * 1_024 * 1_024;
/** The most characters of a question or an error. */
export const MAX_TEXT = 262_144;

/** What to search threads for. */
interface ThreadSearch {
  /** A thread must have all of them. */
  readonly terms: readonly SearchTerm[];
  /** Only threads in this state. */
  readonly state: ThreadStatus | undefined;
  readonly limit: number;
}

/** What a search has found among threads. */
interface SearchedThreads {
  /** Those that have all of the terms. */
  readonly threads: readonly ThreadRow[];
  /** How many of the threads were looked at, from the first one on. */
  readonly looked: number;
  /** How many of them have values that were not searched: too long, or unreadable for this saver. */
  readonly unread: number;
}

/**
 * Searches threads, one after another: their ids and their metadata. Where these do not have all of the terms, their current state: the
 * questions and errors of their open tasks, the values of the checkpoint that is listed, and those of the newest one of the root graph. It
 * stops when it has found enough, or has read enough for one answer.
 */
export async function searchThreads(
  run: CallRun,
  listed: readonly ListedThread[],
  { terms, state, limit }: ThreadSearch,
): Promise<SearchedThreads> {
  const threads: ThreadRow[] = [];
  let [looked, unread, bytes] = [0, 0, 0];
  while (looked < listed.length && bytes < MAX_BYTES) {
    const batch = await withStates(run, listed.slice(looked, looked + BATCH));
    const asked = batch.filter(({ status }) => state === undefined || status === state);
    const names = new Map(asked.map((thread) => [thread, searchNames(thread, terms)]));
    const states = await statesOf(
      run,
      asked.filter((thread) => names.get(thread)?.missing.length !== 0),
    );
    const tasks = await readOpenTasks(
      run,
      asked.filter(({ status }) => isOpen(status)),
    );
    for (const part of partsOf(batch, (thread) => sizeOf(states.get(thread)))) {
      const searches = part.map((thread) =>
        searchThread(run, thread, {
          ...{ tasks: tasks.get(thread) ?? [], states: states.get(thread) ?? [] },
          names: names.get(thread),
        }),
      );
      for (const [index, { isFound, found, isUnread }] of (await Promise.all(searches)).entries()) {
        const thread = part[index];
        looked += 1;
        if (isUnread) unread += 1;
        if (thread !== undefined && isFound)
          threads.push({ ...withFirstTask(thread, tasks.get(thread) ?? []), ...(found && { found }) });
        if (threads.length === limit) return { threads, looked, unread };
      }
      bytes += part.reduce((sum, thread) => sum + sizeOf(states.get(thread)), 0);
      if (bytes >= MAX_BYTES) break;
    }
  }
  return { threads, looked, unread };
}

/** Splits threads into parts whose values are in memory at the same time: one thread at least, however long its values are. */
export function partsOf<Thread>(threads: readonly Thread[], bytesOf: (thread: Thread) => number): Thread[][] {
  const parts: Thread[][] = [];
  let room = 0;
  for (const thread of threads) {
    const bytes = bytesOf(thread);
    const last = parts.at(-1);
    if (last === undefined || bytes > room) {
      parts.push([thread]);
      room = MAX_BYTES_AT_ONCE - bytes;
    } else {
      last.push(thread);
      room -= bytes;
    }
  }
  return parts;
}

function sizeOf(states: readonly MeasuredState[] = []): number {
  return states.reduce((sum, { bytes }) => sum + bytes, 0);
}

interface MeasuredState extends SearchedState {
  readonly bytes: number;
}

/** What the id and the metadata of a thread have of a search. */
interface FoundNames {
  readonly missing: readonly SearchTerm[];
  readonly found: FoundText | undefined;
}

function searchNames(thread: ThreadInState, terms: readonly SearchTerm[]): FoundNames {
  const { threadId, namespace, checkpointId, metadata, conversation } = thread;
  let found: FoundText | undefined;
  const missing = terms.filter(({ text }) => {
    if (excerptOfName(threadId, text) !== undefined) return false;
    const fact = findFact({ ...metadata, ...conversation }, text);
    if (fact === undefined) return true;
    found ??= { kind: "metadata", threadId, namespace, checkpointId, ...fact };
    return false;
  });
  return { missing, found };
}

/** What a search has found in a thread. */
interface SearchedThread {
  /** Whether the thread has all of the terms. */
  readonly isFound: boolean;
  readonly found?: FoundText | undefined;
  readonly isUnread: boolean;
}

async function searchThread(
  run: CallRun,
  { threadId, namespace, checkpointId }: ThreadInState,
  {
    tasks,
    states,
    names,
  }: {
    readonly tasks: readonly OpenWrite[];
    readonly states: readonly MeasuredState[];
    /** `undefined` for a thread that is not searched. */
    readonly names: FoundNames | undefined;
  },
): Promise<SearchedThread> {
  if (names === undefined) return { isFound: false, isUnread: false };
  let { missing } = names;
  let found: FoundText | undefined;
  for (const task of tasks) {
    const { kind, text } = describeOpenTask(task, MAX_TEXT);
    for (const term of missing) {
      const excerpt = await excerptOf(text, term.finder, run.signal);
      if (excerpt === undefined) continue;
      found ??= { kind, threadId, namespace, checkpointId, ...excerpt };
      missing = missing.filter((other) => other !== term);
    }
  }
  let isUnread = false;
  for (const state of states) {
    if (missing.length === 0) break;
    const searched = await searchState(run, state, missing);
    if (searched === undefined || state.channels !== undefined) isUnread = true;
    found ??= searched?.values().next().value;
    missing = missing.filter((term) => searched?.has(term) !== true);
  }
  if (missing.length > 0) return { isFound: false, isUnread };
  return { isFound: true, found: found ?? names.found, isUnread: false };
}

/** Which values of threads are searched. */
async function statesOf(
  { call }: CallRun,
  threads: readonly ThreadInState[],
): Promise<ReadonlyMap<ThreadInState, readonly MeasuredState[]>> {
  const places = threads.map(({ threadId, namespace, checkpointId }): readonly CheckpointPlace[] => [
    { threadId, namespace, checkpointId },
    // A subgraph may have stored the newest checkpoint of all.
    ...(namespace === "" ? [] : [{ threadId, namespace: "", checkpointId: NEWEST }]),
  ]);
  const rows = await getStateSizes(call, places.flat());
  return new Map(
    threads.map((thread, index) => {
      const measured = (places[index] ?? []).flatMap((place) => {
        const row = rows.get(place);
        return row === undefined ? [] : [measuredState(place, row)];
      });
      return [thread, measured] as const;
    }),
  );
}

function measuredState(place: CheckpointPlace, row: StateSizesRow): MeasuredState {
  const sizes = parsedSizes(row);
  const read = sizes.filter(([, bytes]) => bytes <= MAX_SEARCHED_BYTES);
  return {
    place: { ...place, checkpointId: row.checkpoint_id },
    // Reads of the same parts share a statement, so all are read unless one is too long.
    channels: read.length === sizes.length ? undefined : read.map(([channel]) => channel),
    bytes: read.reduce((sum, [, bytes]) => sum + bytes, 0),
  };
}
