import { CheckpointError, SerializationError } from "../../errors/index.js";
import type { ContextualSerializer, ValueContext } from "../../serde/serde-context.js";

/**
 * Reads the values of items. A value that can't be read becomes the error that says why, so that one such item does not hide the others.
 */
export class ReadingSerializer implements ContextualSerializer {
  readonly #serde: ContextualSerializer;

  constructor(serde: ContextualSerializer) {
    this.#serde = serde;
  }

  dumpsTyped(): Promise<[string, Uint8Array]> {
    return Promise.reject(new SerializationError("", "the inspector only reads items"));
  }

  async loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown> {
    try {
      return await this.#serde.loadsTyped(type, data, context);
    } catch (error) {
      if (error instanceof CheckpointError) return error;
      // Any other message may quote the value.
      return new CheckpointError("DESERIALIZATION_FAILED", "the serializer could not read the value");
    }
  }
}
