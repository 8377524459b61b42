import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import { formOf } from "./question-form.js";
import { briefJson } from "./readable-json.js";
import { readOwn } from "./read-property.js";

/** The most characters of a part of an answer. */
const MAX_PART = 500;

/**
 * Says what a person has answered: what was decided about each action, where the question asked for that, such as `approved refund;
 * rejected mail: “not today”`. Otherwise the text, or the value as JSON.
 */
export function describeAnswer(question: unknown, answer: unknown): string {
  const form = formOf({ value: question, schema: undefined });
  const decisions = isObject(answer) && !isArray(answer) ? readOwn(answer, "decisions") : answer;
  if (form.kind !== "decisions" || !isArray(decisions)) return textOf(answer);
  const told = form.actions.map(({ name }, at) => decisionText(name, decisions[at]));
  return told.every((text) => text !== undefined) ? told.join("; ") : textOf(answer);
}

/** The words for the decisions of LangChain's middleware and of the Agent Inbox. */
const DONE = new Map<unknown, string>([
  ["approve", "approved"],
  ["accept", "approved"],
  ["edit", "edited"],
  ["reject", "rejected"],
  ["ignore", "rejected"],
  ["respond", "answered"],
  ["response", "answered"],
]);

function decisionText(name: string, decision: unknown): string | undefined {
  if (!isObject(decision)) return undefined;
  const done = DONE.get(readOwn(decision, "type"));
  if (done === undefined) return undefined;
  const edited = ["editedAction", "edited_action", "args"].map((field) => readOwn(decision, field));
  const given = readOwn(decision, "message") ?? edited.find((value) => value !== undefined && value !== null);
  const said = isObject(given) ? readOwn(given, "args") : given;
  if (said === undefined) return `${done} ${name}`;
  return `${done} ${name}${done === "edited" ? " to" : ":"} ${typeof said === "string" ? `“${textOf(said)}”` : textOf(said)}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_PART) : briefJson(value, MAX_PART);
}
