import { DeserializationError } from "../errors/index.js";
import { isCompression } from "./compressed/codecs.js";
import { outermostLayer } from "./serializer-layer.js";
import { parseJsonText } from "./json/json-text.js";
import { decode } from "./msgpack/msgpack-decoder.js";

/** The readers of the two layouts of a value. Every serializer treats all other type tags alike. */
interface LayoutReaders {
  /** Reads MessagePack with Python's extensions and this library's own. */
  readonly msgpack: (bytes: Uint8Array) => unknown;
  /** Reads the JSON of the official JavaScript savers. */
  readonly json: (text: string) => unknown;
}

/**
 * Reads a stored value by its type tag. A reader may return a promise; the caller awaits it.
 *
 * @param type - the type tag, from the column `type`
 * @param data - the bytes, or their text
 * @throws {@link DeserializationError} for a type tag that is unknown, encrypted or compressed, and for a Python pickle
 */
export function readTypedValue(type: string, data: Uint8Array | string, readers: LayoutReaders): unknown {
  switch (type) {
    case "msgpack":
      return readers.msgpack(toBytes(data));
    case "json":
      return readers.json(toText(data));
    case "bytes":
    case "bytearray":
      return toBytes(data).slice();
    case "null":
      return null;
    case "empty":
      return undefined;
    default:
      throw refusal(type);
  }
}

function refusal(type: string): DeserializationError {
  return new DeserializationError(`the value ${whyRefused(type)}`, { typeTag: type });
}

function whyRefused(type: string): string {
  if (type === "pickle")
    return "is a Python pickle, which is never read because reading one runs the code that it names; write it again from Python without pickle_fallback";
  const { layer } = outermostLayer(type);
  if (isCompression(layer)) return `is compressed by "${layer}"; give the saver a CompressedSerializer`;
  if (layer !== undefined)
    return `is encrypted by "${layer}" and this serializer has no key; give the saver an encrypted serializer`;
  return `has the unknown type "${type}"`;
}

function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : plainBytes(data);
}

/** A driver returns Buffers. A stored value is a Uint8Array, whose `slice` copies. */
function plainBytes(data: Uint8Array): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function toText(data: Uint8Array | string): string {
  return typeof data === "string" ? data : new TextDecoder().decode(data);
}

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
