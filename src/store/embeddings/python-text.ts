import { isPlainObject } from "../../serde/plain-object.js";

/**
 * The text of a value that is embedded, as Python's store makes it, so that both embed the same text: a text as it is, a number or a
 * boolean as Python prints it, an object or an array as JSON. `undefined` for what has no text, such as null.
 */
export function pythonText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return numberText(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "object" && value !== null ? pythonJson(value) : undefined;
}

/** JSON as `json.dumps(value, sort_keys=True, ensure_ascii=False)` of Python writes it. */
function pythonJson(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return numberText(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (!isPlainObject(value)) return pythonJson(jsonForm(value));
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([one], [other]) => compareCodePoints(one, other));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}: ${pythonJson(inner)}`).join(", ")}}`;
}

/** Python begins to print an exponent earlier than JavaScript, with two digits at least. */
function numberText(value: number | bigint): string {
  const text = String(value);
  const size = Math.abs(Number(value));
  if (size === 0 || size >= 1e-4) return text;
  return Number(value)
    .toExponential()
    .replace(/e-(\d)$/, "e-0$1");
}

/** What JSON makes of an object of a class, such as a message. */
function jsonForm(value: object): unknown {
  const text: unknown = JSON.stringify(value);
  return typeof text === "string" ? JSON.parse(text) : null;
}

/** Orders texts as Python does. JavaScript compares UTF-16 units, which order characters beyond U+FFFF differently. */
function compareCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
