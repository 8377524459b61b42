import { isArray, isObject } from "../../serde/objects/type-guards.js";
import type { ValuePath } from "../api/value-node.js";
import { readInherited, readOwn } from "./read-property.js";
import { stepTo } from "./value-parts.js";
import { valueTypeOf } from "./value-type.js";

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
 * the descriptions of the actions that are to be approved. Returns `undefined` where the value has none of these.
 */
export function questionIn(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isObject(value)) return undefined;
  if (isArray(value)) return joined(value.map(questionIn));
  const actions = readOwn(value, "actionRequests") ?? readOwn(value, "action_requests");
  if (isArray(actions)) return joined(actions.map((action) => questionIn(action) ?? nameOf(action)));
  const text = ASKING.map((name) => readOwn(value, name)).find(isText);
  if (text !== undefined) return text;
  const action = readOwn(value, "action_request") ?? readOwn(value, "actionRequest");
  return action === undefined ? undefined : nameOf(action);
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
