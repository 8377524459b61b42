/** The only format. Another layout of the bytes, or of the associated data, needs another number. */
const FORMAT = 1;

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** A value encrypted by AES-GCM, as it is stored: header, nonce, tag, ciphertext. */
export interface GcmEnvelope {
  /** The number of the format, the length of the key's id and the id. */
  readonly header: Uint8Array;
  readonly keyId: string;
  readonly nonce: Uint8Array;
  readonly tag: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** The clear text before a value that is encrypted by the key of that id. */
export function envelopeHeader(keyId: string): Uint8Array {
  const id = Buffer.from(keyId, "utf8");
  return Buffer.concat([Uint8Array.of(FORMAT, id.length), id]);
}

/** Builds an envelope. */
export function packEnvelope({ header, nonce, tag, ciphertext }: Omit<GcmEnvelope, "keyId">): Uint8Array {
  return Buffer.concat([header, nonce, tag, ciphertext]);
}

/** Parses an envelope without copying, or returns the problem of bytes that are not an envelope. */
export function unpackEnvelope(data: Uint8Array): GcmEnvelope | { readonly problem: string } {
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
