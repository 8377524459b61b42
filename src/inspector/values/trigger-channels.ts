import { TASKS, ERROR, INTERRUPT, RESUME, SCHEDULED } from "@langchain/langgraph-checkpoint";
import { isArray, isRecord } from "../../serde/objects/inspect-object.js";

/** The channel that starts a graph with its input, and the node of a state graph that reads it. */
export const START = "__start__";
/** `branch:to:<node>` of both engines. Older ones have `branch:<from>:<name>:<node>`. */
const BRANCH = /^branch:(?:to:(?<node>.+)|.+:(?<older>[^:]+))$/s;
/** `join:<node>+<node>:<node>`: the channel that waits for several nodes. */
const JOIN = /^join:(?<awaited>.+):(?<node>[^:]+)$/s;

/** Whether a channel starts nodes by its name. A state graph may have others only where its nodes have been written by hand. */
function isTriggerName(channel: string): boolean {
  return channel === TASKS || channel === START || BRANCH.test(channel) || JOIN.test(channel);
}

/** Whether a name is one of the engines' own, which every graph may have. */
export function isNameOfEngine(name: string): boolean {
  return name.startsWith("__");
}

/** Whether a channel holds no values of people, but what the engine remembers. */
export function isChannelOfEngine(channel: string): boolean {
  return isNameOfEngine(channel) || isTriggerName(channel);
}

/** Whether it takes the value of a channel, not only its presence, to know what it starts. */
export function needsValue(channel: string): boolean {
  return channel === TASKS || BRANCH.test(channel) || JOIN.test(channel);
}

/** The node that a channel starts by its name. */
export function nodeByName(channel: string): string | undefined {
  if (channel === START) return START;
  const groups = (BRANCH.exec(channel) ?? JOIN.exec(channel))?.groups;
  return groups?.node ?? groups?.older;
}

/**
 * Whether a channel with this value starts its nodes. A join does when all that it waits for have come. The trigger of a deferred node
 * does when nothing else is left to run.
 */
export function startsNodes(channel: string, value: unknown): boolean {
  const [content, isFinished] = deferred(value);
  if (!isFinished) return false;
  const awaited = JOIN.exec(channel)?.groups?.awaited;
  if (awaited === undefined) return true;
  const seen = content instanceof Set ? [...content] : isArray(content) ? content : [];
  return seen.join("+").length === awaited.length;
}

/** The value of a deferred node's channel is a pair with whether the rest of the graph has finished. */
function deferred(value: unknown): readonly [content: unknown, isFinished: boolean] {
  if (isArray(value) && value.length === 2 && typeof value[1] === "boolean") return [value[0], value[1]];
  return [value, true];
}

/**
 * The nodes of Sends, in the order of the tasks. A Send without the name of a node is left out, as the engine does.
 *
 * @param value - The value of the channel of tasks: a list, or in the official saver's rows a pair with those that were seen.
 */
export function nodesOfSends(value: unknown): readonly (readonly [index: number, node: string])[] {
  if (!isArray(value)) return [];
  const [, second] = value;
  const sends = value.length === 2 && isArray(second) ? second : value;
  return sends.flatMap((send, index) => {
    const node = nodeOf(send);
    return node === undefined ? [] : [[index, node] as const];
  });
}

function nodeOf(send: unknown): string | undefined {
  if (typeof send !== "object" || send === null) return undefined;
  const fields = isRecord(send) && isRecord(send.kwargs) ? send.kwargs : send;
  const { node }: { readonly node?: unknown } = fields;
  return typeof node === "string" ? node : undefined;
}

/** What `Command` and answers without an id belong to. */
export const NULL_TASK_ID = "00000000-0000-0000-0000-000000000000";

/** The channels of writes that say what happened to a task. All others are its output, `__no_writes__` among them. */
export const CONTROL_CHANNELS: readonly string[] = [
  ERROR,
  "__error_source_node__",
  INTERRUPT,
  RESUME,
  SCHEDULED,
];

/** The channels of writes by which a task says that it waits, or why it failed. */
export const OPEN_CHANNELS: readonly string[] = [ERROR, INTERRUPT];
