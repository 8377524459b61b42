import type { CheckpointKey, NamespaceKey } from "../model/keys.js";
import type { EncodedWrite } from "./put-pending-writes.js";
import type { ChainedValues } from "../../splices/value-memory.js";

/**
 * Rows of all three tables, of any number of checkpoints and threads. Each has its whole key, and each key occurs
 * once.
 */
export interface CheckpointRows {
  readonly checkpoints: readonly HeaderRow[];
  readonly writes: readonly WriteRow[];
  readonly blobs: readonly BlobRow[];
}

/** A row of `checkpoints`. */
export interface HeaderRow extends CheckpointKey {
  readonly parentCheckpointId: string | null;
  /** The header, as JSON text. */
  readonly checkpoint: string;
  /** The metadata, as JSON text. */
  readonly metadata: string;
  /**
   * By channel, the stored checkpoint of the same namespace from whose header an unchanged value is copied, as JSON
   * text.
   */
  readonly inlineSources: string;
}

/** A row of `checkpoint_blobs`. */
export interface BlobRow extends NamespaceKey, EncodedBlob {}

/** A row of `checkpoint_writes`. */
export interface WriteRow extends CheckpointKey, EncodedWrite {
  readonly taskId: string;
  readonly taskPath: string;
}

/** A checkpoint as it is stored: one row of `checkpoints`, and the rows of `checkpoint_blobs` that it adds. */
export interface EncodedCheckpoint extends CheckpointKey {
  readonly parentCheckpointId: string | null;
  /** Whether it may follow any checkpoint, not only the newest: a fork, an update of the state by hand, or a replay. */
  readonly branches: boolean;
  /** The header, as JSON text. */
  readonly checkpoint: string;
  /** The metadata, as JSON text. */
  readonly metadata: string;
  /** By channel, the unchanged values that are copied from the parent's header, where it has them. */
  readonly carriedInline: Readonly<Record<string, CarriedInline>>;
  /** Ordered by channel, so that concurrent writers of the same rows can't deadlock. */
  readonly blobs: readonly EncodedBlob[];
  /**
   * Whether it is complete only together with its parent, because it references values or writes that the parent has. The
   * statement locks the parent, and stores nothing where the parent is gone.
   */
  readonly requiresParent: boolean;
  /** The versions of its channels. */
  readonly versions: ChannelVersions;
  /**
   * By channel, the versions of the values that it references. The caller says which values changed, and these did not. Where the parent has
   * another version of one, the caller is wrong: then this checkpoint is stored with these values, as if the parent were gone.
   */
  readonly referencedVersions: ChannelVersions;
  /**
   * Encodes the values that did not change since the parent, for the case that the parent is gone. Encoding them in each call
   * would cost more than the rest of the call. A value that the caller has changed since the call is stored as changed. Absent
   * where a checkpoint must not be stored without its parent.
   */
  readonly carriedBlobs?: (() => Promise<readonly EncodedBlob[]>) | undefined;
  /** What the saver remembers of the values once they are stored. Absent for a saver without splices. */
  readonly chained?: ChainedValues | undefined;
}

/** Versions by channel. */
export type ChannelVersions = Readonly<Record<string, string | number>>;

/** An unchanged number that the parent's header may spell in another way, or `undefined` for a value that this checkpoint lacks. */
export type CarriedInline = number | bigint | undefined;

/** A channel's value as it is stored. */
export interface EncodedBlob {
  readonly channel: string;
  readonly version: string;
  readonly type: string;
  readonly blob: Uint8Array | null;
  /** Whether the value did not change, so that it is inserted only where its row is missing. */
  readonly isCarried?: boolean;
  /** Where the value is stored as a splice of an earlier one. */
  readonly splice?: SpliceColumns;
}

/** What a splice has beside its bytes. */
export interface SpliceColumns {
  /** The version of the earlier value. The statement locks its row, and stores nothing where the row is gone or holds something else. */
  readonly base: string;
  /** The mark of the row of the earlier value; see `rowMarkOf`. */
  readonly baseMark: string;
  /** The length of the whole value, before compression and encryption. */
  readonly wholeBytes: number;
  /** Encodes the whole value, for the case that the statement stores nothing. */
  readonly whole: () => Promise<Pick<EncodedBlob, "type" | "blob">>;
}
