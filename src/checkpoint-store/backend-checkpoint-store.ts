import { noop } from "../db/async/noop.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { CheckpointNotFoundError, InvalidConfigError } from "../errors/index.js";
import { CheckpointVersionError } from "../errors/checkpoint-store-errors.js";
import type { Health } from "../health/health.js";
import { reportHealth } from "../health/report-health.js";
import { type CallOptions, parseCallOptions } from "../parsing/parse-call-options.js";
import { parseSetupOptions, type SetupOptions } from "../parsing/parse-setup-options.js";
import { checkedSerializer } from "../serde/layers/checked-serializer.js";
import { Telemetry } from "../telemetry/telemetry.js";
import type { BackendCall, CheckpointBackend } from "./model/backend.js";
import { parseLatestOptions, parseListOptions, parseSaveOptions } from "./boundary/parse-save-options.js";
import {
  parseCheckpoint,
  parseCheckpointId,
  parseCheckpoints,
  parseScope,
} from "./boundary/parse-execution-checkpoint.js";
import { parseVerifyOptions } from "./boundary/parse-verify-options.js";
import type { ExecutionCheckpoint } from "./model/execution-checkpoint.js";
import { parseStoreOptions } from "./boundary/parse-checkpoint-store-options.js";
import type {
  CheckpointScope,
  CheckpointStore,
  LatestOptions,
  ListOptions,
  SaveOptions,
} from "./checkpoint-store.js";
import { decodeRecord, type RecordDecoder } from "./codec/decode-record.js";
import { type CheckpointCodec, encodeCheckpoint } from "./codec/encode-execution-checkpoint.js";
import { type RecordScope, type SaveRules, scopesOf, type StoredRecord } from "./model/stored-record.js";
import { readable, type WantedRecords } from "./readable-records.js";
import { verifyRecords } from "./verify-records.js";
import type { VerifyCheckpointsOptions, VerifyCheckpointsReport } from "./model/verify-types.js";
import {
  type PreparedCall,
  runStoreCall,
  type StoreOperationName,
  storeOperations,
} from "./checkpoint-store-call.js";
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
      // Nobody waits for it where the call has been aborted.
      encoding.catch(noop);
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

  async saveMany(checkpoints: readonly ExecutionCheckpoint<State>[], options?: SaveOptions): Promise<void> {
    await this.#run("checkpointStore.saveMany", () => {
      const { signal, keepLast } = parseSaveOptions(options);
      const parsed = parseCheckpoints(checkpoints);
      const encoding = Promise.all(parsed.map((each) => encodeCheckpoint(this.#codec, each)));
      encoding.catch(noop);
      return {
        signal,
        work: async (call) => {
          // In the same order in every call, so that no two wait for each other's rows.
          const records = (await encoding).sort((one, other) => (one.id < other.id ? -1 : 1));
          for (const record of records) call.observer?.addBytes(sizeOf(record));
          if (keepLast !== undefined) records.forEach(requireScope);
          if (records.length === 0) return;
          const rules = { onlyNewer: this.#onlyNewer, keepLast };
          const refusing = await this.backend.saveMany(records, rules, call);
          if (refusing === undefined) return;
          const { id, version } = refusing;
          const refused = records.find((record) => record.id === id);
          throw new CheckpointVersionError(id, refused?.version ?? version, version);
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
      const { signal, limit, order, skipDamaged } = parseListOptions(options);
      const parsed = parseScope(scope);
      const wanted = { limit, order, skipDamaged };
      return { signal, work: (call) => this.#list("checkpointStore.list", parsed, wanted, call) };
    });
  }

  async latest(
    scope: CheckpointScope,
    options?: LatestOptions,
  ): Promise<ExecutionCheckpoint<State> | undefined> {
    return this.#run("checkpointStore.latest", () => {
      const { signal, skipDamaged } = parseLatestOptions(options);
      const parsed = parseScope(scope);
      const wanted = { limit: 1, order: "desc" as const, skipDamaged };
      return {
        signal,
        work: async (call) => (await this.#list("checkpointStore.latest", parsed, wanted, call))[0],
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

  async verify(options?: VerifyCheckpointsOptions): Promise<VerifyCheckpointsReport> {
    return this.#run("checkpointStore.verify", () => {
      const { signal, onProgress } = parseVerifyOptions(options);
      return {
        signal,
        work: (call) =>
          verifyRecords(this.backend.pages(undefined, call), this.#codec, { signal, onProgress }),
      };
    });
  }

  async health(options?: CallOptions): Promise<Health> {
    const base = { telemetry: this.#telemetry };
    return reportHealth(base, storeOperations["checkpointStore.health"], options, {
      check: async (signal, findings) => {
        throwIfAborted(signal);
        await this.backend.check({ signal, findings });
      },
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
    return { onlyNewer: this.#onlyNewer, keepLast: { scope: requireScope(record), count: keepLast } };
  }

  async #list(
    name: StoreOperationName,
    scope: RecordScope,
    wanted: WantedRecords,
    call: BackendCall,
  ): Promise<ExecutionCheckpoint<State>[]> {
    call.observer?.about(threadOf(scope));
    const { found, damaged } = await readable(wanted, {
      list: (range) => this.backend.list(scope, range, call),
      decode: (record) => this.#decode(record, call),
    });
    for (const error of damaged) this.#telemetry.failedLater(storeOperations[name], error);
    return found;
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

/** @throws InvalidConfigError for a record that is in no list. */
function requireScope(record: StoredRecord): RecordScope {
  const [scope] = scopesOf(record);
  if (scope !== undefined) return scope;
  throw new InvalidConfigError("options.keepLast", "the checkpoint has no execution_id and no thread_id");
}

function sizeOf({ state, metadata = "" }: StoredRecord): number {
  return state.length + metadata.length;
}
