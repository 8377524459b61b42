import type { RunnableConfig } from "@langchain/core/runnables";
import { z } from "zod";
import { functionSchema } from "../../parsing/function-schema.js";
import { isObject } from "../../serde/objects/type-guards.js";

/**
 * A compiled graph of LangGraph.js, or what it needs to have.
 *
 * @experimental
 */
export interface InspectedGraph {
  /** The graph stores its checkpoints with this saver, which must write to the tables that the inspector reads. */
  readonly checkpointer?: unknown;
  /** The nodes by name. */
  readonly nodes: Readonly<Record<string, unknown>>;
  /** Runs the graph. */
  stream(input: unknown, options: object): Promise<AsyncIterable<unknown>>;
  /** Updates a state as a node would. */
  updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig>;
}

/**
 * A graph, or a function that returns it for a thread, for example with the config of the thread's owner.
 *
 * @experimental
 */
export type GraphOrFactory =
  | InspectedGraph
  | ((thread: { readonly threadId: string }) => InspectedGraph | Promise<InspectedGraph>);

const graph = z.custom<InspectedGraph>(
  (value) => isObject(value) && "nodes" in value && "stream" in value && typeof value.stream === "function",
  "must be a compiled graph, or a function that returns one",
);

export const graphsSchema = z.record(
  z.string(),
  z.union([functionSchema<Exclude<GraphOrFactory, InspectedGraph>>(), graph]),
);

/** Returns the graph for a thread. */
export async function graphFor(given: GraphOrFactory, threadId: string): Promise<InspectedGraph> {
  return typeof given === "function" ? given({ threadId }) : given;
}
