import { randomBytes } from "node:crypto";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import {
  AesGcmSerializer,
  CompressedSerializer,
  EncryptedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../src/serde/index.js";

const keys = [{ id: "1", key: randomBytes(32) }];

/** The serializers whose values may be stored as splices, with and without layers. */
export const SPLICING_SERIALIZERS: readonly [string, SerializerProtocol][] = [
  ["MessagePack", new MsgpackSerializer()],
  ["JSON", new JsonSerializer()],
  ["compression and AES-GCM", new AesGcmSerializer(new CompressedSerializer(), { keys, strict: true })],
  ["Python's encryption", EncryptedSerializer.fromAesKey(randomBytes(32))],
];

/** Text that does not repeat itself, so that compression changes little. */
export function incompressibleText(bytes: number): string {
  return randomBytes((bytes * 3) / 4).toString("base64");
}
