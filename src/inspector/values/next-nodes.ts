import { RESUME, TASKS, uuid5 } from "@langchain/langgraph-checkpoint";
import { nodeOfPath } from "../../saver/model/keys.js";
import { groupBy } from "../../db/group-by.js";
import type { ThreadStatus } from "../api/threads.js";
import {
  CONTROL_CHANNELS,
  NULL_TASK_ID,
  startsNodes,
  nodeByName,
  nodesOfSends,
  START,
} from "./trigger-channels.js";

type Version = string | number;

/** What a checkpoint without its values says about what runs next. */
export interface StateHeader {
  readonly namespace: string;
  readonly checkpointId: string;
  /** From the metadata. */
  readonly step: number | undefined;
  readonly channelVersions: Readonly<Record<string, Version>>;
  /** By node: the versions of its triggers when it ran. */
  readonly versionsSeen: Readonly<Record<string, Readonly<Record<string, Version>>>>;
  /**
   * The channels that have a value. The values of those for which `needsValue` is true must be there; `undefined` stands for one that was
   * not read. Of others only the names count.
   */
  readonly values: ReadonlyMap<string, unknown>;
}

/** A pending write without its value. */
export interface StateWrite {
  readonly taskId: string;
  /** Empty where an older LangGraph.js stored the write. */
  readonly taskPath: string;
  readonly channel: string;
}

/** The channel that stands for the error by which a task has handed over to the parent graph. It counts as the output of the task. */
export const HANDOFF = "__handoff__";

/** What a namespace waits for. */
export interface DescribedState {
  readonly status: ThreadStatus;
  /** The nodes that run next: those of Sends in their order, then the others by name. */
  readonly next: readonly string[];
  /** Whether the graph has ended by handing over to a node of its parent graph. */
  readonly handedOver?: true;
}

const CONTROL = new Set(CONTROL_CHANNELS);
/** Names in `versions_seen` that are not nodes. */
const NOT_NODES = new Set(["__input__", "__interrupt__", "__snapshot_bumps__"]);
/** What `uuid5` accepts. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const MOST_UPDATES = 8;

/**
 * Works out what runs next at a checkpoint, as `getState` of LangGraph does, but without the graph: a node runs when one of its triggers
 * has a value in a version that the node has not seen. What triggers a node is known from the names of the channels, and from what the
 * node has seen when it ran before.
 *
 * A node whose task is interrupted or has failed runs again, so it is among the next ones, also after the answer to an earlier interrupt,
 * where `getState` leaves it out. One that has written its output is not.
 *
 * @param writes - The pending writes.
 * @param isOlder - Whether the checkpoint is not the newest: its tasks have written since, and are returned nevertheless.
 */
export function describeState(
  header: StateHeader,
  writes: readonly StateWrite[],
  { isOlder = false }: { readonly isOlder?: boolean } = {},
): DescribedState {
  const tasks = tasksOf(writes);
  const finished = finishedTasks(tasks);
  const next = triggered(header, tasks)
    .filter((task) => isOlder || !isFinished(task, header, finished))
    .map(({ node }) => node);
  const handsOver = [...tasks.values()].some(({ channels }) => channels.has(HANDOFF));
  return { status: statusOf(tasks, next), next, ...(handsOver && { handedOver: true }) };
}

/** A task that has begun after a checkpoint, or would begin. */
export interface DescribedTask {
  /** The node, where it is known. */
  readonly node: string | undefined;
  /** The id by which the task has written; otherwise those that it may have. */
  readonly taskIds: readonly string[];
}

