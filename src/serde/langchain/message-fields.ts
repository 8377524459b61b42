import { type LangChainClassName, ownClassOf } from "./classes.js";
import { argumentsOf, CONSTANT_KEYS, currentArguments } from "./current-arguments.js";

/**
 * The name of an extra field for a message whose own fields and constructor arguments have other names, because it was changed after
 * it was built. Python's models keep the field and otherwise ignore it.
 */
export const JS_FIELD = "lc_js";

/** The difference between the own fields of a message and its constructor arguments. It has no value of an argument that a field replaced. */
export interface Disagreement {
  /** The names of the own fields that have a value. */
  readonly own: readonly string[];
  /** The names of the constructor arguments, in order. */
  readonly given: readonly string[];
  /** Constructor arguments that are identical to a field of another name. */
  readonly same: Readonly<Record<string, string>>;
  /** Constructor arguments that can't be among the fields. */
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/** The fields that Python writes as `None` and JavaScript leaves out. */
export const NULLABLE_FIELDS: ReadonlySet<string> = new Set([
  "artifact",
  "chunk_position",
  "id",
  "name",
  "usage_metadata",
]);

/** The parts of a message. */
export interface MessageFields {
  /** The fields that Python knows, in the order of the constructor arguments. */
  readonly fields: ReadonlyMap<string, unknown>;
  /** The disagreement of a message that its fields alone would not restore. */
  readonly js: Disagreement | undefined;
}

/**
 * Splits a message into parts from which {@link reviveMessage} restores its own fields, and the names of its constructor arguments.
 * Only what the message has now is among them, see {@link currentArguments}.
 *
 * @example
 * ```ts
 * messageFields(new HumanMessage("hi"), "HumanMessage").fields; // Map { content: "hi", additional_kwargs: {}, response_metadata: {} }
 * ```
 */
export function messageFields(message: object, name: LangChainClassName): MessageFields {
  const fields = new Map<string, unknown>();
  // The same class of another version may have other fields, so all of them are listed.
  let agrees = ownClassOf(message) !== undefined;
  const given = currentArguments(message, name);
  for (const [key, value] of given) {
    const isField = key !== JS_FIELD && (Object.hasOwn(message, key) || !(key in message));
    if (isField) fields.set(key, value);
    else agrees = false;
  }
  const own = ownFields(message);
  for (const [key, value] of own) {
    if (fields.has(key)) continue;
    fields.set(key, value);
    agrees = false;
  }
  return { fields, js: agrees ? undefined : disagreement(message, own, given, fields) };
}

function disagreement(
  message: object,
  own: readonly [string, unknown][],
  given: readonly [string, unknown][],
  fields: ReadonlyMap<string, unknown>,
): Disagreement {
  const names: string[] = [];
  const same: [string, string][] = [];
  const kwargs: [string, unknown][] = [];
  for (const [key, value] of given) {
    const field = fields.has(key) ? undefined : fieldWith(Reflect.get(argumentsOf(message), key), own);
    if (field !== undefined) same.push([key, field]);
    else if (key === JS_FIELD) kwargs.push([key, value]);
    // A getter derives the value from the fields.
    else if (!fields.has(key)) continue;
    names.push(key);
  }
  return {
    own: own.map(([key]) => key),
    given: names,
    same: Object.fromEntries(same),
    kwargs: Object.fromEntries(kwargs),
  };
}

/** The name of the own field that is an object. */
function fieldWith(value: unknown, own: readonly [string, unknown][]): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return own.find(([, field]) => field === value)?.[0];
}

function ownFields(message: object): [string, unknown][] {
  const own: [string, unknown][] = [];
  for (const key of Object.keys(message)) {
    if (CONSTANT_KEYS.has(key)) continue;
    const value: unknown = Reflect.get(message, key);
    if (value !== undefined) own.push([key, value]);
  }
  return own;
}
