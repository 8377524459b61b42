import { isArray, isObject, isRecord } from "../../serde/objects/inspect-object.js";
import type { Decision, DecisionType, QuestionForm, ReviewedAction } from "../api/runs.js";
import { readOwn, readInherited } from "./read-property.js";
import { jsonText, parseIfJson } from "./readable-json.js";
import type { ValuePath } from "../api/value-node.js";
import { stepTo } from "./value-parts.js";
import { valueTypeOf } from "./value-type.js";

/**
 * Returns how a question can be answered. One that asks for decisions takes only those that it allows. A value in an unknown shape can be
 * answered freely.
 */
export function formOf({ value, schema }: Pick<ReadInterrupt, "value" | "schema">): QuestionForm {
  const review = reviewIn(value);
  if (review !== undefined) {
    const { actions, rejectionStopsAll } = review;
    return { kind: "decisions", actions, ...(rejectionStopsAll && { rejectionStopsAll }) };
  }
  return isRecord(schema) ? { kind: "schema", schema } : { kind: "free" };
}

/** @returns What the graph gets for decisions; `undefined` where the question does not ask for as many, or not for such ones. */
export function resumeOf(value: unknown, decisions: readonly Decision[]): unknown {
  const review = reviewIn(value);
  if (review === undefined || review.actions.length !== decisions.length) return undefined;
  const answers: unknown[] = [];
  for (const [index, action] of review.actions.entries()) {
    const decision = decisions[index];
    if (decision === undefined || !action.allowed.includes(decision.type)) return undefined;
    answers.push(review.answer(action, decision));
  }
  return review.wrap(answers);
}

interface Review {
  readonly actions: readonly ReviewedAction[];
  readonly rejectionStopsAll: boolean;
  readonly answer: (action: ReviewedAction, decision: Decision) => unknown;
  readonly wrap: (answers: readonly unknown[]) => unknown;
}

function reviewIn(value: unknown): Review | undefined {
  const review = middlewareReview(value) ?? inboxReview(value);
  return review === undefined || review.actions.length === 0 ? undefined : review;
}

const DECISIONS = ["approve", "edit", "reject", "respond"] as const satisfies readonly DecisionType[];

/** The shape of LangChain's human-in-the-loop middleware. Python's names have underscores. */
function middlewareReview(value: unknown): Review | undefined {
  if (!isObject(value)) return undefined;
  const isPython = Object.hasOwn(value, "action_requests");
  const requests = readOwn(value, isPython ? "action_requests" : "actionRequests");
  if (!isArray(requests)) return undefined;
  const configs = configsByName(value, isPython);
  const actions = requests.map((request) => {
    const action = readAction(request);
    if (action === undefined) return undefined;
    const config = configs.get(action.name);
    const named = config && readOwn(config, isPython ? "allowed_decisions" : "allowedDecisions");
    const allowed = isArray(named) ? DECISIONS.filter((type) => named.includes(type)) : DECISIONS.slice(0, 3);
    const schema = config && readOwn(config, isPython ? "args_schema" : "argsSchema");
    return { ...action, allowed, ...(isRecord(schema) && { schema }) };
  });
  if (!actions.every((action) => action !== undefined)) return undefined;
  return {
    actions,
    // Its version for Python runs the other calls.
    rejectionStopsAll: !isPython,
    answer: ({ name }, decision) =>
      decision.type === "edit"
        ? { type: "edit", [isPython ? "edited_action" : "editedAction"]: { name, args: decision.args } }
        : { ...decision },
    wrap: (decisions) => ({ decisions }),
  };
}

/** The first one of each name. */
function configsByName(value: object, isPython: boolean): ReadonlyMap<unknown, object> {
  const configs = readOwn(value, isPython ? "review_configs" : "reviewConfigs");
  const found = isArray(configs) ? configs.filter(isObject) : [];
  return new Map(
    found.reverse().map((config) => [readOwn(config, isPython ? "action_name" : "actionName"), config]),
  );
}

const INBOX = [
  ["allow_accept", "approve"],
  ["allow_edit", "edit"],
  ["allow_ignore", "reject"],
  ["allow_respond", "respond"],
] as const;

/** The shape of LangGraph's Agent Inbox: one request, or a list of them. */
function inboxReview(value: unknown): Review | undefined {
  const requests: readonly unknown[] = isArray(value) ? value : [value];
  const actions = requests.map((request): ReviewedAction | undefined => {
    if (!isObject(request)) return undefined;
    const action = readAction(readOwn(request, "action_request"), "action");
    const config = readOwn(request, "config");
    if (action === undefined || !isObject(config)) return undefined;
    const description = readOwn(request, "description");
    return {
      ...action,
      ...(typeof description === "string" && { description }),
      allowed: INBOX.flatMap(([flag, type]) => (readOwn(config, flag) === true ? type : [])),
    };
  });
  if (!actions.every((action) => action !== undefined)) return undefined;
  return {
    actions,
    rejectionStopsAll: false,
    answer: ({ name }, decision) => {
      switch (decision.type) {
        case "approve":
          return { type: "accept", args: null };
        case "edit":
          return { type: "edit", args: { action: name, args: decision.args } };
        case "respond":
          return { type: "response", args: decision.message };
        case "reject":
          return { type: "ignore", args: null };
      }
    },
    wrap: (answers) => answers,
  };
}

