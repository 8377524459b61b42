import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { CallOptions } from "../../parsing/parse-call-options.js";
import type { BackupCounts } from "../backup-line.js";

/** The options of `checkBackup`. */
export interface BackupCheckOptions extends CallOptions {
  /**
   * The serializer that wrote the values, to decode each one. Default: `MsgpackSerializer`, as for a saver. `false` decodes none, as
   * where the keys of encrypted values are elsewhere.
   */
  readonly serde?: SerializerProtocol | false | undefined;
}

/** Something that is wrong with a backup. */
export interface BackupFault {
  /** The number of the line, from 1. Absent for a fault of the whole backup, such as its checksum. */
  readonly line?: number;
  readonly threadId?: string;
  readonly checkpointNs?: string;
  readonly checkpointId?: string;
  readonly channel?: string;
  /** A description for people. Its text may change between versions. */
  readonly message: string;
}

/** The result of `checkBackup`. The counts are those of the rows that were read. */
export interface BackupCheck extends BackupCounts {
  /** Whether there is no fault. */
  readonly isIntact: boolean;
  /** How many lines were read: all of them, unless the last fault has ended the check. */
  readonly lines: number;
  /** How many values were decoded. */
  readonly decoded: number;
  /** The first 100 faults, in the order in which they were found. */
  readonly faults: readonly BackupFault[];
  /** How many faults there are. */
  readonly faultCount: number;
}
