import { types } from "node:util";

import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";

import { isExactly } from "../objects/inspect-object.js";
import { stringifyJson } from "./json-text.js";
import { loadValue } from "../typed-value.js";

/** Marks a JsonSerializer, also one from another copy of this package, which `instanceof` would not recognize. */
const JSON_SERIALIZER = Symbol.for("langgraph-checkpoint-kysely.JsonSerializer");

/** Whether a serializer is a {@link JsonSerializer}. */
export function isJsonSerializer(serializer: object): boolean {
  return JSON_SERIALIZER in serializer;
}

/**
 * Writes values as JSON in the layout of the official JavaScript saver, so that a service can go back to that saver, and reads
 * every layout of the official savers. A value that is read back equals the value that was written, or writing it fails. The
 * official saver reads the same bytes as it reads its own.
 *
 * @example
 * ```ts
 * const serializer = new JsonSerializer();
 * const [type, bytes] = await serializer.dumpsTyped({ messages: [new HumanMessage("hi")] }); // type is "json"
 * const value = await serializer.loadsTyped(type, bytes);
 * ```
 */
export class JsonSerializer implements SerializerProtocol {
  /** @internal */
  readonly [JSON_SERIALIZER] = true;

  /**
   * Encodes a value before it returns, so that the caller may change the value afterwards.
   *
   * @returns `["bytes", …]` for a Uint8Array, `["json", …]` for any other value; rejects with a {@link SerializationError} that
   *   names the path of a part that can't be stored
   */
  dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    return new Promise((resolve) => {
      resolve(isPlainBytes(value) ? ["bytes", Uint8Array.from(value)] : dumpJson(value));
    });
  }

  /**
   * Reads a stored value of any type tag.
   *
   * @param type - the stored type tag
   * @param data - the bytes, or their text
   * @returns the value; rejects with a {@link DeserializationError} for bytes that are malformed, and for a type tag that can't be
   *   read
   */
  loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    return loadValue(type, data);
  }
}

function isPlainBytes(value: unknown): value is Uint8Array {
  return types.isUint8Array(value) && isExactly(value, "Uint8Array", 3);
}

function dumpJson(value: unknown): [string, Uint8Array] {
  return ["json", new TextEncoder().encode(stringifyJson(value))];
}
