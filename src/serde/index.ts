export type { CompressionAlgorithm } from "./compressed/codecs.js";
export { CompressedSerializer } from "./compressed/compressed-serializer.js";
export type { CompressionOptions } from "./compressed/compressed-serializer.js";
export { type AesGcmOptions, AesGcmSerializer } from "./encrypted/aes-gcm-serializer.js";
export { EncryptedSerializer } from "./encrypted/encrypted-serializer.js";
export type { CheckpointCipher, EncryptedBytes } from "./encrypted/encrypted-serializer.js";
export type { EncryptionKey } from "./encrypted/encryption-keys.js";
export { JsonSerializer } from "./json/json-serializer.js";
export type { SerializerLayer } from "./serializer-layer.js";
export { MsgpackSerializer } from "./msgpack/msgpack-serializer.js";
export { PYTHON_ORIGIN, type PythonOrigin } from "./python/python-origin.js";
export type {
  ChannelValueContext,
  CheckpointValueContext,
  ContextualSerializer,
  ItemContext,
  PendingWriteContext,
  ValueContext,
} from "./serde-context.js";
