import { defineOwn } from "../objects/inspect-object.js";
import { construct, type ModelClassName } from "./classes.js";
import { JS_FIELD, NULLABLE_FIELDS, type Disagreement } from "./message-fields.js";

type Fields = Record<string, unknown>;

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
  if (!isFields(response_metadata) || response_metadata.output_version !== "v1")
    return construct(name, given);
  const message = construct(name, { ...given, response_metadata: {} });
  Reflect.set(message, "response_metadata", response_metadata);
  const kwargs: unknown = Reflect.get(message, "lc_kwargs");
  if (isFields(kwargs)) kwargs.response_metadata = response_metadata;
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
    isFields(value) &&
    isNames(value.own) &&
    isNames(value.given) &&
    isFields(value.same) &&
    isFields(value.kwargs)
  );
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
