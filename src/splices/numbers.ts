import { BrokenChainError } from "../errors/index.js";

/** Encodes a whole number from 0 on: seven bits per byte, the lowest first. All bytes but the last have their highest bit set. */
export function writeNumber(number: number): Uint8Array {
  const bytes: number[] = [];
  let rest = number;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/** Reads bytes in sequence, and never past the end. */
export class ByteCursor {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** The next number. @throws BrokenChainError where there is none. */
  number(): number {
    let number = 0;
    for (let unit = 1; unit <= Number.MAX_SAFE_INTEGER; unit *= 0x80) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined) throw truncated();
      number += (byte % 0x80) * unit;
      if (byte < 0x80 && Number.isSafeInteger(number)) return number;
    }
    throw new BrokenChainError("the splice contains a number that is too large");
  }

  /** The next bytes, which share the memory of the whole. @throws BrokenChainError where there are fewer. */
  bytes(length: number): Uint8Array {
    const end = this.#position + length;
    if (end > this.#bytes.length) throw truncated();
    const bytes = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return bytes;
  }
}

function truncated(): BrokenChainError {
  return new BrokenChainError("the splice is truncated");
}
