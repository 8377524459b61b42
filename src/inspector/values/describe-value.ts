import { types } from "node:util";
import { isObject } from "../../serde/objects/inspect-object.js";
import { pythonOriginOf } from "../../serde/python/python-origin.js";
import type { ValueChild, ValueNode } from "../api/value-node.js";
import { type CutText, cutText } from "./cut-text.js";
import { HOLE, readInherited, Unread } from "./read-property.js";
import { countParts, type Part, eachPart } from "./value-parts.js";
import { bufferOf, shownClassOf, isBytes, valueTypeOf } from "./value-type.js";

/** How many bytes are shown, in hexadecimal. */
const SHOWN_BYTES = 64;

/** Describes a value without its parts. It runs no code of the value, and takes a bounded time whatever the value's size. */
export function valueNodeOf(value: unknown): ValueNode {
  const type = valueTypeOf(value);
  const className = shownClassOf(value);
  return {
    type: value === HOLE ? "undefined" : type,
    ...(className !== undefined && { className }),
    ...textOf(value),
    size: sizeOf(value),
  };
}

/** Describes a part, unless it is one of the values around it: then whoever unfolds it would never come to an end. */
export function describePart({ step, label, value }: Part, around: readonly unknown[]): ValueChild {
  const isAround = isObject(value) && around.includes(value);
  return { step, label: cutLabel(label), value: valueNodeOf(isAround ? CIRCULAR : value) };
}

const MAX_LABEL = 500;

/** Returns a label that is short enough to be shown. */
export function cutLabel(label: string): string {
  const { text, isCut } = cutText(label, MAX_LABEL);
  return isCut ? `${text}…` : text;
}

/** Stands for a value that is inside itself. */
const CIRCULAR = new Unread("circular: the value contains itself");

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (isObject(value) && !types.isProxy(value) && isBytes(value)) return value.byteLength;
  return countParts(value);
}

function textOf(value: unknown): CutText {
  switch (typeof value) {
    case "string":
      return cutText(value);
    case "number":
      return whole(Object.is(value, -0) ? "-0" : String(value));
    case "bigint":
      return cutText(bigintText(value));
    case "function":
      return whole("a function");
    case "object":
      return value === null ? whole("null") : objectText(value);
    default:
      return whole(String(value));
  }
}

/** The number from which on decimal digits take too long. */
const LONG_BIGINT = 2n ** 50_000n;

/** Returns a BigInt as text: with decimal digits, or with hexadecimal ones where it is very long. */
export function bigintText(value: bigint): string {
  const size = value < 0n ? -value : value;
  return size < LONG_BIGINT ? String(value) : `${value < 0n ? "-" : ""}0x${size.toString(16)}`;
}

function objectText(value: object): CutText {
  if (types.isProxy(value)) return whole("a proxy, which was not read");
  if (value instanceof Unread) return whole(value.text);
  if (isBytes(value)) return bytesText(bufferOf(value));
  if (types.isDate(value)) return whole(dateText(value));
  if (types.isNativeError(value)) return cutText(errorText(value));
  if (types.isRegExp(value)) return cutText(RegExp.prototype.toString.call(value));
  if (value instanceof URL) return cutText(value.href);
  return previewOf(value);
}

function bytesText(bytes: Buffer): CutText {
  return { text: bytes.toString("hex", 0, SHOWN_BYTES), isCut: bytes.length > SHOWN_BYTES };
}

/** Returns the ISO time of a date. Python's may be more exact, and has a time zone. */
export function dateText(date: Date): string {
  const argument = pythonOriginOf(date)?.written?.argument;
  if (typeof argument === "string") return argument;
  return Number.isNaN(Date.prototype.getTime.call(date))
    ? "Invalid Date"
    : Date.prototype.toISOString.call(date);
}

/** Returns the name of an error with its message. */
export function errorText(error: Error): string {
  const [name, message] = [readInherited(error, "name"), readInherited(error, "message")];
  const texts = [name, message].filter((text) => typeof text === "string" && text !== "");
  return texts.join(": ");
}

function whole(text: string): CutText {
  return { text, isCut: false };
}

const MAX_PREVIEW = 120;
const MAX_STRING = 40;
const MAX_NAME = 40;

/** Shows the first parts of a value on one line, such as `{plan: "A", steps: […]}`. */
function previewOf(value: object): CutText {
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
  return { text: `${name.text}${name.isCut ? "…" : ""}: ${piece.text}`, isCut: piece.isCut || name.isCut };
}

function briefText(value: unknown): CutText {
  if (typeof value === "string") {
    const { text, isCut } = cutText(value, MAX_STRING);
    return { text: `${JSON.stringify(text)}${isCut ? "…" : ""}`, isCut };
  }
  if (typeof value === "number") return { text: Object.is(value, -0) ? "-0" : String(value), isCut: false };
  if (!isObject(value)) return cutText(otherText(value), MAX_STRING);
  const name = shownClassOf(value);
  const text = `${name === undefined ? "" : `${name} `}${bracketsOf(value)}`;
  return { text, isCut: true };
}

function otherText(value: unknown): string {
  if (typeof value === "bigint") return `${value.toString(16).length > 20 ? "…" : value}n`;
  return typeof value === "function" ? "a function" : String(value);
}

function bracketsOf(value: object): string {
  if (types.isProxy(value)) return "…";
  if (isBytes(value)) return `<${bufferOf(value).length} bytes>`;
  if (types.isDate(value) && !Number.isNaN(Date.prototype.getTime.call(value))) {
    return Date.prototype.toISOString.call(value);
  }
  const dots = countParts(value) === 0 ? "" : "…";
  const type = valueTypeOf(value);
  return type === "array" || type === "set" ? `[${dots}]` : `{${dots}}`;
}
