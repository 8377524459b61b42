import type { BaseMessage } from "@langchain/core/messages";
import { isObject, isRecord } from "../serde/objects/inspect-object.js";

// The mark that `BaseMessage.isInstance` checks. An application may have several copies of @langchain/core, and whoever only
// prints or compares values should not load one for this.
const MESSAGE = Symbol.for("langchain.message");

/** Whether a value is a LangChain message, from whichever copy of the package. */
export function isMessage(value: object): value is BaseMessage {
  return MESSAGE in value && value[MESSAGE] === true;
}

/** The named fields of a value. */
interface NamedFields {
  /** The type of a message, `Map`, or `""` for a plain object. */
  readonly kind: string;
  readonly isMessage: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The fields of a plain object, a message, or a Map with text keys; `undefined` for any other value. */
export function namedFieldsOf(value: unknown): NamedFields | undefined {
  if (!isObject(value)) return undefined;
  if (isMessage(value)) {
    const { type, data } = value.toDict();
    return { kind: type, isMessage: true, fields: { ...data } };
  }
  if (value instanceof Map) {
    const entries = [...value] as [unknown, unknown][];
    const hasNames = entries.every((entry): entry is [string, unknown] => typeof entry[0] === "string");
    return hasNames ? { kind: "Map", isMessage: false, fields: Object.fromEntries(entries) } : undefined;
  }
  return isRecord(value) ? { kind: "", isMessage: false, fields: value } : undefined;
}
