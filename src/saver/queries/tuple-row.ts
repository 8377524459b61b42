import type { SentPageRow, SentRow } from "./sent-row.js";

/** A row of a read of one checkpoint. */
export type TupleRow = CheckpointRow | ValueRow | WriteRow;

/** A row of a read of several checkpoints, with its owner. */
export interface PageRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  /** `null` for a value, which several checkpoints may share. */
  readonly checkpoint_id: string | null;
  readonly row: TupleRow;
}

/** A checkpoint with its metadata, both as JSON text. */
export interface CheckpointRow {
  readonly part: "checkpoint";
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  readonly checkpoint: string | null;
  readonly metadata: string | null;
}

/** The value of a channel at a version. A page contains it once, however many of its checkpoints reference it. */
export interface ValueRow {
  readonly part: "value";
  readonly channel: string;
  readonly version: string | null;
  readonly type: string | null;
  /** The version that a splice refers to, where the read follows chains. Otherwise `null`. */
  readonly base: string | null;
  /** The bytes, as `sentBytes` selects them. */
  readonly blob: string | null;
}

/** A pending write, or as a `send` a write of the parent, where old checkpoints have their sends. */
export interface WriteRow {
  readonly part: "write" | "send";
  readonly task_id: string;
  readonly task_path: string;
  readonly idx: number;
  readonly channel: string;
  readonly type: string | null;
  /** The bytes, as `sentBytes` selects them. */
  readonly blob: string | null;
}

/** Maps a row from the database to the type of its part. */
export function tupleRowOf({ part, name, detail, content, type, metadata, idx, blob }: SentRow): TupleRow {
  switch (part) {
    case "checkpoint":
      return { part, checkpoint_id: name, parent_checkpoint_id: detail, checkpoint: content, metadata };
    case "value":
      return { part, channel: name, version: detail, type, base: content, blob };
    case "write":
    case "send":
      return {
        part,
        task_id: detail ?? "",
        task_path: content ?? "",
        idx: idx ?? 0,
        channel: name,
        type,
        blob,
      };
  }
}

/** Maps a row of a page from the database to the type of its part, with its owner. */
export function pageRowOf(sent: SentPageRow): PageRow {
  const { thread_id, checkpoint_ns, checkpoint_id } = sent;
  return { thread_id, checkpoint_ns, checkpoint_id, row: tupleRowOf(sent) };
}
