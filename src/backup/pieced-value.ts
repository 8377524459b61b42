import { BackupError } from "./backup-error.js";
import type { BlobLine, WriteLine } from "./backup-line.js";

/** A value that the backup has in pieces. They are joined in memory, since Postgres stores a row whole. */
export class PiecedValue {
  readonly line: Extract<BlobLine | WriteLine, { readonly bytes: number }>;
  readonly #value: Buffer;
  #received = 0;

  constructor(line: PiecedValue["line"]) {
    this.line = line;
    this.#value = Buffer.allocUnsafe(line.bytes);
  }

  /** @returns The whole value after its last piece. */
  add(piece: Uint8Array): Uint8Array | undefined {
    if (this.#received + piece.byteLength > this.#value.length || piece.byteLength === 0) {
      throw new BackupError("the backup is damaged: the pieces of a value do not have the stated length");
    }
    this.#value.set(piece, this.#received);
    this.#received += piece.byteLength;
    return this.#received === this.#value.length ? this.#value : undefined;
  }
}

/** The error for a value whose last pieces are missing. */
export function incompleteValue(): BackupError {
  return new BackupError("the backup is damaged: a value is incomplete");
}

/** The error for a piece without a row before it. */
export function strayPiece(): BackupError {
  return new BackupError("the backup is damaged: a piece follows no value");
}
