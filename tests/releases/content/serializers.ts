import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { Release } from "../release.js";

// They protect nothing.
const keys = [{ id: "1", key: Buffer.alloc(32, "k") }];

/** The serializers that threads are written by. The id of a thread begins with the name of its serializer. */
export type SerializerName = "msgpack" | "json" | "gzip" | "brotli" | "gcm" | "eax";

/** Creates the serializers that a version has. */
export function serializersOf({ serde = {} }: Release): Partial<Record<SerializerName, SerializerProtocol>> {
  const { MsgpackSerializer, JsonSerializer, CompressedSerializer, AesGcmSerializer, EncryptedSerializer } =
    serde;
  return {
    ...(MsgpackSerializer && { msgpack: new MsgpackSerializer() }),
    ...(JsonSerializer && { json: new JsonSerializer() }),
    ...(CompressedSerializer && {
      gzip: new CompressedSerializer(undefined, { algorithm: "gzip" }),
      brotli: new CompressedSerializer(undefined, { algorithm: "brotli" }),
    }),
    ...(CompressedSerializer &&
      AesGcmSerializer && {
        gcm: new AesGcmSerializer(new CompressedSerializer(undefined, { algorithm: "gzip" }), {
          keys,
          strict: true,
        }),
      }),
    ...(EncryptedSerializer && { eax: EncryptedSerializer.fromAesKey(Buffer.alloc(32, "k")) }),
  };
}

/** Returns the serializer that a thread was written by. */
export function serializerOf(release: Release, thread: string): SerializerProtocol {
  const [name = ""] = thread.split(" ");
  const serializer = Object.entries(serializersOf(release)).find(([known]) => known === name)?.[1];
  if (serializer === undefined) throw new Error(`This version can't read ${thread}`);
  return serializer;
}
