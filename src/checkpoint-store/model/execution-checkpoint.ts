import { uuid6 } from "@langchain/langgraph-checkpoint";

/**
 * The state of an execution after one of its nodes.
 *
 * @typeParam State - What the program stores. The store checks it only where its option `stateSchema` is set.
 */
export interface ExecutionCheckpoint<State = unknown> {
  /** 1 to 2,000 bytes of UTF-8. */
  readonly id: string;
  /** May be empty. */
  readonly nodeName: string;
  readonly state: State;
  /** A plain object. Its texts `execution_id` and `thread_id` are what the checkpoint is listed by. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** In the years 1 to 9999. Milliseconds are kept. */
  readonly timestamp: Date;
  /** A whole number from 0 to 2³¹ − 1. */
  readonly version: number;
}

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
