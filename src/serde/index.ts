export { EncryptedSerializer } from "./encrypted/encrypted-serializer.js";
export type { CheckpointCipher, EncryptedBytes } from "./encrypted/checkpoint-cipher.js";
export { JsonSerializer } from "./json-serializer.js";
export { MsgpackSerializer } from "./msgpack-serializer.js";
export { PYTHON_ORIGIN, type PythonOrigin } from "./python-origin.js";
