import { CheckpointError, DeserializationError, SerializationError } from "../../errors/index.js";
import type { ChannelValueContext, ContextualSerializer } from "../../serde/serde-context.js";
import type { EncodedEntry, EntryPlace, SentEntry } from "../model/entry.js";

/** What encodes and decodes the values of a cache. */
interface EntryCodec {
  readonly serde: ContextualSerializer;
  /** What precedes the namespaces of the cache. */
  readonly scope: string;
}

/**
 * Encodes a value. It calls the serializer before it first awaits, so that a later change by the caller is not stored.
 *
 * @throws SerializationError for a value that can't be stored.
 */
export async function encodeEntry(
  { serde, scope }: EntryCodec,
  place: EntryPlace,
  given: unknown,
): Promise<EncodedEntry> {
  try {
    const [type, value] = await serde.dumpsTyped(given, contextOf(scope, place));
    // Some serializers return the caller's own bytes, and they are sent only when a connection is free.
    return { type, value: value === given ? Uint8Array.from(value) : value };
  } catch (cause) {
    if (cause instanceof CheckpointError) throw cause;
    throw new SerializationError("", "the serializer failed", { cause });
  }
}

/**
 * Decodes a value.
 *
 * @throws DeserializationError for a value that can't be read.
 */
export async function decodeEntry(
  { serde, scope }: EntryCodec,
  place: EntryPlace,
  { type, base64 }: SentEntry,
): Promise<unknown> {
  try {
    return await serde.loadsTyped(type, Buffer.from(base64, "base64"), contextOf(scope, place));
  } catch (cause) {
    if (cause instanceof CheckpointError) throw cause;
    throw new DeserializationError("the serializer failed", { cause, typeTag: type });
  }
}

/** No channel of a graph has this name. */
const CHANNEL = "__cache_entry__";

/**
 * The place of an entry as serializers know it, to which encryption binds the value. Serializers know only places of checkpoints, so an
 * entry is a channel of a thread that does not exist.
 *
 * @param scope - What precedes the namespaces of the cache: with tenants it begins as the ids of their threads.
 */
function contextOf(scope: string, { namespace, key }: EntryPlace): ChannelValueContext {
  return { threadId: scope, checkpointNs: namespace, channel: CHANNEL, version: key };
}
