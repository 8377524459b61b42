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
