import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import {
  AesGcmSerializer,
  CompressedSerializer,
  EncryptedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../../src/serde/index.js";

const KEY = "0123456789abcdef";
/** The environment with the key of {@link aes}. */
export const WITH_KEY = { LANGGRAPH_AES_KEY: KEY };
/** A text that is long enough to be compressed. */
export const LONG = "long ".repeat(1_000);
export const gcm = (strict = false) =>
  new AesGcmSerializer(new MsgpackSerializer(), {
    keys: [{ id: "1", key: new Uint8Array(32).fill(7) }],
    strict,
  });
export const aes = (serde?: SerializerProtocol) => EncryptedSerializer.fromAesKey(KEY, serde);

export const NONE = {};
/** Formats of services, each with the environment in which the command line writes the same, and the type tag of {@link LONG}. */
export const FORMATS = [
  ["MessagePack", () => new MsgpackSerializer(), NONE, "msgpack"],
  ["MessagePack, with a key for other threads", () => new MsgpackSerializer(), WITH_KEY, "msgpack"],
  ["JSON of the official JavaScript saver", () => new JsonSerializer(), NONE, "json"],
  [
    "gzip",
    () => new CompressedSerializer(new MsgpackSerializer(), { algorithm: "gzip" }),
    NONE,
    "msgpack+gzip",
  ],
  ["Brotli", () => new CompressedSerializer(new JsonSerializer(), { algorithm: "brotli" }), NONE, "json+br"],
  ["AES", aes, WITH_KEY, "msgpack+aes"],
  ["JSON with AES", () => aes(new JsonSerializer()), WITH_KEY, "json+aes"],
  [
    "Brotli with AES",
    () => aes(new CompressedSerializer(new MsgpackSerializer(), { algorithm: "brotli" })),
    WITH_KEY,
    "msgpack+br+aes",
  ],
] as const;
