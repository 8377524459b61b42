import { noop } from "../db/async/noop.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { CheckpointNotFoundError, InvalidConfigError } from "../errors/index.js";
import { CheckpointVersionError } from "../errors/checkpoint-store-errors.js";
import { type Health, reportHealth } from "../health/health.js";
import {
  type CallOptions,
  parseCallOptions,
  parseSetupOptions,
  type SetupOptions,
} from "../parsing/parse-call-options.js";
import { checkedSerializer } from "../serde/serializer-layer.js";
import { Telemetry } from "../telemetry/telemetry.js";
import type { BackendCall, CheckpointBackend } from "./model/backend.js";
import {
  type CheckpointStoreOptions,
  latestOptions,
  listOptions,
  saveOptions,
  backendStoreOptions,
  verifyOptions,
} from "./checkpoint-store-options.js";
import {
  parseExecutionCheckpoint,
  requiredKey,
  parseCheckpoints,
  parseScope,
} from "./parse-execution-checkpoint.js";
import type { ExecutionCheckpoint } from "./model/execution-checkpoint.js";
import type {
  CheckpointScope,
  CheckpointStore,
  LatestOptions,
  ListOptions,
  SaveOptions,
  VerifyCheckpointsOptions,
  VerifyCheckpointsReport,
} from "./checkpoint-store.js";
import {
  decodeRecord,
  type RecordDecoder,
  type CheckpointCodec,
  encodeExecutionCheckpoint,
} from "./checkpoint-codec.js";
import { type RecordScope, scopesOf, type StoredRecord } from "./model/stored-record.js";
import { readable, type WantedRecords, verifyRecords } from "./read-records.js";
import { operationsOf } from "../telemetry/running-calls.js";
import { type ObservableCall, runCall } from "../db/run-call.js";
import { parse } from "../parsing/parse.js";

