import type { HistoryPoint } from "../../api/threads.js";

// What LangGraph and LangChain call the parts of a graph, in the words of people. Raw views show the names as they are stored.

const NODES: ReadonlyMap<string, string> = new Map([
  ["__start__", "Start"],
  ["__end__", "End"],
  ["__pregel_tasks", "further tasks"],
  ["model_request", "model"],
  ["HumanInTheLoopMiddleware.after_model", "approval by a person"],
]);
/** How LangChain names the nodes of middleware. */
const MIDDLEWARE = /^(?<name>[A-Za-z]+?)(?:Middleware)?\.(?<when>before|after)_(?<what>model|agent)$/;

/** The name of a node. */
export function nodeName(node: string): string {
  const { name, when, what } = MIDDLEWARE.exec(node)?.groups ?? {};
  return NODES.get(node) ?? (name === undefined ? node : `${spaced(name)} ${when} the ${what}`);
}

function spaced(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

const CHANNELS: ReadonlyMap<string, string> = new Map([
  ["__start__", "input"],
  ["__root__", "state"],
  ["__pregel_tasks", "further tasks"],
  ["__error__", "error"],
  ["__interrupt__", "question"],
  ["__resume__", "answer"],
  ["__no_writes__", "nothing"],
  ["__return__", "result"],
  ["__previous__", "result of the run before"],
]);
const STARTS = /^branch:to:(?<node>.+)$/s;
/** `__root__` is the whole state of a graph without names for its parts. */
const OF_ENGINE = /^(?:__(?!root__$)|branch:|join:)/;

/** Whether LangGraph keeps a channel for itself: nobody edits it, or looks for a value there. */
export function isChannelOfEngine(channel: string): boolean {
  return OF_ENGINE.test(channel);
}

/** The name of a channel. */
export function channelName(channel: string): string {
  const node = STARTS.exec(channel)?.groups?.node;
  return node === undefined ? (CHANNELS.get(channel) ?? channel) : `start of ${nodeName(node)}`;
}

const ROLES: ReadonlyMap<string, string> = new Map([
  ["human", "Human"],
  ["ai", "Assistant"],
  ["system", "System"],
  ["tool", "Tool"],
  ["remove", "Removal"],
]);

/** Who has written a message. */
export function roleName(role: string): string {
  return ROLES.get(role) ?? "Other";
}

/** A class of LangChain's messages, or a piece of one that a model streams. */
const MESSAGE_CLASS = /^(?<role>Human|AI|System|Tool|Remove)Message(?:Chunk)?$/;

/** Who has written a message of this class. Returns `undefined` for other classes. */
export function roleOfClass(className: string | undefined): string | undefined {
  const role = MESSAGE_CLASS.exec(className ?? "")?.groups?.role;
  return role === undefined ? undefined : roleName(role.toLowerCase());
}

/** The name of the step that made a checkpoint. */
export function stepName({ step, source }: Pick<HistoryPoint, "step" | "source">): string {
  if (step === undefined) return "Checkpoint";
  return source === "input" ? "Input" : `Step ${step}`;
}

const SOURCES: ReadonlyMap<string | undefined, string> = new Map([
  ["input", "input"],
  ["loop", "run"],
  ["update", "edit"],
  ["fork", "new branch"],
]);

/** How a checkpoint came about. */
export function sourceName(source: string | undefined): string | undefined {
  return SOURCES.get(source) ?? source;
}
