import { BackupError } from "./backup-error.js";
import type { BlobLine, WriteLine } from "./backup-line.js";

/** A value whose pieces come. It is put together, since a row is stored whole. */
export class OpenValue {
  readonly line: Extract<BlobLine | WriteLine, { readonly bytes: number }>;
  readonly #value: Buffer;
  #received = 0;

  constructor(line: OpenValue["line"]) {
    this.line = line;
    this.#value = Buffer.allocUnsafe(line.bytes);
  }

  /** @returns The whole value once its last piece has come. */
  add(piece: Uint8Array): Uint8Array | undefined {
    if (this.#received + piece.byteLength > this.#value.length || piece.byteLength === 0) {
      throw new BackupError("it is damaged: the pieces of a value are not as long as they should be");
    }
    this.#value.set(piece, this.#received);
    this.#received += piece.byteLength;
    return this.#received === this.#value.length ? this.#value : undefined;
  }
}
