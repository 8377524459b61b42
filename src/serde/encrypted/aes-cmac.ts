import { createCipheriv } from "node:crypto";

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
export function xorBlocks(a: Uint8Array, b: Uint8Array): Buffer {
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
