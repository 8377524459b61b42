import type { RunnableConfig } from "@langchain/core/runnables";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
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
  /** Tells the nodes and edges, with those of the graphs within nodes by `xray`. */
  getGraphAsync?(config: { readonly xray?: boolean }): Promise<unknown>;
  /** Runs the graph. */
  stream(input: unknown, options: object): Promise<AsyncIterable<unknown>>;
  /** Updates a state as a node would. */
  updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig>;
}

/**
 * An agent that wraps its graph, such as what `createAgent` and `createDeepAgent` return.
 *
 * @experimental
 */
export interface InspectedAgent {
  readonly graph: InspectedGraph;
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
 * A graph or an agent, or a function that returns one for a thread, for example with the config of the thread's owner. `undefined` says that
 * it is not for this thread.
 *
 * @experimental
 */
export type GraphOrFactory =
  | InspectedGraph
  | InspectedAgent
  | ((
      thread: InspectedThread,
    ) => InspectedGraph | InspectedAgent | undefined | Promise<InspectedGraph | InspectedAgent | undefined>);

/**
 * Returns the name of the graph that a thread belongs to, or `undefined` if the application does not know.
 *
 * @experimental
 */
export type GraphOf = (thread: InspectedThread) => string | undefined | Promise<string | undefined>;

const ONE_OF = "must be a compiled graph or an agent";

export const graphsSchema = z.record(
  z.string(),
  z.custom<GraphOrFactory>(
    (value) => typeof value === "function" || graphIn(value) !== undefined,
    `${ONE_OF}, or a function that returns one`,
  ),
);

/**
 * Returns the graph for a thread; `undefined` where it is not for this thread.
 *
 * @throws InvalidConfigError where a function of the application returns something else.
 */
export async function graphFor(
  name: string,
  given: GraphOrFactory,
  thread: InspectedThread,
): Promise<InspectedGraph | undefined> {
  const made = typeof given === "function" ? await given(thread) : given;
  if (made === undefined) return undefined;
  const graph = graphIn(made);
  if (graph === undefined)
    throw new InvalidConfigError(`graphs.${name}`, `returned something else: it ${ONE_OF}`);
  return graph;
}

/** Returns the graph that a value is, or that it wraps. An agent lacks the parts of a graph in its types, so its graph does the work. */
function graphIn(value: unknown): InspectedGraph | undefined {
  if (isGraph(value)) return value;
  return isObject(value) && "graph" in value && isGraph(value.graph) ? value.graph : undefined;
}

function isGraph(value: unknown): value is InspectedGraph {
  return isObject(value) && "nodes" in value && "stream" in value && typeof value.stream === "function";
}
