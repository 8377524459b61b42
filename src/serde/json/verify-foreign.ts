import type { SerializationError } from "../../errors.js";
import { decodeJson } from "./decode-json.js";
import { encodeTree } from "./encode-json.js";
import type { ForeignObject } from "./encoder.js";
import { prototypeOf } from "./inspect-object.js";

/**
 * Tries whether LangChain's core revives what was written for an object outside the table of classes, as an object of
 * the same class that is written the same way.
 *
 * @returns the error of an object that would not read back equal
 */
export async function verifyForeign(object: ForeignObject): Promise<SerializationError | undefined> {
  const { value, record, place } = object;
  const revived = await decodeJson(record);
  if (typeof revived !== "object" || revived === null || prototypeOf(revived) !== prototypeOf(value)) {
    return place.error("an object that LangChain's core can't load can't be stored");
  }
  const { json } = encodeTree(revived, {});
  return JSON.stringify(json) === JSON.stringify(record)
    ? undefined
    : place.error("an object that LangChain's core loads differently can't be stored");
}
