import { isArray, isObject, isRecord } from "../../serde/objects/type-guards.js";
import type { Decision, DecisionType, QuestionForm, ReviewedAction } from "../api/runs.js";
import { readOwn } from "./read-property.js";
import { jsonText } from "./readable-json.js";
import type { ReadInterrupt } from "./read-interrupts.js";

/**
 * Returns how a question can be answered. One that asks for decisions takes only those that it allows. A value in an unknown shape can be
 * answered freely.
 */
export function formOf({ value, schema }: Pick<ReadInterrupt, "value" | "schema">): QuestionForm {
  const review = reviewIn(value);
  if (review !== undefined) return { kind: "decisions", actions: review.actions };
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
    return { ...action, allowed };
  });
  if (!actions.every((action) => action !== undefined)) return undefined;
  return {
    actions,
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
  const [name, args, description] = [nameField, "args", "description"].map((field) => readOwn(value, field));
  if (typeof name !== "string") return undefined;
  return {
    name,
    args: isObject(args) ? [...jsonText(args)].join("") : "{}",
    ...(typeof description === "string" && { description }),
  };
}
