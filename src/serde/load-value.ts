import { parseJsonText } from "./json/json-text.js";
import { decode } from "./msgpack/decode.js";
import { type LayoutReaders, readTypedValue } from "./typed-value.js";

const READERS: LayoutReaders = { msgpack: decode, json: (text) => parseJsonText(text) };

/**
 * Reads a stored value of any type tag, for every serializer of this library.
 *
 * @param type - the type tag, from the column `type`
 * @param data - the bytes, or their text
 * @returns the value; rejects with the error that {@link readTypedValue} or a reader throws
 */
export function loadValue(type: string, data: Uint8Array | string): Promise<unknown> {
  // Not async: a history has thousands of values, and an await takes as long as reading a short one.
  return new Promise((resolve) => {
    resolve(readTypedValue(type, data, READERS));
  });
}
