import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";

/** The context of a value apart from its row. */
interface ReadContext {
  /**
   * Identifies one read. All values that one read returns together, such as those of a checkpoint, carry the same object, and
   * each read has its own. The object has no fields: a serializer can use it as a key, for example to add up sizes.
   */
  readonly read?: object | undefined;
}

/** Identifies the row of a channel's value. */
export interface ChannelValueContext extends ReadContext {
  readonly threadId: string;
  /** The namespace; `""` is the root graph. */
  readonly checkpointNs: string;
  readonly channel: string;
  /** The version of the channel, as text. */
  readonly version: string;
}

/** Identifies the row of a pending write. */
export interface PendingWriteContext extends ReadContext {
  readonly threadId: string;
  /** The namespace; `""` is the root graph. */
  readonly checkpointNs: string;
  readonly channel: string;
  /** The checkpoint that the write belongs to. */
  readonly checkpointId: string;
  readonly taskId: string;
  /** The position of the write among the writes of its task. It is negative for the special channels. */
  readonly idx: number;
}

/** Identifies an item of a store. */
export interface ItemContext extends ReadContext {
  /** The labels of the namespace. */
  readonly namespace: readonly string[];
  readonly key: string;
}

/** Identifies the row of a value that a saver stores. */
export type CheckpointValueContext = ChannelValueContext | PendingWriteContext;

/** The row of a stored value. A value is read with the context that it was written with, unless its row was moved. */
export type ValueContext = CheckpointValueContext | ItemContext;

/**
 * A serializer that receives the row of each value as a context. It can bind the bytes to their row, or choose a key by the
 * row. The saver passes the context to every serializer; a serializer that does not need it ignores it.
 *
 * @example
 * ```ts
 * class KeyPerThread implements ContextualSerializer {
 *   bindsToPlace(): boolean {
 *     return true;
 *   }
 *   async dumpsTyped(value: unknown, context?: ValueContext): Promise<[string, Uint8Array]> {
 *     return (await serializerOf(context)).dumpsTyped(value, context);
 *   }
 *   async loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown> {
 *     return (await serializerOf(context)).loadsTyped(type, data, context);
 *   }
 * }
 * ```
 */
export interface ContextualSerializer extends SerializerProtocol {
  /**
   * Whether a read refuses values that the header of a checkpoint holds as plain JSON. Python's saver and the default
   * serializer store small values there, and no serializer reads them.
   */
  readonly refusesPlaintext?: boolean;

  /**
   * Whether bytes with this type tag can only be read in the row that they were written for: because they are bound to it, or
   * because the row selects the key that encrypts them. Copying a thread decodes such values and encodes them again. Without
   * this method it copies all bytes as they are.
   *
   * @param type - the stored type tag
   */
  bindsToPlace?(type: string): boolean;

  /**
   * Encodes a value.
   *
   * @param context - the row that will hold the value, where known
   * @returns the type tag and the bytes
   */
  dumpsTyped(value: unknown, context?: ValueContext): Promise<[string, Uint8Array]>;

  /**
   * Reads a stored value.
   *
   * @param type - the stored type tag
   * @param data - the bytes, or their text
   * @param context - the row that holds the value, where known
   */
  loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown>;
}
