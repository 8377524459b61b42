import { variedText } from "../scenarios/sample-data.js";

/** A checkpoint of the benchmark. Its state has about 1 kB as JSON. */
export interface Step {
  readonly id: string;
  readonly nodeName: string;
  readonly state: object;
  readonly metadata: { readonly execution_id: string };
  readonly timestamp: Date;
  readonly version: number;
}

/** What is timed of a store. */
export interface Steps {
  setup(): Promise<void>;
  save(step: Step): Promise<void>;
  load(id: string): Promise<object>;
  list(executionId: string): Promise<readonly object[]>;
  latest(executionId: string): Promise<object | undefined>;
  end(): Promise<void>;
}

const MESSAGES = 5;

/** The nth step of an execution. */
export function stepOf(executionId: string, n: number): Step {
  const messages = Array.from({ length: MESSAGES }, (_, message) => ({
    role: message % 2 === 0 ? "user" : "assistant",
    content: variedText(180, n * MESSAGES + message),
  }));
  return {
    id: `${executionId}-${String(n).padStart(6, "0")}`,
    nodeName: `node ${n % 7}`,
    state: { messages, step: n, score: n / 3 },
    metadata: { execution_id: executionId },
    timestamp: new Date(Date.UTC(2026, 0, 1) + n * 1_000),
    version: n,
  };
}
