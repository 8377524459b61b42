import { BaseMessage } from "@langchain/core/messages";
import { isArray, isRecord, isPlainObject } from "../../serde/objects/inspect-object.js";
import { pythonOriginOf } from "../../serde/python/python-origin.js";
import type { EditableValue } from "../api/changes.js";
import { measureValue } from "./measure-value.js";

/** A longer text is not for a person to edit. */
const MAX_LENGTH = 200_000;

/** What a value of this length takes in memory at most, about. Reading on would take long. */
const MAX_BYTES = 2_000_000;
/** A value that is inside itself has no end. */
const MAX_DEPTH = 500;

/** What a message may have beside its role and its content. */
const MESSAGE_FIELDS = ["id", "name", "tool_calls", "tool_call_id", "status", "additional_kwargs"];

/** Shows a value as JSON for a person to edit. A fork reads the JSON of messages back as messages. */
export function editableJson(value: unknown): EditableValue {
  return jsonOf(value, () => asMessages(value) ?? checked(value, TOP), " Use `fork` of a saver to edit it.");
}

/** Shows the value of an item as JSON for a person to edit. A store does not read messages from JSON. */
export function editableItemJson(value: unknown): EditableValue {
  return jsonOf(value, () => checked(value, TOP), "");
}

function jsonOf(value: unknown, asData: () => unknown, advice: string): EditableValue {
  if (measureValue(value, 2 * MAX_BYTES) >= MAX_BYTES) return { problem: TOO_LONG };
  try {
    const json = JSON.stringify(asData(), undefined, 2);
    return json.length <= MAX_LENGTH ? { json } : { problem: TOO_LONG };
  } catch (error) {
    if (error instanceof NotJson) return { problem: `${error.message}${advice}` };
    throw error;
  }
}

const TOO_LONG = "The value is too long to be edited here.";

/** A part of the value that JSON has no way to write. */
class NotJson extends Error {}

function asMessages(value: unknown): unknown {
  if (isEditable(value)) return messageAsJson(value);
  if (isArray(value) && value.length > 0 && value.every(isEditable)) return value.map(messageAsJson);
  return undefined;
}

/** Whether JSON can stand for a message. One of a class of Python would lose that. */
function isEditable(value: unknown): value is BaseMessage {
  return BaseMessage.isInstance(value) && pythonOriginOf(value) === undefined;
}

function messageAsJson(message: BaseMessage): Record<string, unknown> {
  const fields = MESSAGE_FIELDS.map((name): [string, unknown] => [name, Reflect.get(message, name)]);
  const given = [["content", message.content] as const, ...fields.filter(([, field]) => !isEmpty(field))];
  return {
    role: message.type,
    ...Object.fromEntries(
      given.map(([name, field]) => [name, checked(field, { ...TOP, label: name, isOfMessage: true })]),
    ),
  };
}

function isEmpty(field: unknown): boolean {
  if (isArray(field)) return field.length === 0;
  return field === undefined || field === null || (isRecord(field) && Object.keys(field).length === 0);
}

/** Where a part of the value is. */
interface PartPlace {
  readonly label: string;
  readonly depth: number;
  /** A field of a message that is `undefined` is as good as none. */
  readonly isOfMessage: boolean;
}

const TOP: PartPlace = { label: "", depth: 0, isOfMessage: false };

/** Returns a value that JSON keeps as it is. */
function checked(value: unknown, place: PartPlace): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value) && !Object.is(value, -0)) return value;
      throw notJson(String(value), place);
    case "object":
      return value === null ? null : checkedObject(value, place);
    default:
      throw notJson(`a value of type ${typeof value}`, place);
  }
}

function checkedObject(value: object, place: PartPlace): unknown {
  if (place.depth > MAX_DEPTH) throw new NotJson(`The value has more than ${MAX_DEPTH} levels.`);
  const inside = (label: string): PartPlace => ({ ...place, label, depth: place.depth + 1 });
  const { label } = place;
  if (isArray(value)) return value.map((item, at) => checked(item, inside(`${label}[${at}]`)));
  const origin = pythonOriginOf(value);
  if (origin !== undefined) throw notJson(`an object of class ${origin.module}.${origin.name}`, place);
  if (!isPlainObject(value)) throw notJson(`an object of class ${value.constructor.name}`, place);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined || !place.isOfMessage);
  return Object.fromEntries(
    fields.map(([key, field]) => [key, checked(field, inside(label === "" ? key : `${label}.${key}`))]),
  );
}

function notJson(found: string, { label }: PartPlace): NotJson {
  const where = label === "" ? "The value is" : `At ${label} is`;
  return new NotJson(`${where} ${found}, which JSON can't show.`);
}
