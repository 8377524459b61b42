import { z } from "zod";
import { type BackupKind, parseFields } from "../parsing/backup-lines.js";
import { BackupError } from "./backup-error.js";
import type { LastLine, RowLine } from "./backup-line.js";

/** Backups of threads. */
export const THREAD_BACKUP: BackupKind = {
  format: "langgraph-checkpoint-backup",
  version: 1,
  content: "LangGraph checkpoints",
  refuse: (problem, options) => new BackupError(problem, options),
};

/** The longest value that Postgres can store. */
const MAX_VALUE_BYTES = 2 ** 30;

const text = z.string().nullable();
// No further checks: the database knows which text a key column can hold.
const key = z.string();
const namespace = { thread_id: key, checkpoint_ns: key };

const blob = z.strictObject({
  table: z.literal("checkpoint_blobs"),
  ...namespace,
  channel: key,
  version: key,
  type: text,
  base: key.nullish(),
  // A backup is a copy of rows, damaged ones among them: whatever the column can hold.
  whole_bytes: z.int32().nullish(),
});
const write = z.strictObject({
  table: z.literal("checkpoint_writes"),
  ...namespace,
  checkpoint_id: key,
  task_id: key,
  task_path: text,
  idx: z.int32(),
  channel: key,
  type: text,
});
const whole = { blob: text };
const inPieces = { bytes: z.int().min(1).max(MAX_VALUE_BYTES) };

const checkpoint = z.strictObject({
  table: z.literal("checkpoints"),
  ...namespace,
  checkpoint_id: key,
  parent_checkpoint_id: key.nullable(),
  type: text,
  checkpoint: text,
  metadata: text,
});

const count = z.int().min(0);
const counts = { checkpoints: count, writes: count, blobs: count };
const piece = z.strictObject({ piece: z.string() });
const cancelled = z.strictObject({ cancelled: z.literal(true) });
const thread = z.strictObject({ thread: key, ...counts });
const last = z.strictObject({
  end: z.strictObject({ threads: count, ...counts, bytes: count, sha256: z.string() }),
});

/**
 * Parses any line but the first.
 *
 * @param value - What the line holds.
 * @param number - The number of the line, from 1.
 * @throws BackupError when the line is damaged.
 */
export function parseLine(value: unknown, number: number): RowLine | LastLine {
  return parseFields(THREAD_BACKUP, schemaOf(value), value, number);
}

// Selects the schema by the kind of the line, so that an error names what is wrong with that kind.
function schemaOf(value: unknown): z.ZodType<RowLine | LastLine> {
  if (typeof value !== "object" || value === null) return last;
  const table = "table" in value ? value.table : undefined;
  if (table === "checkpoints") return checkpoint;
  if (table === "checkpoint_blobs") return "bytes" in value ? blobInPieces : wholeBlob;
  if (table === "checkpoint_writes") return "bytes" in value ? writeInPieces : wholeWrite;
  if ("piece" in value) return piece;
  if ("cancelled" in value) return cancelled;
  return "thread" in value ? thread : last;
}

const wholeBlob = blob.extend(whole);
const blobInPieces = blob.extend(inPieces);
const wholeWrite = write.extend(whole);
const writeInPieces = write.extend(inPieces);
