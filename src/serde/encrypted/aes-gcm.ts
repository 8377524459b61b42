import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from "node:crypto";
import { DeserializationError } from "../../errors/index.js";
import type { ValueContext } from "../serde-context.js";
import type { KeyRing } from "./encryption-keys.js";

/** The name in type tags of the encryption of `AesGcmSerializer`, which binds a value to its row. */
export const AES_GCM_LAYER = "aes-256-gcm";

/** Whether the layers of a type tag, such as `msgpack+zstd+aes-256-gcm`, include that encryption. */
export function isAesGcm(type: string | null): boolean {
  return type?.split("+").slice(1).includes(AES_GCM_LAYER) ?? false;
}

/** The type tag and the row that a ciphertext is bound to. */
interface Binding {
  /** The type tag, as it is stored. */
  readonly type: string;
  /** The row of the value, where known. */
  readonly context: ValueContext | undefined;
}

/** Encrypts with the newest key and a new nonce. */
export function seal({ newest }: KeyRing, plaintext: Uint8Array, { type, context }: Binding): Uint8Array {
  const header = envelopeHeader(newest.id);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(AES_GCM_LAYER, newest.key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(header, type, context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([header, nonce, cipher.getAuthTag(), ciphertext]);
}

/**
 * Decrypts the output of {@link seal} by the key that it names.
 *
 * @throws {@link DeserializationError} for an unknown key, and for a value that was changed or moved
 */
export function open(keys: KeyRing, data: Uint8Array, binding: Binding): Uint8Array {
  const envelope = unpackEnvelope(data);
  if ("problem" in envelope) throw refusal(envelope.problem, binding);
  const key = keys.find(envelope.keyId);
  if (key === undefined)
    throw refusal(
      `is encrypted by the key ${JSON.stringify(envelope.keyId)}, which is not among the given keys`,
      binding,
    );
  return decrypt(key, envelope, binding);
}

/** The id of the key that encrypted a value; `undefined` for other bytes. */
export function keyIdOf(data: Uint8Array): string | undefined {
  const envelope = unpackEnvelope(data);
  return "problem" in envelope ? undefined : envelope.keyId;
}

function decrypt(key: KeyObject, envelope: GcmEnvelope, binding: Binding): Uint8Array {
  const { header, keyId, nonce, tag, ciphertext } = envelope;
  const decipher = createDecipheriv(AES_GCM_LAYER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(header, binding.type, binding.context));
  decipher.setAuthTag(tag);
  const plaintext = decipher.update(ciphertext);
  try {
    decipher.final();
  } catch (cause) {
    throw refusal(
      `can't be decrypted: it or its type tag was changed, it was moved here from another row, or the given key ${JSON.stringify(keyId)} is not the one that encrypted it`,
      binding,
      cause,
    );
  }
  return plaintext;
}

function refusal(problem: string, { type }: Binding, cause?: unknown): DeserializationError {
  return new DeserializationError(`the value ${problem}`, { typeTag: type, cause });
}

/** The only format. Another layout of the bytes, or of the associated data, needs another number. */
const FORMAT = 1;

const NONCE_BYTES = 12;

const TAG_BYTES = 16;

/** A value encrypted by AES-GCM, as it is stored: header, nonce, tag, ciphertext. */
interface GcmEnvelope {
  /** The number of the format, the length of the key's id and the id. */
  readonly header: Uint8Array;
  readonly keyId: string;
  readonly nonce: Uint8Array;
  readonly tag: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** The clear text before a value that is encrypted by the key of that id. */
function envelopeHeader(keyId: string): Uint8Array {
  const id = Buffer.from(keyId, "utf8");
  return Buffer.concat([Uint8Array.of(FORMAT, id.length), id]);
}

/** Parses an envelope without copying, or returns the problem of bytes that are not an envelope. */
function unpackEnvelope(data: Uint8Array): GcmEnvelope | { readonly problem: string } {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const [format, idLength] = bytes;
  if (format !== undefined && format !== FORMAT)
    return {
      problem: `is encrypted in format ${format}, and this version of the library reads format ${FORMAT}`,
    };
  const nonceAt = 2 + (idLength ?? 0);
  const tagAt = nonceAt + NONCE_BYTES;
  const ciphertextAt = tagAt + TAG_BYTES;
  if (bytes.length < ciphertextAt) return { problem: "can't be decrypted: it was cut short" };
  return {
    header: bytes.subarray(0, nonceAt),
    keyId: bytes.toString("utf8", 2, nonceAt),
    nonce: bytes.subarray(nonceAt, tagAt),
    tag: bytes.subarray(tagAt, ciphertextAt),
    ciphertext: bytes.subarray(ciphertextAt),
  };
}

/** Distinguishes these ciphertexts from all others that the same key may have created. */
const PURPOSE = "langgraph-checkpoint-kysely";

const LENGTH_BYTES = 4;

/**
 * The data that is authenticated with a ciphertext but not stored in it. Each part is prefixed by its length, so that different
 * lists of parts are different bytes.
 *
 * @param header - the clear text before the ciphertext
 * @param type - the type tag, as it is stored
 * @param context - the row of the value
 */
export function associatedData(header: Uint8Array, type: string, context: ValueContext | undefined): Buffer {
  const parts = [PURPOSE, header, type, ...partsOf(context)];
  return Buffer.concat(parts.flatMap(withLengthPrefix));
}

function partsOf(context: ValueContext | undefined): string[] {
  if (context === undefined) return ["anywhere"];
  if ("namespace" in context) return ["item", ...context.namespace, context.key];
  const { threadId, checkpointNs, channel } = context;
  return "version" in context
    ? ["value", threadId, checkpointNs, channel, context.version]
    : ["write", threadId, checkpointNs, channel, context.checkpointId, context.taskId, String(context.idx)];
}

function withLengthPrefix(part: string | Uint8Array): [Buffer, Uint8Array] {
  const bytes = typeof part === "string" ? Buffer.from(part, "utf8") : part;
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}
