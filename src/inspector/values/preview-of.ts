import { types } from "node:util";
import { isObject } from "../../serde/objects/type-guards.js";
import { type CutText, cutText } from "./cut-text.js";
import { countParts, eachPart, type Part } from "./value-parts.js";
import { bytesOf, classNameOf, isBytes, valueTypeOf } from "./value-type.js";

const MAX_PREVIEW = 120;
const MAX_STRING = 40;
const MAX_NAME = 40;

/** Shows the first parts of a value on one line, such as `{plan: "A", steps: […]}`. */
export function previewOf(value: object): CutText {
  const type = valueTypeOf(value);
  const isList = type === "array" || type === "set";
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const shown: string[] = [];
  let length = 0;
  let isCut = false;
  for (const part of eachPart(value)) {
    const piece = pieceOf(part, isList);
    length += piece.text.length + 2;
    if (length > MAX_PREVIEW && shown.length > 0) {
      return { text: `${open}${[...shown, "…"].join(", ")}${close}`, isCut: true };
    }
    shown.push(piece.text);
    isCut ||= piece.isCut;
  }
  return { text: `${open}${shown.join(", ")}${close}`, isCut };
}

function pieceOf({ label, value }: Part, isList: boolean): CutText {
  const piece = briefText(value);
  if (isList) return piece;
  const name = cutText(label, MAX_NAME);
  return {
    text: `${name.text}${name.isCut ? "…" : ""}: ${piece.text}`,
    isCut: piece.isCut || name.isCut,
  };
}

function briefText(value: unknown): CutText {
  if (typeof value === "string") {
    const { text, isCut } = cutText(value, MAX_STRING);
    return { text: `${JSON.stringify(text)}${isCut ? "…" : ""}`, isCut };
  }
  if (typeof value === "number") return { text: Object.is(value, -0) ? "-0" : String(value), isCut: false };
  if (!isObject(value)) return cutText(otherText(value), MAX_STRING);
  const name = classNameOf(value);
  const text = `${name === undefined ? "" : `${name} `}${bracketsOf(value)}`;
  return { text, isCut: true };
}

function otherText(value: unknown): string {
  if (typeof value === "bigint") return `${value.toString(16).length > 20 ? "…" : value}n`;
  return typeof value === "function" ? "a function" : String(value);
}

function bracketsOf(value: object): string {
  if (types.isProxy(value)) return "…";
  if (isBytes(value)) return `<${bytesOf(value).length} bytes>`;
  if (types.isDate(value) && !Number.isNaN(Date.prototype.getTime.call(value))) {
    return Date.prototype.toISOString.call(value);
  }
  const dots = countParts(value) === 0 ? "" : "…";
  const type = valueTypeOf(value);
  return type === "array" || type === "set" ? `[${dots}]` : `{${dots}}`;
}
