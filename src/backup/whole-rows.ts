import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../saver/queries/restored-rows.js";
import { BackupError } from "./backup-error.js";
import type {
  BlobLine,
  BlobLineColumns,
  CheckpointLine,
  RowLine,
  ThreadLine,
  WriteLine,
  WriteLineColumns,
} from "./backup-line.js";

interface WholeValue {
  readonly blob: Uint8Array | null;
}

/** A row of a backup with its decoded value. */
export type WholeRow = CheckpointLine | (BlobLineColumns & WholeValue) | (WriteLineColumns & WholeValue);

/** Rows of a backup by their tables. */
export interface CollectedRows {
  readonly checkpoints: RestoredCheckpoint[];
  readonly writes: RestoredWrite[];
  readonly blobs: RestoredBlob[];
}

/** The rows of a backup that one transaction stores. */
export type BackupPortion = {
  readonly [Table in keyof CollectedRows]: readonly CollectedRows[Table][number][];
};

/** Adds a row to those of its table. */
export function collectRow({ checkpoints, writes, blobs }: CollectedRows, row: WholeRow): void {
  if (row.table === "checkpoints") checkpoints.push(row);
  else if (row.table === "checkpoint_blobs") blobs.push(row);
  else writes.push(row);
}

/** A row of which not all pieces have come. */
interface PiecedRow {
  readonly row: Extract<BlobLine | WriteLine, { readonly bytes: number }>;
  readonly number: number;
  readonly value: Buffer;
  received: number;
}

/** Decodes the values of rows, and joins those in pieces in memory, since Postgres stores a row whole. */
export class WholeRows {
  readonly #isStrict: boolean;
  #pieced: PiecedRow | undefined;
  #number = 0;

  /** @param isStrict - Whether a row without all of its pieces, or a piece without a row, is refused. Otherwise it is left out. */
  constructor(isStrict = true) {
    this.#isStrict = isStrict;
  }

  /** The number of the line with which the row that was returned last begins. */
  get number(): number {
    return this.#number;
  }

  /**
   * @param number - The number of the line.
   * @returns A row once it is whole, or the end of a thread.
   * @throws BackupError when the line is damaged, or does not follow the one before it. What came of a row then is dropped.
   */
  add(line: RowLine, number = 0): WholeRow | ThreadLine | undefined {
    const pieced = this.#pieced;
    this.#pieced = undefined;
    if ("piece" in line) return this.#addPiece(pieced, line.piece);
    if ("cancelled" in line) return undefined;
    if (pieced !== undefined) this.#refuse(INCOMPLETE);
    if ("bytes" in line) {
      this.#pieced = { row: line, number, value: Buffer.allocUnsafe(line.bytes), received: 0 };
      return undefined;
    }
    this.#number = number;
    if ("thread" in line || line.table === "checkpoints") return line;
    return { ...line, blob: line.blob === null ? null : decodeBase64(line.blob) };
  }

  /** @throws BackupError when pieces of the last row are missing. */
  end(): void {
    if (this.#pieced !== undefined) this.#refuse(INCOMPLETE);
  }

  #addPiece(pieced: PiecedRow | undefined, text: string): WholeRow | undefined {
    if (pieced === undefined) {
      this.#refuse("a piece follows no value");
      return undefined;
    }
    const { row, number, value, received } = pieced;
    const piece = decodeBase64(text);
    if (received + piece.byteLength > value.length || piece.byteLength === 0)
      throw damaged("the pieces of a value do not have the stated length");
    value.set(piece, received);
    pieced.received += piece.byteLength;
    if (pieced.received < value.length) {
      this.#pieced = pieced;
      return undefined;
    }
    this.#number = number;
    return { ...row, blob: value };
  }

  #refuse(problem: string): void {
    if (this.#isStrict) throw damaged(problem);
  }
}

const INCOMPLETE = "a value is incomplete";

function damaged(problem: string): BackupError {
  return new BackupError(`the backup is damaged: ${problem}`);
}

/** The number of bytes that a base64 text encodes. */
export function base64ByteLength(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

/**
 * Decodes a value of a backup.
 *
 * @throws BackupError when the text is not base64.
 */
export function decodeBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === base64ByteLength(text)) return bytes;
  throw damaged("a value is not base64");
}
