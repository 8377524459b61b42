import type { Callbacks } from "@langchain/core/callbacks/manager";
import { ensureConfig, mergeConfigs } from "@langchain/core/runnables";
import { IterableReadableStream } from "@langchain/core/utils/stream";
import { joinSignals } from "../../db/async/on-abort.js";
import { InvalidConfigError } from "../../errors/index.js";
import type { RecordableGraph } from "./recorded-graph.js";
import type { Recording } from "./recording.js";
import { setImmediate } from "node:timers/promises";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";

/** The options of a run that recording reads. The others are passed on. */
export interface RunOptions {
  readonly streamMode?: string | readonly string[] | undefined;
  readonly subgraphs?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly callbacks?: Callbacks | undefined;
}

/** Options that change what the stream holds, so that states can't be recorded from it. */
const REFUSED = ["outputKeys", "encoding"];

/** Throws an InvalidConfigError for options that a recorded run can't have. */
export function checkRunOptions(options: object | undefined): void {
  for (const name of REFUSED) {
    if (options === undefined || Reflect.get(options, name) === undefined) continue;
    throw new InvalidConfigError(`options.${name}`, "a recorded graph can't have this option");
  }
}

/** Runs a graph and records it. Yields the chunks that the graph's own `stream` yields with these options. */
export async function* recordedChunks(
  graph: RecordableGraph,
  input: unknown,
  options: RunOptions,
  recording: Recording,
): AsyncGenerator {
  const { streamMode = defaultModes(graph), subgraphs = false } = options;
  const modes = [streamMode].flat();
  const isSingle = options.streamMode === undefined || typeof options.streamMode === "string";
  const gate = new StartGate(recording);
  const { signal, release } = joinSignals([options.signal, recording.signal]);
  try {
    const stream = await graph.stream(input, {
      ...options,
      streamMode: [...new Set([...modes, "updates", "values"])],
      signal,
      callbacks: withHandler(options.callbacks, gate),
    });
    for await (const chunk of stream) {
      const { namespace, mode, payload } = readChunk(chunk, subgraphs);
      if (namespace === undefined || namespace.join("|") === gate.namespace)
        await recording.take(mode, payload);
      if (recording.failure !== undefined) break;
      if (!modes.includes(mode)) continue;
      const labels = [...(namespace === undefined ? [] : [namespace]), ...(isSingle ? [] : [mode])];
      yield labels.length === 0 ? payload : [...labels, payload];
    }
  } catch (error) {
    const { failure } = recording;
    await recording.finish(false);
    throw failure?.error ?? withFailure(error, recording.failure);
  } finally {
    release();
  }
  await recording.finish(true);
  if (recording.failure !== undefined) throw recording.failure.error;
}

/** Reads all chunks at once, as LangGraph does, however slow the reader of the returned stream is. */
export async function eagerStream(
  chunks: AsyncGenerator,
  stop: (reason: unknown) => void,
): Promise<IterableReadableStream<unknown>> {
  // LangGraph's stream, too, fails here if the run fails before its first chunk.
  const first = await chunks.next();
  let isCancelled = false;
  let reading: Promise<void> = Promise.resolve();
  return new IterableReadableStream<unknown>({
    start(controller) {
      const read = async () => {
        for (let next = first; next.done !== true; next = await chunks.next()) {
          if (!isCancelled) controller.enqueue(next.value);
        }
        if (!isCancelled) controller.close();
      };
      reading = read().catch((error: unknown) => {
        if (!isCancelled) controller.error(error);
      });
    },
    async cancel(reason) {
      isCancelled = true;
      stop(reason);
      await reading;
    },
  });
}

/** The modes of a run that names none. A run inside of another graph's node streams its values. */
function defaultModes(graph: RecordableGraph): readonly string[] {
  return ensureConfig().configurable?.__pregel_task_id === undefined ? graph.streamMode : ["values"];
}

/** Adds a handler to the callbacks of a run, or to those of the run that it is inside of. */
function withHandler(callbacks: Callbacks | undefined, handler: StartGate): Callbacks | undefined {
  const given = callbacks ?? ensureConfig().callbacks;
  if (given === undefined) return [handler];
  return mergeConfigs({ callbacks: given }, { callbacks: [handler] }).callbacks;
}

function readChunk(chunk: unknown, subgraphs: boolean) {
  const parts = Array.isArray(chunk) ? (chunk as unknown[]) : [];
  const [mode, payload] = subgraphs ? parts.slice(1) : parts;
  const namespace = subgraphs && Array.isArray(parts[0]) ? (parts[0] as unknown[]) : undefined;
  return { namespace, mode: String(mode), payload };
}

function withFailure(error: unknown, failure: { readonly error: unknown } | undefined): unknown {
  if (failure === undefined) return error;
  return new AggregateError(
    [error, failure.error],
    "The run failed, and so did saving the last state before it",
  );
}

/** Lets the nodes of a super-step begin once the state before them has been saved. LangGraph waits for callbacks, but not for its readers. */
class StartGate extends BaseCallbackHandler {
  readonly name = "record_checkpoints";
  override awaitHandlers = true;
  readonly #recording: Recording;
  #run: string | undefined;
  #namespace: string | undefined;
  #step: unknown;
  #begun: Promise<void> | undefined;

  constructor(recording: Recording) {
    super();
    this.#recording = recording;
  }

  /** The namespace of the graph's own chunks, or `undefined` before its first node. It is not empty in a run inside of another graph. */
  get namespace(): string | undefined {
    return this.#namespace;
  }

  // The first chain is the graph's own run, and the nodes are its children.
  override async handleChainStart(
    _chain: unknown,
    _inputs: unknown,
    runId: string,
    parentRunId?: string,
    _tags?: string[],
    metadata?: Record<string, unknown>,
  ): Promise<void> {
    this.#run ??= runId;
    if (parentRunId !== this.#run) return;
    this.#namespace ??= String(metadata?.langgraph_checkpoint_ns).split("|").slice(0, -1).join("|");
    const step = metadata?.langgraph_step;
    if (step !== this.#step) {
      this.#step = step;
      this.#begun = this.#beginStep();
    }
    // The nodes of a super-step wait for the same promise, so that they begin together, in the order of LangGraph. After a failed save none
    // begins, because the run's signal is aborted.
    await this.#begun;
  }

  async #beginStep(): Promise<void> {
    // LangGraph has streamed the state before it starts a node. Within this turn the reader gets it.
    await setImmediate();
    await this.#recording.beginStep();
  }
}
