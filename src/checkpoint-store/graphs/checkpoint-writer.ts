import type { CheckpointStore } from "../checkpoint-store.js";
import { createCheckpoint } from "../create-checkpoint.js";
import type { ExecutionCheckpoint } from "../model/execution-checkpoint.js";

/** What a checkpoint is made of. */
export interface RecordedState {
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
