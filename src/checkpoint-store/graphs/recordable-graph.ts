import type { IterableReadableStream } from "@langchain/core/utils/stream";

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
