import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from "node:crypto";
import { DeserializationError } from "../../errors/index.js";
import type { ValueContext } from "../serde-context.js";
import { associatedData } from "./associated-data.js";
import type { KeyRing } from "./encryption-keys.js";
import {
  envelopeHeader,
  type GcmEnvelope,
  NONCE_BYTES,
  packEnvelope,
  TAG_BYTES,
  unpackEnvelope,
} from "./gcm-envelope.js";

const ALGORITHM = "aes-256-gcm";

/** The type tag and the row that a ciphertext is bound to. */
export interface Binding {
  /** The type tag, as it is stored. */
  readonly type: string;
  /** The row of the value, where known. */
  readonly context: ValueContext | undefined;
}

/** Encrypts with the newest key and a new nonce. */
export function seal({ newest }: KeyRing, plaintext: Uint8Array, { type, context }: Binding): Uint8Array {
  const header = envelopeHeader(newest.id);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, newest.key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(header, type, context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return packEnvelope({ header, nonce, tag: cipher.getAuthTag(), ciphertext });
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

function decrypt(key: KeyObject, envelope: GcmEnvelope, binding: Binding): Uint8Array {
  const { header, keyId, nonce, tag, ciphertext } = envelope;
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
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