function readAction(value: unknown, nameField = "name"): Omit<ReviewedAction, "allowed"> | undefined {
  if (!isObject(value)) return undefined;
  const [name, given, written] = [nameField, "args", "description"].map((field) => readOwn(value, field));
  if (typeof name !== "string") return undefined;
  const args = isObject(given) ? [...jsonText(given)].join("") : "{}";
  const description = typeof written === "string" ? ownDescription(written, { name, args }) : "";
  return { name, args, ...(description !== "" && { description }) };
}

const DEFAULT_DESCRIPTION = "Tool execution requires approval";

/**
 * Returns what a description says besides the name and the arguments of the call. LangChain's middleware appends both where the application
 * has given no description of its own, in JavaScript as JSON and in Python as its representation.
 */
function ownDescription(text: string, { name, args }: Pick<ReviewedAction, "name" | "args">): string {
  const end = `\n\nTool: ${name}\nArgs: `;
  const at = text.lastIndexOf(end);
  const written = at === -1 ? "" : text.slice(at + end.length);
  const isRepeated = /^\{'[^]*\}$|^\{\}$/.test(written) || JSON.stringify(parseIfJson(written)) === args;
  if (!isRepeated) return text;
  const prefix = text.slice(0, at);
  return prefix === DEFAULT_DESCRIPTION ? "" : prefix;
}

/** A question of a task, as both languages store it. */
export interface ReadInterrupt {
  /** Older versions of LangGraph stored none. */
  readonly id: string | undefined;
  /** What the graph passed to `interrupt`. */
  readonly value: unknown;
  /** The way to it in the value of the write. */
  readonly path: ValuePath;
  /** The JSON Schema of the answer, where the graph has given one. */
  readonly schema: unknown;
}

/** Reads the interrupts in the value of a task's write. */
export function readInterrupts(written: unknown): readonly ReadInterrupt[] {
  const interrupts: readonly unknown[] = isArray(written) ? written : [written];
  return interrupts.map((interrupt, index) => {
    const path = isArray(written) ? [index] : [];
    const step = stepTo(interrupt, "value");
    if (!isObject(interrupt) || step === undefined)
      return { id: undefined, value: interrupt, path, schema: undefined };
    const id = readOwn(interrupt, "id") ?? readOwn(interrupt, "interrupt_id");
    return {
      id: typeof id === "string" ? id : undefined,
      value: readOwn(interrupt, "value"),
      path: [...path, step],
      schema: readOwn(interrupt, "response_schema") ?? undefined,
    };
  });
}

/** The properties in which a question stands in the values that people pass to `interrupt`. */
export const ASKING = [
  "question",
  "message",
  "description",
  "prompt",
  "text",
  "title",
  "query",
  "instruction",
];

/**
 * Returns the question in an interrupt's value as a person reads it: a text, the first property with a text that usually holds the question, or
 * the names and the descriptions of the actions that are to be approved. Returns `undefined` where the value has none of these.
 */
export function questionIn(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const review = middlewareReview(value);
  if (review !== undefined && review.actions.length > 0) return reviewText(review.actions);
  if (!isObject(value)) return undefined;
  if (isArray(value)) return joined(value.map(questionIn));
  const text = ASKING.map((name) => readOwn(value, name)).find(isText);
  if (text !== undefined) return text;
  const action = readOwn(value, "action_request") ?? readOwn(value, "actionRequest");
  return action === undefined ? undefined : nameOf(action);
}

const MAX_NAMES = 10;

/** The descriptions that the application has given to all calls; otherwise the names of the calls. */
function reviewText(actions: readonly ReviewedAction[]): string {
  const descriptions = actions.flatMap(({ description }) => description ?? []);
  if (descriptions.length === actions.length) return descriptions.join("\n\n");
  const counts = new Map<string, number>();
  for (const { name } of actions) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`));
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} others` : "";
  return `The agent asks before it calls ${names.slice(0, MAX_NAMES).join(", ")}${more}.`;
}

function joined(texts: readonly (string | undefined)[]): string | undefined {
  const found = texts.filter((text) => text !== undefined);
  return found.length === 0 ? undefined : found.join("\n\n");
}

function nameOf(action: unknown): string | undefined {
  if (!isObject(action)) return undefined;
  return [readOwn(action, "name"), readOwn(action, "action")].find(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/**
 * Returns the message of a failed task as a person reads it. JavaScript stores the name and the message of the error, and Python its
 * representation. Returns `undefined` for something else.
 */
export function errorIn(written: unknown): string | undefined {
  if (typeof written === "string") return written;
  if (!isObject(written)) return undefined;
  const type = valueTypeOf(written);
  if (type !== "object" && type !== "error") return undefined;
  const [name, message] = [readInherited(written, "name"), readInherited(written, "message")];
  const texts = [name, message].filter(isText);
  return texts.length === 0 ? undefined : texts.join(": ");
}
