import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { encode } from "./msgpack-encoder.js";
import { loadValue } from "../typed-value.js";

/**
 * Writes values as MessagePack, in the layout that Python's checkpointer reads and writes, and reads every layout of the official
 * savers. A value that is read back equals the value that was written, or writing it fails.
 *
 * @example
 * ```ts
 * const serializer = new MsgpackSerializer();
 * const [type, bytes] = await serializer.dumpsTyped({ at: new Date(), seen: new Set(["a"]) });
 * const value = await serializer.loadsTyped(type, bytes);
 * ```
 */
export class MsgpackSerializer implements SerializerProtocol {
  /**
   * Encodes a value.
   *
   * @returns the type tag and the bytes
   * @throws {@link SerializationError} that names the path of a part that can't be stored
   */
  dumps(value: unknown): [type: string, data: Uint8Array] {
    return value === null ? ["null", new Uint8Array()] : ["msgpack", encode(value)];
  }

  /**
   * Encodes a value before it returns, so that the caller may change the value afterwards. The promise rejects with the error that
   * {@link MsgpackSerializer.dumps} throws.
   */
  dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    return new Promise((resolve) => {
      resolve(this.dumps(value));
    });
  }

  /**
   * Reads a stored value of any type tag.
   *
   * @param type - the stored type tag
   * @param data - the bytes, or their text
   * @throws {@link DeserializationError} for bytes that are malformed, and for a type tag that can't be read
   */
  loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    return loadValue(type, data);
  }
}
