import type { Changes, OperationKind } from "../journal/entry.js";

/** What a call has told. */
export interface Outcome {
  /** Checkpoints that were read. */
  readonly seen?: readonly string[];
  /** What is wrong with what was read. */
  readonly violations?: readonly string[];
}

/** A call that is about to be made. */
export interface Operation {
  readonly kind: OperationKind;
  readonly changes: Changes;
  /** Makes the call. */
  run(): Promise<Outcome>;
  /** Called once it is acknowledged. */
  done?(): void;
  /** Called when it has thrown. */
  failed?(): void;
}

/** What a read changes. */
export const NOTHING: Changes = { puts: [], writes: [], deletes: false };
