import { createCipheriv, timingSafeEqual } from "node:crypto";

const NOTHING = new Uint8Array();

/** A message encrypted by AES-EAX. */
interface EaxMessage {
  /** Bytes that are never used again with the same key. */
  readonly nonce: Uint8Array;
  /** 16 bytes that authenticate nonce, header and ciphertext. */
  readonly tag: Uint8Array;
  /** As long as the plaintext. */
  readonly ciphertext: Uint8Array;
}

/**
 * Encrypts by AES-EAX (Bellare, Rogaway and Wagner, 2004), which node:crypto lacks: CTR mode that starts from a code of the nonce,
 * and a tag of three codes.
 *
 * @param key - 16, 24 or 32 bytes
 * @param nonce - bytes that were never used before with this key
 * @param header - bytes that are authenticated but not encrypted
 */
export function encryptEax(
  key: Uint8Array,
  nonce: Uint8Array,
  plaintext: Uint8Array,
  header: Uint8Array = NOTHING,
): EaxMessage {
  const counter = code(key, 0, nonce);
  const ciphertext = ctr(key, counter, plaintext);
  return { nonce, tag: tagOf(key, counter, ciphertext, header), ciphertext };
}

/**
 * Decrypts the output of {@link encryptEax}. Returns `undefined` if the tag does not match, because the key is another or a bit was
 * changed. It checks the tag before it decrypts anything.
 */
export function decryptEax(
  key: Uint8Array,
  { nonce, tag, ciphertext }: EaxMessage,
  header: Uint8Array = NOTHING,
): Uint8Array | undefined {
  const counter = code(key, 0, nonce);
  const expected = tagOf(key, counter, ciphertext, header);
  const isGenuine = tag.length === expected.length && timingSafeEqual(tag, expected);
  return isGenuine ? ctr(key, counter, ciphertext) : undefined;
}

function tagOf(key: Uint8Array, counter: Uint8Array, ciphertext: Uint8Array, header: Uint8Array): Buffer {
  return xorBlocks(xorBlocks(counter, code(key, 1, header)), code(key, 2, ciphertext));
}

/** The code of a message in one of three roles, which a block before the message distinguishes. */
function code(key: Uint8Array, role: 0 | 1 | 2, message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(16);
  prefix[15] = role;
  return aesCmac(key, prefix, message);
}

function ctr(key: Uint8Array, counter: Uint8Array, data: Uint8Array): Uint8Array {
  const cipher = createCipheriv(`aes-${key.length * 8}-ctr`, key, counter);
  return Buffer.concat([cipher.update(data), cipher.final()]);
}

const BLOCK_BYTES = 16;

/**
 * The authentication code of a message by AES-CMAC (RFC 4493), also called OMAC1.
 *
 * @param key - 16, 24 or 32 bytes
 * @param parts - the consecutive parts of the message
 * @returns 16 bytes
 */
export function aesCmac(key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer {
  const message = Buffer.concat(parts);
  const whole = message.length - (message.length % BLOCK_BYTES);
  const isFull = message.length > 0 && whole === message.length;
  const start = isFull ? whole - BLOCK_BYTES : whole;
  const last = isFull ? message.subarray(start) : padded(message.subarray(start));
  const subkey = double(cbcLastBlock(key, Buffer.alloc(BLOCK_BYTES)));
  const masked = xorBlocks(last, isFull ? subkey : double(subkey));
  return cbcLastBlock(key, message.subarray(0, start), masked);
}

/** The bitwise XOR of two blocks. */
function xorBlocks(a: Uint8Array, b: Uint8Array): Buffer {
  return Buffer.from(a.map((byte, index) => byte ^ (b[index] ?? 0)));
}

/** The last block of the CBC encryption of whole blocks, with an IV of zeros. */
function cbcLastBlock(key: Uint8Array, ...blocks: readonly Uint8Array[]): Buffer {
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, Buffer.alloc(BLOCK_BYTES));
  cipher.setAutoPadding(false);
  return Buffer.concat(blocks.map((block) => cipher.update(block))).subarray(-BLOCK_BYTES);
}

/** Fills an incomplete block with a one bit and zeros. */
function padded(rest: Uint8Array): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.set(rest);
  block[rest.length] = 0x80;
  return block;
}

/** Doubling in GF(2^128), by x^128 + x^7 + x^2 + x + 1. */
function double(block: Uint8Array): Buffer {
  const shifted = Buffer.from(block.map((byte, index) => (byte << 1) | ((block[index + 1] ?? 0) >> 7)));
  if ((block[0] ?? 0) >> 7 === 1) shifted[BLOCK_BYTES - 1] = (shifted[BLOCK_BYTES - 1] ?? 0) ^ 0x87;
  return shifted;
}
