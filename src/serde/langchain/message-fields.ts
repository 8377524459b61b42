import { isLangChainClassName, LANGCHAIN_CLASSES, type LangChainClassName } from "./classes.js";

/** What every instance of a message class carries, whatever it was built from. */
const CONSTANT_KEYS: ReadonlySet<string> = new Set([
  "lc_serializable",
  "lc_kwargs",
  "lc_namespace",
  "lc_direct_tool_output",
  "type",
]);

/**
 * The name of an extra field, which Python's models keep and otherwise ignore, for what the usual fields can't tell: a
 * message that was changed after it was built, so that its own fields and its constructor arguments disagree.
 */
export const JS_FIELD = "lc_js";

/** The fields for which Python writes `None` where JavaScript leaves them out. */
export const NULLABLE_FIELDS: ReadonlySet<string> = new Set([
  "artifact",
  "chunk_position",
  "id",
  "name",
  "usage_metadata",
]);

const CLASS_NAMES: ReadonlyMap<unknown, LangChainClassName> = new Map(
  Object.entries(LANGCHAIN_CLASSES).flatMap(([name, { prototype }]) =>
    isLangChainClassName(name) ? [[prototype, name]] : [],
  ),
);

/** A message taken apart. */
export interface MessageFields {
  /** The fields that Python knows, in the order of the constructor's argument. */
  readonly fields: ReadonlyMap<string, unknown>;
  /** Both halves of a message that its fields alone would not give back. */
  readonly js: { readonly kwargs: object; readonly own: object } | undefined;
}

/** The class that `value` is a direct instance of, if that may be stored; a subclass is another class. */
export function langChainClassOf(value: object): LangChainClassName | undefined {
  return CLASS_NAMES.get(Object.getPrototypeOf(value));
}

/**
 * Takes a message apart so that {@link reviveMessage} gives it back, own fields and constructor arguments alike.
 *
 * @example
 * ```ts
 * messageFields(new HumanMessage("hi")).fields; // Map { content: "hi", additional_kwargs: {}, response_metadata: {} }
 * ```
 */
export function messageFields(message: object): MessageFields {
  const kwargs = kwargsOf(message);
  const fields = new Map<string, unknown>();
  let isExact = true;
  for (const [key, given] of Object.entries(kwargs)) {
    const value: unknown = Object.hasOwn(message, key) ? Reflect.get(message, key) : given;
    isExact &&= Object.is(value, given) && key !== "type" && key !== JS_FIELD;
    if (key !== "type") fields.set(key, value);
  }
  const own = ownFields(message);
  for (const [key, value] of own) {
    if (fields.has(key) || value === undefined) continue;
    isExact = false;
    fields.set(key, value);
  }
  return { fields, js: isExact ? undefined : { kwargs, own: Object.fromEntries(own) } };
}

function kwargsOf(message: object): object {
  const kwargs: unknown = Reflect.get(message, "lc_kwargs");
  return typeof kwargs === "object" && kwargs !== null ? kwargs : {};
}

function ownFields(message: object): [string, unknown][] {
  return Object.entries(message).filter(([key]) => !CONSTANT_KEYS.has(key));
}
