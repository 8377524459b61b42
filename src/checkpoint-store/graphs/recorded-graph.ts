import { functionSchema, parse } from "../../parsing/parse.js";
import { MAX_TIMER_MS } from "../../db/async/timers.js";
import { z } from "zod";
import type { CallOptions } from "../../parsing/parse-call-options.js";
import type { CheckpointStore, ListOptions } from "../checkpoint-store.js";
import { type ExecutionCheckpoint, newExecutionId } from "../model/execution-checkpoint.js";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import { requiredKey } from "../parse-execution-checkpoint.js";

/** Options of {@link recordCheckpoints}. */
export interface RecordCheckpointsOptions {
  /** Where the checkpoints are stored. Its table must exist: see `setup`. Recording never closes it. */
  readonly store: CheckpointStore;
  /** The execution of the checkpoints. Pass a stored one to go on with it. Default: a new one. */
  readonly executionId?: string | undefined;
  /** The thread of the checkpoints, where they are listed too. Default: none. */
  readonly threadId?: string | undefined;
  /**
   * `true` stores the state after each super-step, before the nodes of the next one begin. `false` stores at most one state per
   * `saveIntervalMs`, and always the last one of a run. Default `true`.
   */
  readonly autoSave?: boolean | undefined;
  /** The time between two saves where `autoSave` is `false`, in milliseconds. Default 30,000. */
  readonly saveIntervalMs?: number | undefined;
  /** How many checkpoints of the execution each save keeps: the newest ones. 0 keeps all. Default 10. */
  readonly maxCheckpoints?: number | undefined;
  /**
   * What a failed save does to a run. `"throw"` ends the run with the error, before the next nodes begin. A function is called with the
   * error, and the run continues. Default `"throw"`.
   */
  readonly onError?: "throw" | ((error: unknown) => void) | undefined;
}

/** Where {@link RecordedGraph.resumeFromCheckpoint} continues. */
export interface ResumeOptions<Graph extends RecordableGraph> {
  /**
   * The node to begin with, or the nodes of the next super-step. A checkpoint does not hold them. Where an edge joins several nodes, name
   * all of them or the node after the join: the graph starts anew and waits for each of them.
   */
  readonly at: NodeOf<Graph> | readonly NodeOf<Graph>[];
  /** Changes the state first. The graph's reducers merge it, like the result of a node. Default: no change. */
  readonly update?: UpdateOf<Graph> | undefined;
}

/**
 * A graph whose states are stored as checkpoints. {@link recordCheckpoints} returns it.
 *
 * @typeParam Graph - The compiled graph. Inputs, states and results have its types.
 */
export interface RecordedGraph<Graph extends RecordableGraph> {
  /** The execution of the checkpoints. */
  readonly executionId: string;

  /**
   * Runs the graph as its own `invoke` does. When it returns or throws, the last state has been stored.
   *
   * @throws InvalidConfigError for `outputKeys` and `encoding`, which hide parts of the state.
   * @throws what the graph throws. After a failed save its error, or an `AggregateError` of both.
   *
   * @example
   * ```ts
   * const result = await recorded.invoke({ input: "text" });
   * ```
   */
  readonly invoke: Graph["invoke"];

  /**
   * Streams what the graph's own `stream` does. A chunk is passed on once the states before it are stored. If you stop reading, the run
   * ends and its last state is stored.
   *
   * @throws InvalidConfigError, and while you read, what {@link invoke} throws.
   *
   * @example
   * ```ts
   * for await (const chunk of await recorded.stream({ input: "text" }, { streamMode: "updates" })) console.log(chunk);
   * ```
   */
  readonly stream: Graph["stream"];

  /**
   * Stores a state by hand. Do not change the state before the call has resolved.
   *
   * @param nodeName - The node that the state is said to be of.
   * @returns The stored checkpoint. Its metadata has `source: "manual_save"`.
   *
   * @example
   * ```ts
   * const { id } = await recorded.saveCheckpoint("review", { input: "text", approved: true });
   * ```
   */
  saveCheckpoint(nodeName: string, state: StateOf<Graph>): Promise<ExecutionCheckpoint<StateOf<Graph>>>;

  /**
   * Loads a checkpoint of the store.
   *
   * @throws CheckpointNotFoundError where there is none.
   *
   * @example
   * ```ts
   * const { state } = await recorded.loadCheckpoint(id);
   * ```
   */
  loadCheckpoint(checkpointId: string, options?: CallOptions): Promise<ExecutionCheckpoint<StateOf<Graph>>>;

  /**
   * Lists the checkpoints of the execution, the oldest first.
   *
   * @example
   * ```ts
   * for (const { nodeName, version } of await recorded.listCheckpoints()) console.log(version, nodeName);
   * ```
   */
  listCheckpoints(options?: ListOptions): Promise<ExecutionCheckpoint<StateOf<Graph>>[]>;

