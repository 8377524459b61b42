import { groupBy } from "../../db/group-by.js";
import type { NamespacePlace } from "../api/places.js";
import type { StoryPage, StoryStep, StoryTasks } from "../api/story.js";
import type { HistoryPoint } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { getHistoryPoints, getWriters } from "../queries/get-history-points.js";
import { getStoryWrites, type StoryWriteRow } from "../queries/get-story-writes.js";
import { pointsOf, storedTimeOf } from "../states/point-of.js";
import { readStoredStates, type StoredState } from "../states/read-states.js";
import { describeState, describeTasks, updateTaskIds, lastNodes } from "../values/next-nodes.js";
import { TaskTeller } from "./tell-tasks.js";
import { z } from "zod";

const WRITES = { maxWritesOfEach: 1_000, maxBytes: 262_144, maxBytesInAll: 4_194_304 };

/** Which steps to read. */
interface StoryPart extends NamespacePlace {
  readonly before: string | undefined;
  readonly limit: number;
}

/**
 * Tells the steps of a namespace, the newest first. It takes a statement for the checkpoints, one for what ran between them, and one for
 * what was written, whose long values are not read. Sends and joins take more: see `readStates`.
 */
export async function readStory(run: CallRun, { limit, ...part }: StoryPart): Promise<StoryPage> {
  const rows = await getHistoryPoints(run.call, { ...part, limit: limit + 1 });
  // One more, which is often the parent of the last one.
  const read = await pointsOf(run, part.threadId, rows);
  const points = read.slice(0, limit);
  const page = new Page(part, read);
  const ids = [...new Set(points.flatMap((point) => page.toldBy(point)))].sort().reverse();
  const places = ids.map((checkpointId) => ({ ...page.place, checkpointId }));
  const [states, writes] = await Promise.all([
    readStoredStates(run, places),
    getStoryWrites(run.call, places, WRITES),
  ]);
  const told = await tellAll(run, page, { ids, states, writes });
  const steps = points.map((point) => stepOf(point, page, told));
  const lone = await nodesOfLoneSteps(run, page.place, steps);
  return {
    steps: steps.map((step) => ({ ...step, ...lone.get(step.checkpointId) })),
    hasMore: rows.length > limit,
  };
}

/** The checkpoints of a page, and how they follow each other. */
class Page {
  readonly place: NamespacePlace;
  readonly #points: ReadonlyMap<string, HistoryPoint>;
  /** By parent, the newest first. */
  readonly #loops: ReadonlyMap<string | undefined, readonly HistoryPoint[]>;

  constructor({ threadId, namespace }: NamespacePlace, points: readonly HistoryPoint[]) {
    this.place = { threadId, namespace };
    this.#points = new Map(points.map((point) => [point.checkpointId, point]));
    this.#loops = groupBy(points.filter(isLoop), ({ parentId }) => parentId);
  }

  /** The checkpoints whose tasks tell something about a step. */
  toldBy(point: HistoryPoint): string[] {
    const { parentId, checkpointId } = point;
    const before = parentId !== undefined && (isLoop(point) || point.source === "update") ? [parentId] : [];
    return this.isOpen(point) ? [...before, checkpointId] : before;
  }

  /** Whether no checkpoint of the page has come of the tasks after one. */
  isOpen({ checkpointId }: HistoryPoint): boolean {
    return !this.#loops.has(checkpointId);
  }

  timeBetween({ parentId, createdAt }: HistoryPoint): number | undefined {
    if (parentId === undefined) return undefined;
    const began = this.#points.get(parentId)?.createdAt ?? storedTimeOf(parentId, null);
    return began === 0 || createdAt < began ? undefined : createdAt - began;
  }

  /** Whether a step went on from a checkpoint that had been left: by a run of its own, or again. */
  wentOn({ parentId, runId, checkpointId }: HistoryPoint): boolean {
    const before = parentId === undefined ? undefined : this.#points.get(parentId);
    const isOfOther = before?.runId !== undefined && runId !== undefined && before.runId !== runId;
    return isOfOther || this.#loops.get(parentId)?.at(-1)?.checkpointId !== checkpointId;
  }
}

interface ReadTasks {
  readonly ids: readonly string[];
  readonly states: readonly (StoredState | undefined)[];
  readonly writes: readonly StoryWriteRow[];
}

/** What is told of a checkpoint: what its tasks did, and what `updateState` wrote to it. */
interface Told {
  readonly tasks: StoryTasks & { readonly status: ReturnType<typeof describeState>["status"] };
  readonly update?: StoryTasks;
}

