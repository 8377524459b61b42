import type { Changes, OperationKind } from "../journal/entry.js";

/** The outcome of a call. */
export interface Outcome {
  /** Checkpoints that were read. */
  readonly seen?: readonly string[];
  /** The errors in what was read. */
  readonly violations?: readonly string[];
}

/** A call to make. */
export interface Operation {
  readonly kind: OperationKind;
  readonly changes: Changes;
  /** Makes the call. */
  run(): Promise<Outcome>;
  /** Called when the call has returned. */
  done?(): void;
  /** Called when the call has thrown. */
  failed?(): void;
}

/** The changes of a read. */
export const NOTHING: Changes = { puts: [], writes: [], deletes: false };
