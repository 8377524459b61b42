import type { CheckpointPlace, NamespacePlace } from "./places.js";

/** A table with its size, by the catalog. */
export interface TableSize {
  readonly table: string;
  /** An estimate of the server. */
  readonly rows: number;
  /** With what is stored out of line. */
  readonly tableBytes: number;
  readonly indexBytes: number;
}

/** The bytes of a thread or a channel. */
export interface MeasuredPart {
  readonly name: string;
  readonly headerBytes: number;
  readonly valueBytes: number;
  readonly writeBytes: number;
}

/** What was measured by reading rows. */
export interface MeasuredStorage {
  readonly total: MeasuredPart & {
    readonly threads: number;
    readonly checkpoints: number;
    readonly values: number;
    readonly splices: number;
    readonly writes: number;
    /** The length of the values as they are stored, before Postgres compresses them. */
    readonly uncompressedBytes: number;
    /** What that would be without splices. */
    readonly wholeBytes: number;
  };
  /** The largest first. */
  readonly threads: readonly MeasuredPart[];
  readonly channels: readonly MeasuredPart[];
}

/** The bytes that some successive checkpoints have added. */
export interface StepBytes extends Omit<CheckpointPlace, keyof NamespacePlace> {
  /** How many checkpoints this stands for; the checkpoint is the last of them. */
  readonly checkpoints: number;
  readonly step?: number;
  readonly headerBytes: number;
  readonly valueBytes: number;
  readonly writeBytes: number;
}

/** The bytes by checkpoint, the oldest first. Long histories are summed to at most 500 entries. */
export interface StepsStorage {
  readonly steps: readonly StepBytes[];
  /** The bytes of the namespace that no checkpoint refers to: values that only splices still need, and rows that were left over. */
  readonly otherBytes: number;
}

/** The splices of a channel in a thread. */
export interface ChannelChains {
  readonly namespace: string;
  readonly channel: string;
  readonly versions: number;
  readonly splices: number;
  /** How many rows the longest chain has, with the whole value that it begins with. */
  readonly longest: number;
  readonly storedBytes: number;
  readonly wholeBytes: number;
}

/** Which checkpoints to prune. At least one bound is required. */
export interface PruneRule {
  /** Absent for all threads. */
  readonly threadId?: string | undefined;
  readonly keepLast?: number | undefined;
  readonly olderThanMs?: number | undefined;
}

/** What a deletion has freed or would free. */
export interface DeletedRows {
  readonly threads: number;
  readonly checkpoints: number;
  readonly values: number;
  readonly writes: number;
  readonly bytes: number;
}

/** What a copy has stored. */
export type CopiedRowCounts = Omit<DeletedRows, "threads">;
