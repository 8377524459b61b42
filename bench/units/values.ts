import { randomBytes } from "node:crypto";
import type { ValueContent } from "../../src/estimate/unit-costs.js";
import { variedText } from "../scenarios/sample-data.js";

/** The bytes before those of an item of a list, in MessagePack. */
const PREFIX_BYTES = 4;

/** Creates a value of this many bytes in MessagePack: a list, because the saver stores a single text in the header. */
export function valueOf(content: ValueContent, bytes: number, seed: number): unknown[] {
  const length = Math.max(0, bytes - PREFIX_BYTES);
  return [content === "text" ? variedText(length, seed) : new Uint8Array(randomBytes(length))];
}
