import { uuid6 } from "@langchain/langgraph-checkpoint";
import type { ExecutionCheckpoint } from "./model/execution-checkpoint.js";

/** The fields of {@link createCheckpoint}. */
export interface NewCheckpoint<State> {
  readonly executionId: string;
  readonly nodeName: string;
  readonly state: State;
  readonly threadId?: string | undefined;
  /** Further metadata. The ids above replace what it has for them. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Default 1. */
  readonly version?: number | undefined;
  /** Default: `checkpoint_` and a UUID. */
  readonly id?: string | undefined;
  /** Default: now. */
  readonly timestamp?: Date | undefined;
}

/**
 * Creates a checkpoint of an execution. It is not stored.
 *
 * @example
 * ```ts
 * const checkpoint = createCheckpoint({ executionId: newExecutionId(), nodeName: "fetch", state: { pages: 3 } });
 * ```
 */
export function createCheckpoint<State>(fields: NewCheckpoint<State>): ExecutionCheckpoint<State> {
  const { executionId, nodeName, state, threadId, metadata = {}, version = 1 } = fields;
  return {
    id: fields.id ?? `checkpoint_${uuid6(0)}`,
    nodeName,
    state,
    metadata: {
      ...metadata,
      execution_id: executionId,
      ...(threadId !== undefined && { thread_id: threadId }),
    },
    timestamp: fields.timestamp ?? new Date(),
    version,
  };
}

/**
 * Creates the id of an execution: `exec_` and a UUID.
 *
 * @example
 * ```ts
 * const executionId = newExecutionId();
 * ```
 */
export function newExecutionId(): string {
  return `exec_${uuid6(0)}`;
}
