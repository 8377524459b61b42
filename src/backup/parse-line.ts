import { z } from "zod";
import { BackupError } from "./backup-error.js";
import { BACKUP_FORMAT, BACKUP_VERSION, type FirstLine, type LastLine, type RowLine } from "./backup-line.js";

/** The longest value that Postgres can store. */
const MAX_VALUE_BYTES = 2 ** 30;

const NOT_A_BACKUP =
  "the input is not a backup of LangGraph checkpoints: unpack it first if it is compressed";

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
  base: key.optional(),
  whole_bytes: z.int32().min(0).optional(),
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
const first = z.object({ format: z.literal(BACKUP_FORMAT), version: z.int() });

/**
 * Reads the first line of a backup.
 *
 * @throws BackupError when the line does not begin a backup, or when the backup has a newer version.
 */
export function parseFirstLine(line: unknown): FirstLine {
  const parsed = first.safeParse(fromJson(line, 1));
  if (!parsed.success) throw new BackupError(NOT_A_BACKUP, { line: 1 });
  if (parsed.data.version <= BACKUP_VERSION) return parsed.data;
  throw new BackupError(
    `the backup has format version ${parsed.data.version}, and this library reads version ${BACKUP_VERSION}: update the library`,
    { line: 1 },
  );
}

/**
 * Reads any line but the first.
 *
 * @param number - The number of the line, from 1.
 * @throws BackupError when the line is damaged.
 */
export function parseLine(line: unknown, number: number): RowLine | LastLine {
  const value = fromJson(line, number);
  const parsed = schemaOf(value).safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = (issue?.path ?? []).map(String).join(".");
  throw new BackupError(`the backup is damaged: ${place}${place === "" ? "" : " "}${issue?.message ?? ""}`, {
    line: number,
  });
}

function fromJson(line: unknown, number: number): unknown {
  try {
    if (typeof line === "string") return JSON.parse(line) as unknown;
  } catch (error) {
    const problem = number === 1 ? NOT_A_BACKUP : "the backup is truncated or damaged: the line is not JSON";
    throw new BackupError(problem, { line: number, cause: error });
  }
  throw new BackupError("the line is not a string", { line: number });
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
