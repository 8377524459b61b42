import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";

/** What is known of a value beside its row. */
interface ReadContext {
  /**
   * Where the value is read: an object that is the same for all values that one read returns together, such as those of a
   * checkpoint, and another one for each read. A serializer can count by it what it makes of them; it has no fields.
   */
  readonly read?: object | undefined;
}

/** The row of a channel's value: what tells it from all others. */
export interface ChannelValueContext extends ReadContext {
  readonly threadId: string;
  /** The namespace; `""` is the root graph. */
  readonly checkpointNs: string;
  readonly channel: string;
  /** The version of the channel, as text. */
  readonly version: string;
}

/** The row of a pending write: what tells it from all others. */
export interface PendingWriteContext extends ReadContext {
  readonly threadId: string;
  /** The namespace; `""` is the root graph. */
  readonly checkpointNs: string;
  readonly channel: string;
  /** The checkpoint that the write is kept beside. */
  readonly checkpointId: string;
  readonly taskId: string;
  /** The position of the write among those of its task; below zero for the special channels. */
  readonly idx: number;
}

/** Where a stored value stands. A value is written and read with the same context, or it has been moved. */
export type ValueContext = ChannelValueContext | PendingWriteContext;

/**
 * A serializer that is told where a value stands, so that it can bind the bytes to their place or choose a key by it. The
 * saver tells every serializer; one that takes no context is given it in vain.
 *
 * @example
 * ```ts
 * class KeyPerThread implements ContextualSerializer {
 *   bindsToPlace(): boolean {
 *     return true;
 *   }
 *   async dumpsTyped(value: unknown, context?: ValueContext): Promise<[string, Uint8Array]> {
 *     return (await serializerOf(context?.threadId)).dumpsTyped(value, context);
 *   }
 *   async loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown> {
 *     return (await serializerOf(context?.threadId)).loadsTyped(type, data, context);
 *   }
 * }
 * ```
 */
export interface ContextualSerializer extends SerializerProtocol {
  /**
   * Whether values that stand as plain JSON in the header of a checkpoint, where Python's saver and the default
   * serializer keep small ones, are refused when they are read. No serializer is asked for them.
   */
  readonly refusesPlaintext?: boolean;

  /**
   * Whether bytes with this type tag can be read at no other place than the one that they were written for, as where they
   * are bound to it, or encrypted by a key that is chosen by it. Such values are decoded and encoded anew when a thread is
   * copied; without this method none are.
   *
   * @param type - the tag that was stored beside the bytes
   */
  bindsToPlace?(type: string): boolean;

  /**
   * Encodes a value.
   *
   * @param context - where the value will stand, if that is known
   * @returns the type tag and the bytes
   */
  dumpsTyped(value: unknown, context?: ValueContext): Promise<[string, Uint8Array]>;

  /**
   * Reads a stored value.
   *
   * @param type - the tag that was stored beside the bytes
   * @param data - the bytes, or their text
   * @param context - where the value stands, if that is known
   */
  loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown>;
}
