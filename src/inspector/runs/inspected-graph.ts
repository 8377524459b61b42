import type { RunnableConfig } from "@langchain/core/runnables";
import { z } from "zod";
import { functionSchema } from "../../parsing/parse.js";
import { isObject } from "../../serde/objects/inspect-object.js";

/**
 * The names that a graph leaves in the checkpoints that it stores.
 *
 * @experimental
 */
export interface GraphNames {
  /** The nodes by name. */
  readonly nodes: Readonly<Record<string, unknown>>;
  /** The channels by name. */
  readonly channels?: Readonly<Record<string, unknown>>;
}

/**
 * A compiled graph of LangGraph.js, or what it needs to have.
 *
 * @experimental
 */
export interface InspectedGraph extends GraphNames {
  /** The graph stores its checkpoints with this saver, which must write to the tables that the inspector reads. */
  readonly checkpointer?: unknown;
  /** Yields the graphs within nodes by the names of these nodes, such as `research|search`. */
  getSubgraphs?(namespace: undefined, recurse: true): Iterable<readonly [string, GraphNames]>;
  /** Runs the graph. */
  stream(input: unknown, options: object): Promise<AsyncIterable<unknown>>;
  /** Updates a state as a node would. */
  updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig>;
}

/**
 * A thread that a graph is wanted for.
 *
 * @experimental
 */
export interface InspectedThread {
  readonly threadId: string;
  /** The metadata of the newest checkpoint of the root graph. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * A graph, or a function that returns it for a thread, for example with the config of the thread's owner. `undefined` says that the graph is
 * not for this thread.
 *
 * @experimental
 */
export type GraphOrFactory =
  | InspectedGraph
  | ((thread: InspectedThread) => InspectedGraph | undefined | Promise<InspectedGraph | undefined>);

/**
 * Returns the name of the graph that a thread belongs to, or `undefined` if the application does not know.
 *
 * @experimental
 */
export type GraphOf = (thread: InspectedThread) => string | undefined | Promise<string | undefined>;

const graph = z.custom<InspectedGraph>(
  (value) => isObject(value) && "nodes" in value && "stream" in value && typeof value.stream === "function",
  "must be a compiled graph, or a function that returns one",
);

export const graphsSchema = z.record(
  z.string(),
  z.union([functionSchema<Exclude<GraphOrFactory, InspectedGraph>>(), graph]),
);

/** Returns the graph for a thread; `undefined` where it is not for this thread. */
export async function graphFor(
  given: GraphOrFactory,
  thread: InspectedThread,
): Promise<InspectedGraph | undefined> {
  return typeof given === "function" ? given(thread) : given;
}
