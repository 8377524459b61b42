import { ownClassOf } from "./classes.js";

/** The symbol by which LangChain recognizes messages. Every message has it as an own property. */
export const MESSAGE_SYMBOL = Symbol.for("langchain.message");

/** The fields that every instance of a message class has, whatever arguments it was built from. */
const CONSTANT_KEYS: ReadonlySet<string> = new Set([
  "lc_serializable",
  "lc_kwargs",
  "lc_namespace",
  "lc_direct_tool_output",
  "type",
]);

/**
 * The name of an extra field for a message whose own fields and constructor arguments disagree, because it was changed after it
 * was built. Python's models keep the field and otherwise ignore it.
 */
export const JS_FIELD = "lc_js";

/** The difference between the own fields of a message and its constructor arguments. */
export interface Disagreement {
  /** The names of the own fields that have a value. */
  readonly own: readonly string[];
  /** The names of the constructor arguments, in order. */
  readonly given: readonly string[];
  /** Constructor arguments that are identical to a field of another name. */
  readonly same: Readonly<Record<string, string>>;
  /** Constructor arguments that are not among the fields. */
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/** Constructor arguments whose names have another meaning among the fields. */
const RESERVED_KEYS: ReadonlySet<string> = new Set(["type", JS_FIELD]);

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
 * Splits a message into parts from which {@link reviveMessage} restores its own fields and its constructor arguments.
 *
 * @example
 * ```ts
 * messageFields(new HumanMessage("hi")).fields; // Map { content: "hi", additional_kwargs: {}, response_metadata: {} }
 * ```
 */
export function messageFields(message: object): MessageFields {
  const kwargs = kwargsOf(message);
  const fields = new Map<string, unknown>();
  // The same class of another version may have other fields, so all of them are listed.
  let agrees = ownClassOf(message) !== undefined;
  for (const [key, given] of Object.entries(kwargs)) {
    const isOwn = Object.hasOwn(message, key);
    const value: unknown = isOwn ? Reflect.get(message, key) : given;
    const isField = !RESERVED_KEYS.has(key) && (isOwn || !(key in message));
    if (isField) fields.set(key, value);
    agrees &&= isField && Object.is(value, given);
  }
  const own = ownFields(message);
  for (const [key, value] of own) {
    if (fields.has(key)) continue;
    fields.set(key, value);
    agrees = false;
  }
  return { fields, js: agrees ? undefined : disagreement(kwargs, own, fields) };
}

function disagreement(
  kwargs: object,
  own: readonly [string, unknown][],
  fields: ReadonlyMap<string, unknown>,
): Disagreement {
  const rest = Object.entries(kwargs).filter(
    ([key, value]) => !fields.has(key) || !Object.is(fields.get(key), value),
  );
  const sameAs = (value: unknown): string | undefined =>
    typeof value === "object" && value !== null ? own.find(([, field]) => field === value)?.[0] : undefined;
  return {
    own: own.map(([key]) => key),
    given: Object.keys(kwargs),
    same: Object.fromEntries(
      rest.flatMap(([key, value]) => {
        const name = sameAs(value);
        return name === undefined ? [] : [[key, name]];
      }),
    ),
    kwargs: Object.fromEntries(rest.filter(([, value]) => sameAs(value) === undefined)),
  };
}

function kwargsOf(message: object): object {
  const kwargs: unknown = Reflect.get(message, "lc_kwargs");
  return typeof kwargs === "object" && kwargs !== null ? kwargs : {};
}

function ownFields(message: object): [string, unknown][] {
  return Object.entries(message).filter(([key, value]) => !CONSTANT_KEYS.has(key) && value !== undefined);
}
