import { LANGCHAIN_CLASSES, type LangChainClassName } from "./classes.js";
import { JS_FIELD, NULLABLE_FIELDS } from "./message-fields.js";

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
  const js = fields[JS_FIELD];
  if (isFields(js) && isFields(js.kwargs) && isFields(js.own))
    return restore(construct(name, { ...fields }), js.kwargs, js.own);
  if (Object.hasOwn(fields, "type")) return construct(name, withoutPythonDefaults(fields));
  return restore(construct(name, { ...fields }), fields, fields);
}

/** Makes a document of the fields that Python wrote. */
export function reviveDocument(fields: Fields): object {
  const { page_content: pageContent, metadata, id } = fields;
  const isFromPython = Object.hasOwn(fields, "type");
  return construct("Document", { pageContent, metadata, id: isFromPython ? (id ?? undefined) : id });
}

function construct(name: LangChainClassName, fields: Fields): object {
  const instance: unknown = Reflect.construct(LANGCHAIN_CLASSES[name], [fields]);
  if (typeof instance !== "object" || instance === null) throw new TypeError(`${name} makes no object`);
  return instance;
}

function restore(message: object, kwargs: Fields, own: Fields): object {
  for (const [key, value] of Object.entries(own))
    if (Object.hasOwn(message, key) || own !== kwargs) Reflect.set(message, key, value);
  Reflect.set(message, "lc_kwargs", kwargs);
  return message;
}

function withoutPythonDefaults(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([key, value]) => key !== "type" && !(value === null && NULLABLE_FIELDS.has(key)),
    ),
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