/** The operations of a checkpoint store. */
const checkpointStoreOperations = operationsOf({
  "checkpointStore.setup": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.save": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.saveMany": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.load": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.list": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.latest": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.delete": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.clear": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.verify": { table: "checkpoints", isOnlyTable: true },
  "checkpointStore.health": { table: "checkpoints", isOnlyTable: true },
});

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
    } = parse(backendStoreOptions, options, "options");
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
    await this.#run("checkpointStore.setup", (begin) => {
      const { signal, lockTimeoutMs } = parseSetupOptions(options);
      return this.backend.setup({ ...begin(signal), lockTimeoutMs });
    });
  }

  async save(checkpoint: ExecutionCheckpoint<State>, options?: SaveOptions): Promise<void> {
    await this.#run("checkpointStore.save", async (begin) => {
      const { signal, keepLast } = parse(saveOptions, options, "options");
      const encoding = encodeExecutionCheckpoint(this.#codec, parseExecutionCheckpoint(checkpoint));
      // Nobody waits for it where the call has been aborted.
      encoding.catch(noop);
      const call = begin(signal);
      const record = await encoding;
      call.observer?.about({ threadId: record.threadId, checkpointId: record.id });
      call.observer?.addBytes(sizeOf(record));
      const kept = keepLast === undefined ? undefined : { scope: requireScope(record), count: keepLast };
      const rules = { onlyNewer: this.#onlyNewer, keepLast: kept };
      const storedVersion = await this.backend.save(record, rules, call);
      if (storedVersion === undefined) return;
      throw new CheckpointVersionError(record.id, record.version, storedVersion);
    });
  }

  async saveMany(checkpoints: readonly ExecutionCheckpoint<State>[], options?: SaveOptions): Promise<void> {
    await this.#run("checkpointStore.saveMany", async (begin) => {
      const { signal, keepLast } = parse(saveOptions, options, "options");
      const parsed = parseCheckpoints(checkpoints);
      const encoding = Promise.all(parsed.map((each) => encodeExecutionCheckpoint(this.#codec, each)));
      encoding.catch(noop);
      const call = begin(signal);
      // In the same order in every call, so that no two wait for each other's rows.
      const records = (await encoding).sort((one, other) => (one.id < other.id ? -1 : 1));
      for (const record of records) call.observer?.addBytes(sizeOf(record));
      if (keepLast !== undefined) records.forEach(requireScope);
      if (records.length === 0) return;
      const refusing = await this.backend.saveMany(records, { onlyNewer: this.#onlyNewer, keepLast }, call);
      if (refusing === undefined) return;
      const { id, version } = refusing;
      const refused = records.find((record) => record.id === id);
      throw new CheckpointVersionError(id, refused?.version ?? version, version);
    });
  }

  async load(checkpointId: string, options?: CallOptions): Promise<ExecutionCheckpoint<State>> {
    return this.#run("checkpointStore.load", async (begin) => {
      const signal = parseCallOptions(options);
      const id = parse(requiredKey, checkpointId, "checkpointId");
      const call = begin(signal);
      call.observer?.about({ checkpointId: id });
      const record = await this.backend.load(id, call);
      if (record === undefined) throw new CheckpointNotFoundError({ checkpointId: id });
      return this.#decode(record, call);
    });
  }

  async list(scope: CheckpointScope, options?: ListOptions): Promise<ExecutionCheckpoint<State>[]> {
    return this.#run("checkpointStore.list", (begin) => {
      const { signal, limit, ...wanted } = parse(listOptions, options, "options");
      const parsed = parseScope(scope);
      return this.#list("checkpointStore.list", parsed, { limit, ...wanted }, begin(signal));
    });
  }

  async latest(
    scope: CheckpointScope,
    options?: LatestOptions,
  ): Promise<ExecutionCheckpoint<State> | undefined> {
    return this.#run("checkpointStore.latest", async (begin) => {
      const { signal, skipDamaged } = parse(latestOptions, options, "options");
      const parsed = parseScope(scope);
      const wanted = { limit: 1, order: "desc" as const, skipDamaged };
      return (await this.#list("checkpointStore.latest", parsed, wanted, begin(signal)))[0];
    });
  }

  async delete(checkpointId: string, options?: CallOptions): Promise<boolean> {
    return this.#run("checkpointStore.delete", (begin) => {
      const signal = parseCallOptions(options);
      const id = parse(requiredKey, checkpointId, "checkpointId");
      const call = begin(signal);
      call.observer?.about({ checkpointId: id });
      return this.backend.delete(id, call);
    });
  }

  async clear(scope: CheckpointScope, options?: CallOptions): Promise<number> {
    return this.#run("checkpointStore.clear", (begin) => {
      const signal = parseCallOptions(options);
      const parsed = parseScope(scope);
      const call = begin(signal);
      call.observer?.about(threadOf(parsed));
      return this.backend.clear(parsed, call);
    });
  }

  async verify(options?: VerifyCheckpointsOptions): Promise<VerifyCheckpointsReport> {
    return this.#run("checkpointStore.verify", (begin) => {
      const parsed = parse(verifyOptions, options, "options");
      return verifyRecords(this.backend.pages(undefined, begin(parsed.signal)), this.#codec, parsed);
    });
  }

  async health(options?: CallOptions): Promise<Health> {
    const base = { telemetry: this.#telemetry };
    return reportHealth(base, checkpointStoreOperations["checkpointStore.health"], options, {
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

  /**
   * Runs one call, which is observed where telemetry is active.
   *
   * @param work - Called at once. It parses the arguments, and then begins, which throws where the signal has aborted.
   */
  #run<T>(
    name: keyof typeof checkpointStoreOperations,
    work: (begin: (signal: AbortSignal | undefined) => BackendCall) => Promise<T>,
  ): Promise<T> {
    const base: ObservableCall = { telemetry: this.#telemetry };
    return runCall(base, checkpointStoreOperations[name], async ({ observer }) =>
      work((signal) => {
        throwIfAborted(signal);
        return { signal, observer };
      }),
    );
  }

  async #list(
    name: keyof typeof checkpointStoreOperations,
    scope: RecordScope,
    wanted: WantedRecords,
    call: BackendCall,
  ): Promise<ExecutionCheckpoint<State>[]> {
    call.observer?.about(threadOf(scope));
    const { found, damaged } = await readable(wanted, {
      list: (range) => this.backend.list(scope, range, call),
      decode: (record) => this.#decode(record, call),
    });
    for (const error of damaged) this.#telemetry.failedLater(checkpointStoreOperations[name], error);
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
