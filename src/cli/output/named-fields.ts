import { isMessage } from "../is-message.js";

/** A value that consists of named parts. */
export interface NamedFields {
  /** The type of a message, or `Map`; `""` of a plain object. Values of different kinds have no parts in common. */
  readonly kind: string;
  readonly isMessage: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The parts of a plain object, of a message or of a Map whose keys are text; `undefined` of whatever else there is. */
export function fieldsOf(value: unknown): NamedFields | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isMessage(value)) {
    const { type, data } = value.toDict();
    return { kind: type, isMessage: true, fields: { ...data } };
  }
  if (value instanceof Map) {
    const entries = [...value] as [unknown, unknown][];
    const hasNames = entries.every((entry): entry is [string, unknown] => typeof entry[0] === "string");
    return hasNames ? { kind: "Map", isMessage: false, fields: Object.fromEntries(entries) } : undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain =
    prototype === null || (typeof prototype === "object" && Object.getPrototypeOf(prototype) === null);
  return isPlain && !Array.isArray(value) ? { kind: "", isMessage: false, fields: { ...value } } : undefined;
}
