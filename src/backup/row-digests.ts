import { createHash, type Hash } from "node:crypto";
import { decodeBase64 } from "./base64.js";
import type { BlobLine, CheckpointLine, RowLine, WriteLine } from "./backup-line.js";
import { compareText, rowKey } from "../saver/model/keys.js";
import type { BlobDigestRow, CheckpointDigestRow, WriteDigestRow } from "./queries/digest-rows.js";

/**
 * The rows of one thread, in the lines of a backup or as they are stored: of each row its key and a digest of all of its columns.
 * Both are the same for a row and for its line.
 */
export class RowDigests {
  readonly #digests = new Map<string, string>();
  #pieced: PiecedRow | undefined;

  /** Adds a line of a backup. Lines that end a thread have no row. */
  add(line: RowLine): void {
    if ("thread" in line) return;
    if ("cancelled" in line) this.#pieced = undefined;
    else if ("piece" in line) this.#addPiece(decodeBase64(line.piece));
    else if (line.table === "checkpoints") this.#set(checkpointOf(line));
    else if ("bytes" in line) this.#pieced = { line, hash: createHash("sha256"), missing: line.bytes };
    else this.#set(valueOf(line, line.blob === null ? null : sha256(decodeBase64(line.blob))));
  }

  /** Adds a row that is stored. */
  addStored(row: StoredDigest): void {
    this.#set(digestOf(row));
  }

  /** One digest of all rows, in whatever order they were added; `undefined` where there are none. */
  fingerprint(): string | undefined {
    if (this.#digests.size === 0) return undefined;
    const hash = createHash("sha256");
    for (const [key, digest] of [...this.#digests].sort(([a], [b]) => compareText(a, b))) {
      hash.update(JSON.stringify([key, digest]));
    }
    return hash.digest("base64url");
  }

  /** Whether this row is among them, with the same content in every column. */
  holds(row: StoredDigest): boolean {
    const { key, digest } = digestOf(row);
    return this.#digests.get(key) === digest;
  }

  /** Returns the rows of both. */
  and(other: RowDigests): RowDigests {
    const both = new RowDigests();
    for (const [key, digest] of [...this.#digests, ...other.#digests]) both.#set({ key, digest });
    return both;
  }

  #set({ key, digest }: RowDigest): void {
    this.#digests.set(key, digest);
  }

  #addPiece(piece: Uint8Array): void {
    const row = this.#pieced;
    if (row === undefined) return;
    row.hash.update(piece);
    row.missing -= piece.byteLength;
    if (row.missing > 0) return;
    this.#set(valueOf(row.line, row.hash.digest("hex")));
    this.#pieced = undefined;
  }
}

/** A row of the database, with digests of its long columns. */
export type StoredDigest =
  | (CheckpointDigestRow & { readonly table: "checkpoints" })
  | (BlobDigestRow & { readonly table: "checkpoint_blobs" })
  | (Omit<WriteDigestRow, "bytes"> & { readonly table: "checkpoint_writes" });

/** A row whose value comes in pieces. */
interface PiecedRow {
  readonly line: BlobLine | WriteLine;
  readonly hash: Hash;
  missing: number;
}

interface RowDigest {
  readonly key: string;
  readonly digest: string;
}

function checkpointOf(line: CheckpointLine): RowDigest {
  const { checkpoint, metadata } = line;
  return digestOf({
    ...line,
    checkpoint: checkpoint === null ? null : sha256(checkpoint),
    metadata: metadata === null ? null : sha256(metadata),
  });
}

function valueOf(line: BlobLine | WriteLine, blob: string | null): RowDigest {
  if (line.table === "checkpoint_writes") return digestOf({ ...line, blob });
  return digestOf({ ...line, blob, base: line.base ?? null, whole_bytes: line.whole_bytes ?? null });
}

function digestOf(row: StoredDigest): RowDigest {
  switch (row.table) {
    case "checkpoints":
      return digested(
        row.table,
        [row.checkpoint_ns, row.checkpoint_id],
        [row.parent_checkpoint_id, row.type, row.checkpoint, row.metadata],
      );
    case "checkpoint_blobs":
      return digested(
        row.table,
        [row.checkpoint_ns, row.channel, row.version],
        [row.type, row.base, row.whole_bytes, row.blob],
      );
    case "checkpoint_writes":
      return digested(
        row.table,
        [row.checkpoint_ns, row.checkpoint_id, row.task_id, String(row.idx)],
        [row.task_path, row.channel, row.type, row.blob],
      );
  }
}

function digested(table: string, key: readonly string[], columns: readonly unknown[]): RowDigest {
  return {
    key: rowKey(table, ...key),
    digest: createHash("sha256").update(JSON.stringify(columns)).digest("base64url"),
  };
}

function sha256(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}
