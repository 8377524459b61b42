import type { IterableReadableStream } from "@langchain/core/utils/stream";
import { InvalidConfigError } from "../../errors/index.js";
import type { CallOptions } from "../../parsing/parse-call-options.js";
import { importLangGraph, type LangGraphClasses } from "../../serde/langchain/langgraph-classes.js";
import { nodeNameText } from "../parse-execution-checkpoint.js";
import type { ListOptions } from "../checkpoint-store.js";
import { type ExecutionCheckpoint } from "../model/execution-checkpoint.js";
import { checkStart, mergeUpdate, channelWrites } from "./channel-states.js";
import { CheckpointWriter, isInterrupt, Recording } from "./recording.js";
import {
  recordOptions,
  parseResumeOptions,
  compiledGraph,
  type RecordableGraph,
  type RecordCheckpointsOptions,
  type RecordedGraph,
  type RecordOptions,
  type ResumeOptions,
} from "./recorded-graph.js";
import { checkRunOptions, eagerStream, recordedChunks, type RunOptions } from "./recorded-run.js";
import { parse } from "../../parsing/parse.js";

/**
 * Stores the states of a compiled graph in a checkpoint store while it runs, as langgraphgo's `CheckpointableRunnable` does. The graph must have
 * no checkpointer. A graph with one, such as `PostgresSaver`, knows more: which nodes come next, interrupts, and pending writes.
 *
 * @param graph - A graph of LangGraph.js, compiled without a checkpointer.
 * @throws InvalidConfigError for a graph with a checkpointer, or an invalid option.
 *
 * @example
 * ```ts
 * const store = new MemoryCheckpointStore();
 * const recorded = recordCheckpoints(graph, { store, maxCheckpoints: 5 });
 * await recorded.invoke({ input: "text" });
 * const [first] = await recorded.listCheckpoints();
 * if (first) await recorded.resumeFromCheckpoint(first.id, { at: "process" });
 * ```
 */
export function recordCheckpoints<Graph extends RecordableGraph>(
  graph: Graph,
  options: RecordCheckpointsOptions,
): RecordedGraph<Graph>;
export function recordCheckpoints(
  graph: RecordableGraph,
  options: RecordCheckpointsOptions,
): RecordedGraph<RecordableGraph> {
  parse(compiledGraph, graph, "graph");
  return new GraphRecorder(graph, parse(recordOptions, options, "options"));
}

class GraphRecorder implements RecordedGraph<RecordableGraph> {
  readonly executionId: string;
  readonly #graph: RecordableGraph;
  readonly #options: RecordOptions;
  readonly #writer: CheckpointWriter;

  constructor(graph: RecordableGraph, options: RecordOptions) {
    const { store, executionId, threadId, maxCheckpoints } = options;
    this.executionId = executionId;
    this.#graph = graph;
    this.#options = options;
    this.#writer = new CheckpointWriter(store, { executionId, threadId }, maxCheckpoints);
  }

  async invoke(input: unknown, options?: object): Promise<unknown> {
    checkRunOptions(options);
    return this.#invoke(input, options, new Recording(this.#writer, this.#options));
  }

  async stream(input: unknown, options?: object): Promise<IterableReadableStream<unknown>> {
    checkRunOptions(options);
    const recording = new Recording(this.#writer, this.#options);
    const chunks = recordedChunks(this.#graph, input, { ...options }, recording);
    return eagerStream(chunks, (reason) => {
      recording.stop(reason);
    });
  }

  async saveCheckpoint(nodeName: string, state: unknown): Promise<ExecutionCheckpoint> {
    this.#writer.refresh();
    return this.#writer.save({ nodeName, state, metadata: { source: "manual_save", saved_by: nodeName } });
  }

  async loadCheckpoint(checkpointId: string, options?: CallOptions): Promise<ExecutionCheckpoint> {
    return this.#options.store.load(checkpointId, options);
  }

  async listCheckpoints(options?: ListOptions): Promise<ExecutionCheckpoint[]> {
    return this.#options.store.list(this.executionId, options);
  }

  async resumeFromCheckpoint(
    checkpointId: string,
    resume: ResumeOptions<RecordableGraph>,
    options?: object,
  ): Promise<unknown> {
    checkRunOptions(options);
    const { at, update } = parseResumeOptions(resume, this.#graph.nodes);
    const classes = await langGraph();
    const checkpoint = await this.#options.store.load(checkpointId);
    const state =
      update === undefined ? checkpoint.state : mergeUpdate(this.#graph, classes, checkpoint.state, update);
    const command = new classes.Command({ goto: at, update: channelWrites(this.#graph, classes, state) });
    const recording = new Recording(this.#writer, this.#options, (begun) => {
      checkStart(state, begun);
    });
    return this.#invoke(command, options, recording);
  }

  async updateState(nodeName: string, update: unknown): Promise<ExecutionCheckpoint> {
    const name = parse(nodeNameText, nodeName, "nodeName");
    const classes = await langGraph();
    return this.#writer.saveChanged((newest) => ({
      nodeName: name,
      state: mergeUpdate(this.#graph, classes, newest?.state ?? {}, update),
      metadata: { source: "update_state", updated_by: name },
    }));
  }

  async clearCheckpoints(options?: CallOptions): Promise<number> {
    return this.#writer.afterOthers(() => {
      this.#writer.refresh();
      return this.#options.store.clear(this.executionId, options);
    });
  }

  // The result that the graph's own `invoke` makes of its stream. That can't be called, because it streams only a part of the state.
  async #invoke(input: unknown, options: RunOptions | undefined, recording: Recording): Promise<unknown> {
    const streamMode = options?.streamMode ?? "values";
    const chunks = recordedChunks(this.#graph, input, { ...options, streamMode }, recording);
    if (streamMode !== "values") {
      const all: unknown[] = [];
      for await (const chunk of chunks) all.push(chunk);
      return all;
    }
    const interrupts: unknown[] = [];
    let latest: unknown;
    for await (const chunk of chunks) {
      if (isInterrupt(chunk)) interrupts.push(chunk.__interrupt__);
      else latest = chunk;
    }
    const output = outputOf(this.#graph, latest);
    if (interrupts.length === 0 || (output !== undefined && typeof output !== "object")) return output;
    return { ...output, __interrupt__: interrupts.flat(1) };
  }
}

/** Returns the part of a state that a graph returns. */
function outputOf({ outputChannels }: RecordableGraph, state: unknown): unknown {
  if (typeof outputChannels !== "object" || typeof state !== "object" || state === null) return state;
  const output = outputChannels.filter((key) => Object.hasOwn(state, key));
  if (output.length === 0) return undefined;
  return Object.fromEntries(output.map((key) => [key, Reflect.get(state, key) as unknown]));
}

async function langGraph(): Promise<LangGraphClasses> {
  const classes = await importLangGraph();
  if (classes === null) throw new InvalidConfigError("graph", "needs the package @langchain/langgraph");
  return classes;
}
