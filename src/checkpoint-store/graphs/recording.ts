import type { RecordOptions } from "./recorded-graph.js";
import type { CheckpointStore } from "../checkpoint-store.js";
import { createCheckpoint, type ExecutionCheckpoint } from "../model/execution-checkpoint.js";

/** Keys of an `updates` chunk that name no node. */
const NO_NODES = new Set(["__interrupt__", "__metadata__"]);

/**
 * What one run has reached, and what of it is stored. Its parts run one after another: reading a chunk, beginning a super-step, and the save
 * of an interval.
 */
export class Recording {
  readonly #writer: CheckpointWriter;
  readonly #options: RecordOptions;
  readonly #checkInput: (state: unknown) => void;
  readonly #abort = new AbortController();
  #queue: Promise<void> = Promise.resolve();
  /** The nodes of the current super-step that have finished. */
  readonly #finished = new Set<string>();
  #state: { readonly value: unknown } | undefined;
  #unsaved: RecordedState | undefined;
  #timer: NodeJS.Timeout | undefined;
  #savedAt = performance.now();
  #failure: { readonly error: unknown } | undefined;

  /** @param checkInput - Throws if the nodes must not run with the state that the run begins with. */
  constructor(
    writer: CheckpointWriter,
    options: RecordOptions,
    checkInput: (state: unknown) => void = () => undefined,
  ) {
    this.#writer = writer;
    this.#options = options;
    this.#checkInput = checkInput;
    writer.refresh();
  }

  /** Ends the run after a failed save, and when the caller stops reading. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The error that a failed save ends the run with. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Ends the run. */
  stop(reason: unknown): void {
    this.#abort.abort(reason);
  }

  /** Reads a chunk of the graph's stream, and saves what it completes. */
  take(mode: string, payload: unknown): Promise<void> {
    return this.#next(async () => {
      if (isInterrupt(payload)) return this.#flush();
      if (mode === "updates") this.#addFinished(payload);
      if (mode !== "values") return;
      const isInput = this.#state === undefined && this.#finished.size === 0;
      this.#state = { value: payload };
      if (!isInput) return this.#endStep();
      this.#checkInput(payload);
    });
  }

  /** Saves the super-step before this one, unless it is saved already: if it has changed nothing, the stream has no `values` of it. */
  beginStep(): Promise<void> {
    return this.#next(async () => {
      if (this.#finished.size > 0) await this.#endStep();
    });
  }

  /** Saves what is not saved. `isComplete`: the run has not failed, so that the nodes which have finished belong to the state. */
  async finish(isComplete: boolean): Promise<void> {
    await this.#next(async () => {
      if (isComplete && this.#finished.size > 0) await this.#endStep();
      await this.#flush();
    });
  }

  #next(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(work).catch((error: unknown) => {
      this.#fail(error);
    });
    return this.#queue;
  }

  #addFinished(payload: unknown): void {
    if (typeof payload !== "object" || payload === null) return;
    for (const name of Object.keys(payload)) if (!NO_NODES.has(name)) this.#finished.add(name);
  }

  async #endStep(): Promise<void> {
    const nodes = [...this.#finished].sort();
    this.#finished.clear();
    if (this.#state === undefined) return;
    this.#unsaved = {
      nodeName: nodes.join(","),
      state: this.#state.value,
      metadata: { event: "step", nodes },
    };
    if (this.#options.autoSave) return this.#flush();
    const remainingMs = this.#savedAt + this.#options.saveIntervalMs - performance.now();
    if (remainingMs <= 0) return this.#flush();
    this.#timer ??= setTimeout(() => void this.#next(() => this.#flush()), remainingMs);
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const recorded = this.#unsaved;
    this.#unsaved = undefined;
    if (recorded === undefined || this.#failure !== undefined) return;
    try {
      await this.#writer.save(recorded);
    } catch (error) {
      if (this.#options.onError === "throw") throw error;
      this.#options.onError(error);
    }
    this.#savedAt = performance.now();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#abort.abort(error);
  }
}

/** Whether a chunk says that the run is interrupted. */
export function isInterrupt(payload: unknown): payload is { readonly __interrupt__: unknown } {
  return typeof payload === "object" && payload !== null && Object.hasOwn(payload, "__interrupt__");
}

/** What a checkpoint is made of. */
interface RecordedState {
  readonly nodeName: string;
  readonly state: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Stores the checkpoints of one execution, one after another. Each has a higher version and no earlier time than the one before, so that the
 * store lists them in the order of the saves even if the clock is set back.
 */
export class CheckpointWriter {
  readonly #store: CheckpointStore;
  readonly #ids: { readonly executionId: string; readonly threadId: string | undefined };
  readonly #maxCheckpoints: number;
  #newest: { readonly version: number; readonly time: number } | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    store: CheckpointStore,
    ids: { readonly executionId: string; readonly threadId: string | undefined },
    maxCheckpoints: number,
  ) {
    this.#store = store;
    this.#ids = ids;
    this.#maxCheckpoints = maxCheckpoints;
  }

  /** Makes the next save look for the newest stored checkpoint. Another process may have stored one, or somebody may have deleted it. */
  refresh(): void {
    this.#newest = undefined;
  }

  /** Stores a checkpoint after those of earlier calls. */
  save(recorded: RecordedState): Promise<ExecutionCheckpoint> {
    return this.afterOthers(() => this.#save(recorded));
  }

  /** Stores a checkpoint that is made of the newest stored one. Nothing is stored in between. */
  saveChanged(
    change: (newest: ExecutionCheckpoint | undefined) => RecordedState,
  ): Promise<ExecutionCheckpoint> {
    return this.afterOthers(async () => this.#save(change(await this.#latest())));
  }

  /** Runs `work` between two saves. */
  afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #save({ nodeName, state, metadata }: RecordedState): Promise<ExecutionCheckpoint> {
    if (this.#newest === undefined) await this.#latest();
    const { version = 0, time = 0 } = this.#newest ?? {};
    const checkpoint = createCheckpoint({
      ...this.#ids,
      nodeName,
      state,
      metadata,
      version: version + 1,
      timestamp: new Date(Math.max(Date.now(), time)),
    });
    const keepLast = this.#maxCheckpoints === 0 ? {} : { keepLast: this.#maxCheckpoints };
    await this.#store.save(checkpoint, keepLast);
    this.#newest = { version: checkpoint.version, time: checkpoint.timestamp.getTime() };
    return checkpoint;
  }

  async #latest(): Promise<ExecutionCheckpoint | undefined> {
    const latest = await this.#store.latest(this.#ids.executionId);
    this.#newest = { version: latest?.version ?? 0, time: latest?.timestamp.getTime() ?? 0 };
    return latest;
  }
}
