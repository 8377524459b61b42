import { BackendCheckpointStore } from "../backend-checkpoint-store.js";
import type { CheckpointStoreOptions } from "../checkpoint-store-options.js";
import { MemoryBackend } from "./memory-backend.js";

/**
 * A checkpoint store in the memory of this process, for tests and examples. It checks, encodes and sorts as the others do. `end` empties
 * it.
 *
 * @typeParam State - The type of the states. It is checked only where the option `stateSchema` is set.
 *
 * @example
 * ```ts
 * const store = new MemoryCheckpointStore<{ pages: number }>();
 * ```
 */
export class MemoryCheckpointStore<State = unknown> extends BackendCheckpointStore<State> {
  /** @throws InvalidConfigError for an invalid option. */
  constructor(options: CheckpointStoreOptions = {}) {
    super(new MemoryBackend(), options);
  }
}
