import { CheckpointNotFoundError, InvalidConfigError } from "../errors/index.js";
import { CheckpointVersionError } from "../errors/checkpoint-store-errors.js";
import { type CallOptions, parseCallOptions } from "../parsing/parse-call-options.js";
import { parseSetupOptions, type SetupOptions } from "../parsing/parse-setup-options.js";
import { checkedSerializer } from "../serde/layers/checked-serializer.js";
import { Telemetry } from "../telemetry/telemetry.js";
import type { BackendCall, CheckpointBackend } from "./model/backend.js";
import { parseListOptions, parseSaveOptions } from "./boundary/parse-save-options.js";
import { parseCheckpoint, parseCheckpointId, parseScope } from "./boundary/parse-execution-checkpoint.js";
import type { ExecutionCheckpoint } from "./model/execution-checkpoint.js";
import { parseStoreOptions } from "./boundary/parse-checkpoint-store-options.js";
import type { CheckpointScope, CheckpointStore, ListOptions, SaveOptions } from "./checkpoint-store.js";
import { decodeRecord, type RecordDecoder } from "./codec/decode-record.js";
import { type CheckpointCodec, encodeCheckpoint } from "./codec/encode-execution-checkpoint.js";
import {
  type RecordRange,
  type RecordScope,
  type SaveRules,
  scopesOf,
  type StoredRecord,
} from "./model/stored-record.js";
import { type PreparedCall, runStoreCall, type StoreOperationName } from "./checkpoint-store-call.js";
import type { CheckpointStoreOptions } from "./checkpoint-store-options.js";

/**
 * A checkpoint store on a backend of your own. The store checks arguments, encodes and decodes states, and reports calls to telemetry; the
 * backend stores texts. The other stores of this library extend it.
 *
 * @typeParam State - The type of the states. It is checked only where the option `stateSchema` is set.
 *
 * @example
 * ```ts
 * class FolderCheckpointStore<State> extends BackendCheckpointStore<State> {
 *   constructor(folder: string) {
 *     super(new FolderBackend(folder));
 *   }
 * }
 * ```
 *
 * @experimental
 */
export class BackendCheckpointStore<State = unknown> implements CheckpointStore<State> {
  /** Where the records are. Copying uses it. */
  readonly backend: CheckpointBackend;
  readonly #telemetry: Telemetry;
  readonly #codec: CheckpointCodec & RecordDecoder;
  readonly #onlyNewer: boolean;