async function tellAll(
  run: CallRun,
  { place }: Page,
  { ids, states, writes }: ReadTasks,
): Promise<ReadonlyMap<string, Told>> {
  const byCheckpoint = groupBy(writes, (row) => row.checkpoint_id);
  const teller = new TaskTeller(run, place);
  const told = new Map<string, Told>();
  // The oldest first: a message counts for the step that wrote it first.
  for (const [index, checkpointId] of [...ids.entries()].reverse()) {
    const state = states[index];
    if (state === undefined) continue;
    const rows = byCheckpoint.get(checkpointId) ?? [];
    const { status } = describeState(state.header, state.writes);
    const updating = new Set(updateTaskIds(checkpointId));
    const edits = new Set(rows.flatMap(({ task_id: taskId }) => (updating.has(taskId) ? taskId : [])));
    const update = [...edits].map((taskId) => ({ node: undefined, taskIds: [taskId] }));
    const updated = update.length === 0 ? undefined : await teller.tell(update, rows);
    told.set(checkpointId, {
      tasks: { status, ...(await teller.tell(describeTasks(state.header, state.writes), rows)) },
      ...(updated !== undefined && { update: { ...updated, tasks: [] } }),
    });
  }
  return told;
}

function stepOf(point: HistoryPoint, page: Page, told: ReadonlyMap<string, Told>): StoryStep {
  const before = point.parentId === undefined ? undefined : told.get(point.parentId);
  const own = page.isOpen(point) ? told.get(point.checkpointId)?.tasks : undefined;
  const open = own === undefined || own.tasks.length === 0 ? undefined : own;
  if (!isLoop(point)) {
    const ran = point.source === "update" ? before?.update : undefined;
    return { ...point, ...(ran !== undefined && { ran }), ...(open !== undefined && { open }) };
  }
  const tookMs = page.timeBetween(point);
  const waitedFor = waitOf(point, page, before?.tasks);
  const { status: _status, ...ran } = before?.tasks ?? { status: undefined };
  return {
    ...point,
    ...(tookMs !== undefined && { tookMs, ...(waitedFor !== undefined && { waitedFor }) }),
    ...("tasks" in ran && { ran }),
    ...(open !== undefined && { open }),
  };
}

function waitOf(point: HistoryPoint, page: Page, ran: StoryTasks | undefined): StoryStep["waitedFor"] {
  if (ran?.tasks.some(({ questions }) => questions.length > 0) === true) return "person";
  return page.wentOn(point) ? "run" : undefined;
}

function isLoop({ source }: HistoryPoint): boolean {
  return source === "loop";
}

const names = z.array(z.string()).catch([]);

/**
 * Names the nodes of steps whose parents were deleted, from the metadata of LangGraph 0.x or from what the nodes have seen. It sends
 * statements only if there are such steps.
 */
async function nodesOfLoneSteps(
  run: CallRun,
  place: NamespacePlace,
  steps: readonly StoryStep[],
): Promise<ReadonlyMap<string, Pick<StoryStep, "ran">>> {
  const lone = steps.filter(
    ({ source, ran }) => source === "loop" && (ran === undefined || ran.tasks.length === 0),
  );
  const places = lone.map(({ checkpointId }) => ({ ...place, checkpointId }));
  if (places.length === 0) return new Map();
  const [writers, states] = await Promise.all([getWriters(run.call, places), readStoredStates(run, places)]);
  const written = new Map(
    writers.map((row) => [row.checkpoint_id, names.parse(JSON.parse(row.nodes_json ?? "[]"))]),
  );
  return new Map(
    lone.flatMap(({ checkpointId, ran }, index) => {
      const state = states[index];
      const ofMetadata = written.get(checkpointId) ?? [];
      const nodes = ofMetadata.length > 0 || state === undefined ? ofMetadata : lastNodes(state.header);
      return nodes.length === 0 ? [] : [[checkpointId, { ran: tasksOf(nodes, ran) }] as const];
    }),
  );
}

function tasksOf(nodes: readonly string[], ran: StoryTasks | undefined): StoryTasks {
  const tasks = nodes.map((node) => ({ node, taskIds: [], isDone: true, isAnswered: false, questions: [] }));
  const nothing = { omitted: 0, tools: [], messages: [], messageCount: 0, isPartial: true };
  return { ...nothing, ...ran, tasks };
}
