import type { CheckpointPlace } from "../api/places.js";
import type { ThreadHit, ThreadHits, ThreadSearch } from "../api/finds.js";
import type { CallRun } from "../calls/call-definition.js";
import { getStateSizes, parsedSizes } from "../queries/get-states.js";
import { listCheckpointsOfThread } from "../queries/thread-checkpoints.js";
import { describeOpenTask, type OpenWrite, readOpenTasks } from "../states/open-tasks.js";
import { stepAndSource, storedTimeOf } from "../states/point-of.js";
import { readableValues } from "../stored-values/readable-values.js";
import { readMessage } from "../values/read-message.js";
import { wayTo, type WalkedPart } from "../values/search-value.js";
import { isChannelOfEngine } from "../values/trigger-channels.js";
import { textAt } from "../values/value-parts.js";
import { type Excerpt, excerptOf, type SearchTerm, termsOf } from "./excerpt-of.js";
import { searchChannel } from "./search-state.js";
import { MAX_TEXT, MAX_SEARCHED_BYTES, partsOf } from "./search-threads.js";

/** How many steps an answer is about at most, how many bytes of values are read for it, and how much it finds. */
const MAX_STEPS = 200;
const MAX_BYTES = 16 * 1_024 * 1_024;
const MAX_HITS = 100;

/** A step of a thread with what is to be read of it. */
interface SearchedStep {
  readonly place: CheckpointPlace;
  readonly facts: Pick<ThreadHit, "step" | "at">;
  /** The channels whose values differ from those of earlier steps. */
  readonly channels: readonly string[];
  readonly bytes: number;
}

/**
 * Searches the steps of a thread in all namespaces, the newest first: the texts of their values, and the questions and errors of their open
 * tasks. Each value is read once, and a text that many steps have is found once, at the earliest of them.
 */
export async function searchThread(
  run: CallRun,
  { threadId, search, before }: ThreadSearch,
): Promise<ThreadHits> {
  const terms = termsOf(search);
  const rows = await listCheckpointsOfThread(run.call, { threadId, before, limit: MAX_STEPS + 1 });
  const { steps, isUnread } = await stepsOf(run, threadId, rows.slice(0, MAX_STEPS));
  const tasks = await readOpenTasks(
    run,
    steps.map(({ place }) => place),
  );
  const hits = new Map<string, ThreadHit>();
  let [looked, bytes, last] = [0, 0, ""];
  for (const part of partsOf(steps, (step) => step.bytes)) {
    if (terms.length === 0 || bytes >= MAX_BYTES || hits.size >= MAX_HITS) break;
    const values = await Promise.all(part.map((step) => valuesOf(run, step)));
    for (const [index, step] of part.entries()) {
      looked += 1;
      bytes += step.bytes;
      last = step.place.checkpointId;
      const found = hitsOf(
        run,
        { ...step, tasks: tasks.get(step.place) ?? [], values: values[index] },
        terms,
      );
      for await (const hit of found) {
        // It moves to where it was earlier.
        if (hits.delete(hit.key) || hits.size < MAX_HITS) hits.set(hit.key, hit);
      }
    }
  }
  return {
    hits: [...hits.values()],
    looked,
    ...((isUnread || hits.size === MAX_HITS) && { isPartial: true }),
    ...(looked > 0 && looked < rows.length && { next: last }),
  };
}

/** Works out which values of the steps are read: each version of a channel once, at the earliest step that has it. */
async function stepsOf(
  { call }: CallRun,
  threadId: string,
  rows: Awaited<ReturnType<typeof listCheckpointsOfThread>>,
): Promise<{ readonly steps: readonly SearchedStep[]; readonly isUnread: boolean }> {
  const places = rows.map(({ checkpoint_ns: namespace, checkpoint_id: checkpointId }) => ({
    ...{ threadId, namespace, checkpointId },
  }));
  const sizes = await getStateSizes(call, places);
  const seen = new Set<string>();
  let isUnread = false;
  const stepAt = (place: CheckpointPlace, index: number): SearchedStep => {
    const row = sizes.get(place);
    const fresh = (row === undefined ? [] : parsedSizes(row)).filter(([channel, long, version]) => {
      const key = JSON.stringify([place.namespace, channel, version]);
      if (isChannelOfEngine(channel) || seen.has(key)) return false;
      seen.add(key);
      if (long > MAX_SEARCHED_BYTES) isUnread = true;
      return long <= MAX_SEARCHED_BYTES;
    });
    const { step: stored = null, ts = null } = rows[index] ?? {};
    const { step } = stepAndSource({ step: stored, source: null });
    return {
      place,
      facts: { at: storedTimeOf(place.checkpointId, ts), ...(step !== undefined && { step }) },
      channels: fresh.map(([channel]) => channel),
      bytes: fresh.reduce((sum, [, long]) => sum + long, 0),
    };
  };
  const earliestFirst = [...places.entries()].reverse().map(([index, place]) => stepAt(place, index));
  return { steps: earliestFirst.reverse(), isUnread };
}

async function valuesOf(run: CallRun, { place, channels }: SearchedStep) {
  return channels.length === 0 ? {} : readableValues(run, place, channels);
}

interface ReadStep extends SearchedStep {
  readonly tasks: readonly OpenWrite[];
  /** `undefined` where they can't be read. */
  readonly values: Readonly<Record<string, unknown>> | undefined;
}

/** Yields each text of a step that has all of the terms. */
async function* hitsOf(
  run: CallRun,
  { place, facts, tasks, values = {} }: ReadStep,
  terms: readonly SearchTerm[],
): AsyncGenerator<ThreadHit> {
  for (const task of tasks) {
    const { kind, text } = describeOpenTask(task, MAX_TEXT);
    const excerpts = await Promise.all(terms.map(({ finder }) => excerptOf(text, finder, run.signal)));
    const [first] = excerpts;
    if (first === undefined || excerpts.includes(undefined)) continue;
    yield { key: keyOf([kind, task.row.task_id], first), kind, ...place, ...facts, ...first };
  }
  for (const [channel, value] of Object.entries(values)) {
    /** Of a message, one text: that of its content, if it has the terms. */
    const hits = new Map<string, ThreadHit>();
    let [current, count]: [WalkedPart | undefined, number] = [undefined, 0];
    let hit: ThreadHit | undefined;
    for await (const { part, found } of searchChannel(value, terms, run.signal)) {
      count = part === current ? count + 1 : 1;
      if (count === 1) {
        const id = messageIdIn(part);
        const key = keyOf(
          [place.namespace, channel, id ?? found.label],
          id === undefined ? found : undefined,
        );
        hit = { key, kind: "value", ...place, ...facts, channel, ...found };
      }
      current = part;
      if (count !== terms.length || hit === undefined) continue;
      if (!hits.has(hit.key) || hit.label?.includes("content") === true) hits.set(hit.key, hit);
    }
    yield* hits.values();
  }
}

function keyOf(where: readonly (string | undefined)[], excerpt: Excerpt | undefined): string {
  return JSON.stringify([...where, excerpt?.before, excerpt?.match, excerpt?.after]);
}

function messageIdIn(part: WalkedPart): string | undefined {
  const message = readMessage(wayTo(part)[0]?.value);
  return message && textAt(message.fields, "id");
}