/** Works out the tasks after a checkpoint, finished ones too: those of Sends, those of triggered nodes by name, and others that have written. */
export function describeTasks(header: StateHeader, writes: readonly StateWrite[]): DescribedTask[] {
  const tasks = tasksOf(writes);
  const byPath = new Map([...tasks].map(([taskId, { path }]) => [path, taskId]));
  // An answer that names its interrupt belongs to that, and not to a task.
  const others = new Set([...tasks].flatMap(([id, { channels }]) => (isAnswer(channels) ? [] : id)));
  const known = triggered(header, tasks).map((task): DescribedTask => {
    const ids = idsOf(task, header);
    const path = task.paths.find((each) => byPath.has(each));
    const taskId = path === undefined ? ids.find((id) => tasks.has(id)) : byPath.get(path);
    if (taskId !== undefined) others.delete(taskId);
    return { node: task.node, taskIds: taskId === undefined ? ids : [taskId] };
  });
  const updating = updateTaskIds(header.checkpointId);
  const more = [...others].map((taskId): DescribedTask => {
    const node = nodeOfPath(tasks.get(taskId)?.path ?? "");
    return { node, taskIds: [taskId] };
  });
  return [...known, ...more.filter(({ taskIds }) => !taskIds.some((id) => updating.includes(id)))];
}

function isAnswer(channels: ReadonlySet<string>): boolean {
  return channels.size === 1 && channels.has(RESUME);
}

/** The ids that the engines give to the writes of `updateState`, of as many updates at once as anybody sends. */
export function updateTaskIds(checkpointId: string): readonly string[] {
  if (!UUID.test(checkpointId)) return [];
  return Array.from({ length: MOST_UPDATES }, (_, index) =>
    uuid5(index === 0 ? "__interrupt__" : `__interrupt__:${index}`, checkpointId),
  );
}

/**
 * The nodes that ran last, as far as a checkpoint itself tells: those that have seen the newest version of a trigger. For a checkpoint whose
 * parent was deleted.
 */
export function lastNodes({ versionsSeen }: Pick<StateHeader, "versionsSeen">): readonly string[] {
  const newest = new Map<string, Version>();
  for (const [node, seen] of Object.entries(versionsSeen)) {
    if (NOT_NODES.has(node)) continue;
    for (const version of Object.values(seen)) {
      if (isNewer(version, newest.get(node))) newest.set(node, version);
    }
  }
  const last = [...newest.values()].reduce<Version | undefined>(
    (most, version) => (isNewer(version, most) ? version : most),
    undefined,
  );
  return [...newest].filter(([, version]) => version === last).map(([node]) => node);
}

function statusOf(tasks: ReadonlyMap<string, TaskWrites>, next: readonly string[]): ThreadStatus {
  const open = [...tasks.values()].filter((task) => !task.hasOutput);
  if (open.some(({ channels }) => channels.has("__error__"))) return "failed";
  if (open.some(({ channels }) => channels.has("__interrupt__"))) return "interrupted";
  return next.length > 0 ? "pending" : "done";
}

interface TaskWrites {
  readonly path: string;
  readonly channels: Set<string>;
  hasOutput: boolean;
}

function tasksOf(writes: readonly StateWrite[]): ReadonlyMap<string, TaskWrites> {
  const tasks = new Map<string, TaskWrites>();
  for (const { taskId, taskPath, channel } of writes) {
    // What a `Command` brings belongs to no task.
    if (taskId === NULL_TASK_ID) continue;
    const task = tasks.get(taskId) ?? { path: taskPath, channels: new Set<string>(), hasOutput: false };
    tasks.set(taskId, task);
    task.channels.add(channel);
    task.hasOutput ||= !CONTROL.has(channel);
  }
  return tasks;
}

/** A task of the next step. */
interface NextTask {
  readonly node: string;
  /** How the engines name the task in the paths of its writes. */
  readonly paths: readonly string[];
  /** What the engine makes the id of the task from, after the step and the name; one for each trigger that it may have chosen. */
  readonly origins: readonly (readonly unknown[])[];
}

/** Sends whose value was not read stand among the next nodes as their channel. */
function sendsOf({ values }: StateHeader): ReturnType<typeof nodesOfSends> {
  const sends = values.get(TASKS);
  return sends === undefined && values.has(TASKS) ? [[0, TASKS]] : nodesOfSends(sends);
}

