import { LANGCHAIN_CLASSES, type LangChainClassName } from "./classes.js";
import { JS_FIELD, NULLABLE_FIELDS, type Disagreement } from "./message-fields.js";

type Fields = Record<string, unknown>;

/**
 * Makes a message of the fields that Python or {@link messageFields} wrote.
 *
 * Python writes every field, `type` among them, and `None` for what was not given: those go through the constructor. What
 * JavaScript wrote is put back exactly, as the message's own fields and as the arguments that it was built from.
 *
 * @throws whatever the class's constructor throws for fields that make no message
 */
export function reviveMessage(name: LangChainClassName, fields: Fields): object {
  if (Object.hasOwn(fields, "type")) return construct(name, givenInPython(fields));
  const { [JS_FIELD]: js, ...usual } = fields;
  return js === undefined ? restore(name, fields, fields) : restoreDisagreement(name, usual, js);
}

/** Makes a document of the fields that Python wrote. */
export function reviveDocument(fields: Fields): object {
  const { page_content: pageContent, metadata, id } = fields;
  const isFromPython = Object.hasOwn(fields, "type");
  return construct("Document", { pageContent, metadata, id: isFromPython ? (id ?? undefined) : id });
}

/** Puts the fields on a bare message, since the constructor would derive some of them anew from the others. */
function restore(name: LangChainClassName, own: Fields, kwargs: Fields): object {
  const message = construct(name, {});
  for (const key of Object.keys(own)) if (Object.hasOwn(message, key)) Reflect.set(message, key, own[key]);
  Reflect.set(message, "lc_kwargs", kwargs);
  return message;
}

function restoreDisagreement(name: LangChainClassName, fields: Fields, js: unknown): object {
  if (!isDisagreement(js)) throw new TypeError(`the field ${JS_FIELD} is malformed`);
  const kwargs = js.given.map((key) => [key, givenValue(key, fields, js)] as const);
  const message = restore(name, {}, Object.fromEntries(kwargs));
  for (const key of js.own) Reflect.set(message, key, fields[key]);
  return message;
}

function givenValue(key: string, fields: Fields, { same, kwargs }: Disagreement): unknown {
  if (Object.hasOwn(kwargs, key)) return kwargs[key];
  return fields[Object.hasOwn(same, key) ? (same[key] ?? key) : key];
}

function construct(name: LangChainClassName, fields: Fields): object {
  const instance: unknown = Reflect.construct(LANGCHAIN_CLASSES[name], [fields]);
  if (typeof instance !== "object" || instance === null) throw new TypeError(`${name} makes no object`);
  return instance;
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
