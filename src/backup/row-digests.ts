import { createHash, type Hash } from "node:crypto";
import { decodeBase64 } from "./whole-rows.js";
import { type BlobLine, type CheckpointLine, keyOfRow, type RowLine, type WriteLine } from "./backup-line.js";
import { readConversationRow, type StoredConversation } from "../saver/queries/conversations-of-threads.js";
import { compareText } from "../saver/model/keys.js";
import {
  type BlobDigestRow,
  type CheckpointDigestRow,
  digestThread,
  type WriteDigestRow,
} from "./queries/digest-rows.js";
import type { CallContext } from "../db/call-context.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import type { BackupChain } from "./boundary/parse-backup.js";
import { chainOf, checkLink } from "./merge-backups.js";

/**
 * The rows of one thread, in the lines of a backup or as they are stored: of each row its key and a digest of all of its columns.
 * Both are the same for a row and for its line.
 */
export class RowDigests {
  readonly #digests = new Map<string, string>();
  #pieced: PiecedRow | undefined;

  /** Adds a line of a backup. Lines that end a thread have no row. */
  add(line: RowLine): void {
    if ("thread" in line) this.addConversation(line.conversation);
    else if ("cancelled" in line) this.#pieced = undefined;
    else if ("piece" in line) this.#addPiece(decodeBase64(line.piece));
    else if (line.table === "checkpoints") this.#set(checkpointOf(line));
    else if ("bytes" in line) this.#pieced = { line, hash: createHash("sha256"), missing: line.bytes };
    else this.#set(valueOf(line, line.blob === null ? null : sha256(decodeBase64(line.blob))));
  }

  /** Adds the conversation of the thread, if it has one. */
  addConversation(conversation: StoredConversation | undefined): void {
    if (conversation !== undefined) this.#digests.set(CONVERSATION, digestOfConversation(conversation));
  }

  /** Whether this is the conversation of the thread; `undefined` where it has none. */
  holdsConversation(conversation: StoredConversation | undefined): boolean {
    return (
      conversation === undefined || this.#digests.get(CONVERSATION) === digestOfConversation(conversation)
    );
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
export type StoredDigest = CheckpointDigestRow | BlobDigestRow | Omit<WriteDigestRow, "bytes">;

/** A row whose value comes in pieces. */
interface PiecedRow {
  readonly line: BlobLine | WriteLine;
  readonly hash: Hash;
  missing: number;
}

/** The key of a conversation. No row has it. */
const CONVERSATION = "conversation";

function digestOfConversation({ created_at, updated_at, metadata }: StoredConversation): string {
  return sha256(JSON.stringify([created_at, updated_at, metadata]));
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
  const digest = createHash("sha256")
    .update(JSON.stringify(contentOf(row)))
    .digest("base64url");
  return { key: keyOfRow(row), digest };
}

/** The columns of a row that are not in its key. */
function contentOf(row: StoredDigest): unknown[] {
  switch (row.table) {
    case "checkpoints":
      return [row.parent_checkpoint_id, row.type, row.checkpoint, row.metadata];
    case "checkpoint_blobs":
      return [row.type, row.base, row.whole_bytes, row.blob];
    case "checkpoint_writes":
      return [row.task_path, row.channel, row.type, row.blob];
  }
}

function sha256(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}

/** The threads of backups that continue each other, as the last of them left them. */
export interface EarlierThreads {
  /** One digest of all rows of each thread that has rows. */
  readonly fingerprints: ReadonlyMap<string, string>;
  /** The checksum of the last backup. */
  readonly sha256: string;
}

/**
 * Reads backups for what an increment compares: of each thread a digest, and of one thread at a time its keys.
 *
 * @throws BackupError where one is damaged, or does not continue the one before it.
 */
export async function readFingerprints(
  backups: BackupChain,
  signal: AbortSignal | undefined,
): Promise<EarlierThreads> {
  const fingerprints = new Map<string, string>();
  let sha256 = "";
  for (const backup of chainOf(backups)) {
    let rows = new RowDigests();
    for await (const { row } of backup.rows()) {
      throwIfAborted(signal);
      rows.add(row);
      if (!("thread" in row)) continue;
      const fingerprint = rows.fingerprint();
      if (fingerprint === undefined) fingerprints.delete(row.thread);
      else fingerprints.set(row.thread, fingerprint);
      rows = new RowDigests();
    }
    checkLink(backup, sha256);
    ({ sha256 } = backup);
  }
  return { fingerprints, sha256 };
}

/** Returns the digest of a thread as it is stored now. The server reads and hashes its values; only their hashes are sent. */
export async function storedFingerprint(call: CallContext, threadId: string): Promise<string | undefined> {
  const rows = new RowDigests();
  const { checkpoints, writes, blobs } = await digestThread(call, threadId);
  for (const row of [...checkpoints, ...writes, ...blobs]) rows.addStored(row);
  rows.addConversation(await readConversationRow(call, threadId));
  return rows.fingerprint();
}