function triggered(header: StateHeader, tasks: ReadonlyMap<string, TaskWrites>): NextTask[] {
  const sent = sendsOf(header).map(([index, node]) => ({
    node,
    paths: ["", ", 0000000000"].map((flag) => `~__pregel_push, ${String(index).padStart(10, "0")}${flag}`),
    origins: [["__pregel_push", String(index)]],
  }));
  const pulled = [...triggersByNode(header, nodesOfPaths(tasks))]
    .filter(([, triggers]) => triggers.length > 0)
    .map(([node, triggers]) => ({
      node,
      paths: [`~__pregel_pull, ${node}`],
      origins: triggers.map((trigger) => ["__pregel_pull", [trigger]]),
    }));
  return [...sent, ...pulled.sort((a, b) => (a.node < b.node ? -1 : 1))];
}

/** The triggers of each node that have a value which the node has not seen. */
function triggersByNode(
  { channelVersions, versionsSeen, values }: StateHeader,
  nodesOfTasks: readonly string[],
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const known = nodesByTrigger(versionsSeen);
  for (const [channel, value] of values) {
    const version = ownValue(channelVersions, channel);
    if (channel === TASKS || version === undefined || !startsNodes(channel, value)) continue;
    for (const node of known.get(channel) ?? nodesByName(channel, nodesOfTasks)) {
      if (!isNewer(version, ownValue(ownValue(versionsSeen, node), channel))) continue;
      const triggers = found.get(node);
      if (triggers === undefined) found.set(node, [channel]);
      else triggers.push(channel);
    }
  }
  return found;
}

/** The nodes that have run, by the channels that they have seen. */
function nodesByTrigger(versionsSeen: StateHeader["versionsSeen"]): ReadonlyMap<string, readonly string[]> {
  const seen = Object.entries(versionsSeen).filter(([node]) => !NOT_NODES.has(node));
  const pairs = seen.flatMap(([node, versions]) =>
    Object.keys(versions).map((channel) => ({ node, channel })),
  );
  const byTrigger = groupBy(pairs, ({ channel }) => channel);
  return new Map([...byTrigger].map(([channel, nodes]) => [channel, nodes.map(({ node }) => node)]));
}

/** The nodes that a channel triggers by its name. */
function nodesByName(channel: string, nodesOfTasks: readonly string[]): readonly string[] {
  const named = nodeByName(channel);
  // An entrypoint may have any name. Its writes have it before it has run to its end.
  if (named === START && nodesOfTasks.length > 0) return nodesOfTasks;
  return named === undefined ? [] : [named];
}

/** The nodes in the paths of tasks that were triggered, and of calls within them. */
function nodesOfPaths(tasks: ReadonlyMap<string, TaskWrites>): readonly string[] {
  const names = [...tasks.values()].map(({ path }) => nodeOfPath(path));
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Versions are all numbers or all texts, which have the same order in both engines. */
function isNewer(version: Version, seen: Version | undefined): boolean {
  if (seen === undefined) return typeof version === "string" ? version > "" : version > 0;
  return typeof version === typeof seen ? version > seen : version !== seen;
}

/** The paths of the tasks that have written their output, and the ids of those without a path. */
function finishedTasks(tasks: ReadonlyMap<string, TaskWrites>): ReadonlySet<string> {
  const finished = [...tasks].filter(([, { hasOutput }]) => hasOutput);
  return new Set(finished.map(([taskId, { path }]) => (path === "" ? taskId : path)));
}

function isFinished(task: NextTask, header: StateHeader, finished: ReadonlySet<string>): boolean {
  // A task may have thousands of ids, each of which is a hash.
  if (finished.size === 0) return false;
  return task.paths.some((path) => finished.has(path)) || idsOf(task, header).some((id) => finished.has(id));
}

/** The ids that LangGraph.js gives to a task. Where the checkpoint's id is no UUID it can make none, so no task has run there. */
function idsOf({ node, origins }: NextTask, { namespace, checkpointId, step = -1 }: StateHeader): string[] {
  if (!UUID.test(checkpointId)) return [];
  const path = namespace === "" ? node : `${namespace}|${node}`;
  return origins.map((origin) =>
    uuid5(JSON.stringify([path, String(step + 1), node, ...origin]), checkpointId),
  );
}

function ownValue<Value>(
  object: Readonly<Record<string, Value>> | undefined,
  key: string,
): Value | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}
