import { BaseMessage } from "@langchain/core/messages";
import { isArray, isRecord } from "../../serde/objects/type-guards.js";
import { isPlainObject } from "../../serde/plain-object.js";
import { pythonOriginOf } from "../../serde/python/python-origin.js";
import type { EditableValue } from "../api/changes.js";

/** A longer text is not for a person to edit. */
const MAX_LENGTH = 200_000;

/** What a message may have beside its role and its content. */
const MESSAGE_FIELDS = ["id", "name", "tool_calls", "tool_call_id", "status", "additional_kwargs"];

/** Shows a value as JSON for a person to edit. A fork reads the JSON of messages back as messages. */
export function editableJson(value: unknown): EditableValue {
  try {
    const json = JSON.stringify(asMessages(value) ?? checked(value, ""), undefined, 2);
    if (json.length <= MAX_LENGTH) return { json };
    return { problem: `The value is too long to be edited here: ${json.length} characters.` };
  } catch (error) {
    if (error instanceof NotJson) return { problem: error.message };
    throw error;
  }
}

/** A part of the value that JSON has no way to write. */
class NotJson extends Error {}

function asMessages(value: unknown): unknown {
  if (BaseMessage.isInstance(value)) return messageAsJson(value);
  if (isArray(value) && value.length > 0 && value.every((item) => BaseMessage.isInstance(item))) {
    return value.map(messageAsJson);
  }
  return undefined;
}

function messageAsJson(message: BaseMessage): Record<string, unknown> {
  const { data } = message.toDict();
  const fields = MESSAGE_FIELDS.map((name): [string, unknown] => [name, Reflect.get(data, name)]);
  return {
    role: message.type,
    content: data.content,
    ...Object.fromEntries(fields.filter(([, field]) => !isEmpty(field))),
  };
}

function isEmpty(field: unknown): boolean {
  if (isArray(field)) return field.length === 0;
  return field === undefined || field === null || (isRecord(field) && Object.keys(field).length === 0);
}

/** Returns a value that JSON keeps as it is. */
function checked(value: unknown, label: string): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value) && !Object.is(value, -0)) return value;
      throw notJson(String(value), label);
    case "object":
      return value === null ? null : checkedObject(value, label);
    default:
      throw notJson(`a value of type ${typeof value}`, label);
  }
}

function checkedObject(value: object, label: string): unknown {
  if (isArray(value)) return value.map((item, at) => checked(item, `${label}[${at}]`));
  const origin = pythonOriginOf(value);
  if (origin !== undefined) throw notJson(`an object of class ${origin.module}.${origin.name}`, label);
  if (!isPlainObject(value)) throw notJson(`an object of class ${value.constructor.name}`, label);
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      checked(field, label === "" ? key : `${label}.${key}`),
    ]),
  );
}

function notJson(found: string, label: string): NotJson {
  const where = label === "" ? "The value is" : `At ${label} is`;
  return new NotJson(`${where} ${found}, which JSON can't show. Use \`fork\` of a saver to edit it.`);
}