  /**
   * @param backend - Where the records are. {@link end} closes it.
   * @throws InvalidConfigError for an invalid option.
   */
  constructor(backend: CheckpointBackend, options: CheckpointStoreOptions = {}) {
    const {
      stateSchema,
      serde,
      concurrency,
      maxCheckpointBytes = Infinity,
      ...reported
    } = parseStoreOptions(options);
    this.backend = backend;
    this.#telemetry = new Telemetry({
      logger: reported.logger,
      threadIds: reported.telemetry?.threadIds,
      system: backend.system,
      address: () => backend.address(),
    });
    this.#codec = {
      // Anything else than a serializer or undefined is a mistake, by which states would be stored as plain text.
      serde: serde === undefined ? undefined : checkedSerializer(serde),
      stateSchema,
      maxCheckpointBytes,
      maxTextBytes: backend.maxTextBytes,
    };
    this.#onlyNewer = concurrency === "optimistic";
  }

  async setup(options?: SetupOptions): Promise<void> {
    await this.#run("checkpointStore.setup", () => {
      const { signal, lockTimeoutMs } = parseSetupOptions(options);
      return { signal, work: (call) => this.backend.setup({ ...call, lockTimeoutMs }) };
    });
  }

  async save(checkpoint: ExecutionCheckpoint<State>, options?: SaveOptions): Promise<void> {
    await this.#run("checkpointStore.save", () => {
      const { signal, keepLast } = parseSaveOptions(options);
      const parsed = parseCheckpoint(checkpoint);
      const encoding = encodeCheckpoint(this.#codec, parsed);
      return {
        signal,
        work: async (call) => {
          const record = await encoding;
          call.observer?.about({ threadId: record.threadId, checkpointId: record.id });
          call.observer?.addBytes(sizeOf(record));
          const storedVersion = await this.backend.save(record, this.#rulesOf(record, keepLast), call);
          if (storedVersion === undefined) return;
          throw new CheckpointVersionError(record.id, record.version, storedVersion);
        },
      };
    });
  }

  async load(checkpointId: string, options?: CallOptions): Promise<ExecutionCheckpoint<State>> {
    return this.#run("checkpointStore.load", () => {
      const signal = parseCallOptions(options);
      const id = parseCheckpointId(checkpointId);
      return {
        signal,
        work: async (call) => {
          call.observer?.about({ checkpointId: id });
          const record = await this.backend.load(id, call);
          if (record === undefined) throw new CheckpointNotFoundError({ checkpointId: id });
          return this.#decode(record, call);
        },
      };
    });
  }

  async list(scope: CheckpointScope, options?: ListOptions): Promise<ExecutionCheckpoint<State>[]> {
    return this.#run("checkpointStore.list", () => {
      const { signal, limit, order } = parseListOptions(options);
      const parsed = parseScope(scope);
      return { signal, work: (call) => this.#list(parsed, { limit, order }, call) };
    });
  }

  async latest(
    scope: CheckpointScope,
    options?: CallOptions,
  ): Promise<ExecutionCheckpoint<State> | undefined> {
    return this.#run("checkpointStore.latest", () => {
      const signal = parseCallOptions(options);
      const parsed = parseScope(scope);
      return {
        signal,
        work: async (call) => (await this.#list(parsed, { limit: 1, order: "desc" }, call))[0],
      };
    });
  }

  async delete(checkpointId: string, options?: CallOptions): Promise<boolean> {
    return this.#run("checkpointStore.delete", () => {
      const signal = parseCallOptions(options);
      const id = parseCheckpointId(checkpointId);
      return {
        signal,
        work: (call) => {
          call.observer?.about({ checkpointId: id });
          return this.backend.delete(id, call);
        },
      };
    });
  }

  async clear(scope: CheckpointScope, options?: CallOptions): Promise<number> {
    return this.#run("checkpointStore.clear", () => {
      const signal = parseCallOptions(options);
      const parsed = parseScope(scope);
      return {
        signal,
        work: (call) => {
          call.observer?.about(threadOf(parsed));
          return this.backend.clear(parsed, call);
        },
      };
    });
  }

  async end(): Promise<void> {
    await this.backend.close();
  }

  /** Calls {@link end} at the end of a block that declares the store with `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  #run<T>(name: StoreOperationName, prepare: () => PreparedCall<T>): Promise<T> {
    return runStoreCall(this.#telemetry, name, prepare);
  }

  #rulesOf(record: StoredRecord, keepLast: number | undefined): SaveRules {
    if (keepLast === undefined) return { onlyNewer: this.#onlyNewer, keepLast: undefined };
    const [scope] = scopesOf(record);
    if (scope === undefined) {
      throw new InvalidConfigError("options.keepLast", "the checkpoint has no execution_id and no thread_id");
    }
    return { onlyNewer: this.#onlyNewer, keepLast: { scope, count: keepLast } };
  }

  async #list(
    scope: RecordScope,
    range: RecordRange,
    call: BackendCall,
  ): Promise<ExecutionCheckpoint<State>[]> {
    call.observer?.about(threadOf(scope));
    const records = await this.backend.list(scope, range, call);
    return Promise.all(records.map((record) => this.#decode(record, call)));
  }

  // The state is what the caller says, or what the schema has checked.
  async #decode(record: StoredRecord, call: BackendCall): Promise<ExecutionCheckpoint<State>> {
    call.observer?.addBytes(sizeOf(record));
    return (await decodeRecord(this.#codec, record)) as ExecutionCheckpoint<State>;
  }
}

function threadOf({ by, id }: RecordScope): { readonly threadId: string | undefined } {
  return { threadId: by === "thread" ? id : undefined };
}

function sizeOf({ state, metadata = "" }: StoredRecord): number {
  return state.length + metadata.length;
}
