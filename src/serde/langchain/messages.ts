import { isObject, defineOwn, isArray, isRecord } from "../objects/inspect-object.js";
import {
  classOfPythonType,
  type LangChainClassName,
  ownClassOf,
  argumentsOf,
  CONSTANT_KEYS,
  currentArguments,
  construct,
  type ModelClassName,
  isModelClassName,
} from "./classes.js";
import { type PythonOrigin, rememberOrigin } from "../python/python-origin.js";

/**
 * The name of an extra field for a message whose own fields and constructor arguments have other names, because it was changed after
 * it was built. Python's models keep the field and otherwise ignore it.
 */
export const JS_FIELD = "lc_js";

/** The difference between the own fields of a message and its constructor arguments. It has no value of an argument that a field replaced. */
interface Disagreement {
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
const NULLABLE_FIELDS: ReadonlySet<string> = new Set([
  "artifact",
  "chunk_position",
  "id",
  "name",
  "usage_metadata",
]);

/** The parts of a message. */
interface MessageFields {
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
  return isObject(value) ? own.find(([, field]) => field === value)?.[0] : undefined;
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

type Fields = Readonly<Record<string, unknown>>;

/**
 * Creates a message from the fields that Python or {@link messageFields} wrote.
 *
 * Python writes every field, including `type`, and `None` for a field that was not given. Such fields are passed to the
 * constructor. The fields that JavaScript wrote are restored exactly: the own fields, and as constructor arguments what they are now.
 *
 * @throws whatever the constructor throws for invalid fields
 */
export function reviveMessage(name: ModelClassName, fields: Fields): object {
  if (Object.hasOwn(fields, "type")) return constructGiven(name, givenInPython(fields));
  const { [JS_FIELD]: js, ...usual } = fields;
  return js === undefined ? restore(name, fields, fields) : restoreDisagreement(name, usual, js);
}

/** Creates a document from the fields that Python or JavaScript wrote. The constructor would convert the content to a string. */
export function reviveDocument(fields: Fields): object {
  const { page_content: pageContent, metadata, id } = fields;
  const isFromPython = Object.hasOwn(fields, "type");
  const document = construct("Document", {});
  if (Object.hasOwn(fields, "page_content")) defineOwn(document, "pageContent", pageContent);
  if (Object.hasOwn(fields, "metadata")) defineOwn(document, "metadata", metadata);
  defineOwn(document, "id", isFromPython ? (id ?? undefined) : id);
  const others = fields[JS_FIELD];
  if (Array.isArray(others)) defineOthers(document, others);
  return document;
}

function defineOthers(document: object, others: readonly unknown[]): void {
  for (let at = 0; at + 1 < others.length; at += 2) {
    const key = others[at];
    if (typeof key === "string") defineOwn(document, key, others[at + 1]);
  }
}

/**
 * Constructs a message. Leaves content and tool calls unchanged if the content is blocks of version 1: the constructor would add
 * the blocks and tool calls that it finds in only one of the two.
 */
function constructGiven(name: ModelClassName, given: Fields): object {
  const { response_metadata } = given;
  if (!isRecord(response_metadata) || response_metadata.output_version !== "v1")
    return construct(name, given);
  const message = construct(name, { ...given, response_metadata: {} });
  Reflect.set(message, "response_metadata", response_metadata);
  const kwargs: unknown = Reflect.get(message, "lc_kwargs");
  if (isRecord(kwargs)) kwargs.response_metadata = response_metadata;
  return message;
}

/** Sets the fields of an empty message. The constructor would derive some of the fields from the others. */
function restore(name: ModelClassName, own: Fields, kwargs: Fields): object {
  const message = construct(name, {});
  for (const key of Object.keys(own)) if (Object.hasOwn(message, key)) Reflect.set(message, key, own[key]);
  Reflect.set(message, "lc_kwargs", kwargs);
  return message;
}

function restoreDisagreement(name: ModelClassName, fields: Fields, js: unknown): object {
  if (!isDisagreement(js)) throw new TypeError(`the field ${JS_FIELD} is malformed`);
  const message = construct(name, {});
  const given: Fields = {};
  for (const key of js.given) addGiven(given, key, message, fields, js);
  Reflect.set(message, "lc_kwargs", given);
  for (const key of js.own) defineOwn(message, key, fields[key]);
  return message;
}

/** Earlier versions also wrote the values of arguments that a field had replaced. Such a value is left out. */
function addGiven(
  given: Fields,
  key: string,
  message: object,
  fields: Fields,
  { same, kwargs }: Disagreement,
): void {
  const field = Object.hasOwn(same, key) ? (same[key] ?? key) : key;
  if (Object.hasOwn(fields, field)) defineOwn(given, key, fields[field]);
  else if (Object.hasOwn(kwargs, key) && !(key in message)) defineOwn(given, key, kwargs[key]);
}

function givenInPython(fields: Fields): Fields {
  const isGiven = ([key, value]: [string, unknown]): boolean =>
    key !== "type" && key !== JS_FIELD && !(value === null && NULLABLE_FIELDS.has(key));
  return Object.fromEntries(Object.entries(fields).filter(isGiven));
}

function isDisagreement(value: unknown): value is Disagreement {
  return (
    isRecord(value) &&
    isNames(value.own) &&
    isNames(value.given) &&
    isRecord(value.same) &&
    isRecord(value.kwargs)
  );
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/**
 * Creates a message from the fields of a model of Python that extends a class of LangChain. It keeps the name of its own class, and has
 * the fields of that as properties.
 *
 * @param base - the class that it extends, if this library wrote the fields
 * @returns `undefined` for a model that is no message
 */
export function reviveSubclass(fields: Fields, origin: PythonOrigin, base: unknown): object | undefined {
  const { type, [JS_FIELD]: _, ...own } = fields;
  const isOurs = typeof base === "string" && isModelClassName(base) && base !== "Document";
  const name = isOurs ? base : isOfPython(fields) ? classOfPythonType(type) : undefined;
  if (name === undefined) return undefined;
  const { type: __, ...written } = fields;
  const message = reviveMessage(name, isOurs ? written : fields);
  for (const [key, value] of Object.entries(own)) {
    const isNone = value === null && NULLABLE_FIELDS.has(key);
    if (!Object.hasOwn(message, key) && !isNone) defineOwn(message, key, value);
  }
  return rememberOrigin(message, origin);
}

/** Whether fields are those that Python writes of every message. A model with other fields, or other values in them, is data. */
function isOfPython(fields: Fields): boolean {
  const { content, additional_kwargs, response_metadata, tool_calls = [] } = fields;
  const isContent = typeof content === "string" || isArray(content);
  const isNamed = Object.hasOwn(fields, "id") && Object.hasOwn(fields, "name");
  return (
    isContent && isNamed && isRecord(additional_kwargs) && isRecord(response_metadata) && isArray(tool_calls)
  );
}