  /**
   * Continues from the state of a checkpoint at nodes that you name. It returns what `invoke` returns, and stores checkpoints as it does.
   *
   * @param options - The options of the graph's `invoke`.
   * @throws CheckpointNotFoundError for an unknown checkpoint.
   * @throws InvalidConfigError for an unknown node, and for a state that the graph would not continue with as it is stored.
   *
   * @example
   * ```ts
   * const result = await recorded.resumeFromCheckpoint(id, { at: "publish", update: { approved: true } });
   * ```
   */
  resumeFromCheckpoint(
    checkpointId: string,
    resume: ResumeOptions<Graph>,
    options?: Parameters<Graph["invoke"]>[1],
  ): ReturnType<Graph["invoke"]>;

  /**
   * Stores the newest state with a change. The graph's reducers merge it, like the result of a node. No node runs: continue with
   * {@link resumeFromCheckpoint}. Without a checkpoint the change is merged into the defaults.
   *
   * @param nodeName - The node that the change is said to be of, such as `human`. It need not exist.
   * @returns The stored checkpoint. Its metadata has `source: "update_state"`.
   *
   * @example
   * ```ts
   * const { id } = await recorded.updateState("human", { approved: true });
   * ```
   */
  updateState(nodeName: string, update: UpdateOf<Graph>): Promise<ExecutionCheckpoint<StateOf<Graph>>>;

  /**
   * Deletes the checkpoints of the execution.
   *
   * @returns Their number.
   *
   * @example
   * ```ts
   * await recorded.clearCheckpoints();
   * ```
   */
  clearCheckpoints(options?: CallOptions): Promise<number>;
}

/** A channel of a graph: a key of its state with its reducer. */
export interface GraphChannel {
  /** Creates an empty channel of the same kind. */
  fromCheckpoint(): GraphChannel;
  /** Adds values by the reducer. */
  update(values: unknown[]): boolean;
  /** Returns the value. */
  get(): unknown;
}

/**
 * A compiled graph of LangGraph.js, as far as recording needs it. `@langchain/langgraph` is an optional peer, so its types are described
 * here and not imported.
 */
export interface RecordableGraph {
  readonly lg_is_pregel: boolean;
  readonly checkpointer?: unknown;
  readonly nodes: Readonly<Record<string, unknown>>;
  readonly channels: Readonly<Record<string, unknown>>;
  readonly streamMode: readonly string[];
  readonly outputChannels: PropertyKey | readonly PropertyKey[];
  /** Runs the graph to its end. */
  invoke(input: unknown, options?: object): Promise<unknown>;
  /** Runs the graph, and yields what the stream modes ask for. */
  stream(input: unknown, options?: object): Promise<IterableReadableStream<unknown>>;
}

/** The type of a graph's whole state. */
export type StateOf<Graph> = Graph extends { readonly "~RunOutput": infer State }
  ? State
  : Graph extends { readonly "~OutputType": infer Output }
    ? Output
    : unknown;

/** The type of what a node of a graph may return. */
export type UpdateOf<Graph> = Graph extends { readonly "~RunInput": infer Update } ? Update : unknown;

/** The names of a graph's nodes. */
export type NodeOf<Graph extends RecordableGraph> = Exclude<keyof Graph["nodes"] & string, "__start__">;

/** Parses {@link RecordCheckpointsOptions}. */
export const recordOptions = z.strictObject({
  store: z.custom<CheckpointStore>(isStore, "must be a checkpoint store"),
  executionId: requiredKey.optional().transform((id) => id ?? newExecutionId()),
  threadId: requiredKey.optional(),
  autoSave: z.boolean().default(true),
  saveIntervalMs: z.int().min(1).max(MAX_TIMER_MS).default(30_000),
  maxCheckpoints: z.int().min(0).default(10),
  onError: z.union([z.literal("throw"), functionSchema<(error: unknown) => void>()]).default("throw"),
});

/** The options of a recording, with their defaults. */
export type RecordOptions = z.output<typeof recordOptions>;

/** A compiled graph without a checkpointer. */
export const compiledGraph = z
  .custom<RecordableGraph>(isGraph, "must be a compiled graph")
  .refine(
    ({ checkpointer }) => checkpointer === undefined || checkpointer === false,
    "has a checkpointer, which stores its states: compile it without one",
  );

const resumeOptions = z.strictObject({
  at: z.union([z.string(), z.array(z.string()).min(1)]).transform((names) => [names].flat()),
  update: z.unknown().optional(),
});

/** Parses the options of `resumeFromCheckpoint`. `nodes` are those of the graph. */
export function parseResumeOptions(value: unknown, nodes: object): z.output<typeof resumeOptions> {
  const known = resumeOptions.refine(({ at }) => at.every((name) => Object.hasOwn(nodes, name)), {
    path: ["at"],
    message: "the graph has no such node",
  });
  return parse(known, value, "resume");
}

function isStore(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return ["save", "load", "list", "latest", "clear"].every(
    (name) => typeof Reflect.get(value, name) === "function",
  );
}

function isGraph(value: unknown): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, "lg_is_pregel") === true;
}
