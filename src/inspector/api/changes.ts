import type { CheckpointPlace } from "./places.js";
import type { ValueNode } from "./value-node.js";

/** A checkpoint to create as the successor of another one. */
export interface ForkEdit extends CheckpointPlace {
  /** The new values by channel, as JSON. A list of messages is given as `[{"role": "user", "content": "hi"}]`. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The value of a channel as a person may edit it. */
export interface EditableValue {
  /** The value as JSON; a message is an object with its role. */
  readonly json?: string;
  /** Why JSON can't show the value. */
  readonly problem?: string;
}

/** The value that an update would store. */
export interface CheckedValue {
  readonly channel: string;
  /** The value of the checkpoint, where it has one. */
  readonly before?: ValueNode;
  readonly after?: ValueNode;
}

/** An update of a state, as a node of a graph would make it: by the reducers of the graph. */
export interface StateUpdate {
  readonly threadId: string;
  /** The checkpoint of the root graph that is updated. */
  readonly checkpointId: string;
  readonly graph: string;
  /** The node whose update it is. The graph goes on after it. Default: the node that ran last, where that is one. */
  readonly node?: string | undefined;
  readonly values: Readonly<Record<string, unknown>>;
}

/** What an update would store, and which nodes would run next. */
export interface CheckedUpdate {
  readonly values: readonly CheckedValue[];
  readonly next: readonly string[];
}

/** A checkpoint that a call has created. */
export interface CreatedCheckpoint {
  readonly checkpointId: string;
}

/** A thread to copy. */
export interface CopyRequest {
  readonly source: string;
  readonly target: string;
}
