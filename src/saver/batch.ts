import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { holdTurn, runInPlace, untilReached } from "../db/grouping/take-turn.js";
import type { Place } from "../db/grouping/turn-queues.js";
import { CheckpointError, InvalidConfigError } from "../errors/index.js";
import { parseThreadId, configOf } from "./boundary/parse-config.js";
import { sizeOfCheckpoint, sizeOfWrites } from "./codec/call-size.js";
import {
  type CallEncoding,
  encodePut,
  encodePutWrites,
  parsePut,
  parsePutWrites,
} from "./codec/encode-call.js";
import type { BatchOperation } from "./codec/resolve-batch.js";
import { store } from "./storing/store.js";
import type { SaverCall } from "./call/saver-call.js";

/**
 * Collects the calls of a batch: the writing half of a saver. Each promise settles when its call is checked and
 * encoded. The saver sends nothing before the batch ends, and reads nothing of it before. A refused call fails the
 * batch, whether or not its promise is awaited.
 *
 * The saver sends a batch as one statement. It uses one transaction where the batch deletes threads or stores more
 * than 64 MiB; a transaction of up to 2 MiB takes one round trip as well. In a transaction that you passed in, the
 * batch is a part of it, and a failing batch fails the transaction, as a failing `put` does. A savepoint would also
 * undo what the application sends through the transaction in the meantime.
 *
 * @example
 * ```ts
 * await checkpointer.batch(async (batch) => {
 *   await batch.deleteThread("42");
 *   const config = await batch.put(threadConfig, checkpoint, metadata, checkpoint.channel_versions);
 *   await batch.putWrites(config, [["messages", message]], taskId);
 * });
 * ```
 */
export interface CheckpointBatch {
  /** Like `PostgresSaver.put`. The config that it resolves to can be passed to further calls of the batch. */
  put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions?: ChannelVersions,
  ): Promise<RunnableConfig>;
  /** Like `PostgresSaver.putWrites`. */
  putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath?: string): Promise<void>;
  /** Like `PostgresSaver.deleteThread`. What the batch puts into the thread afterwards stays. */
  deleteThread(threadId: string): Promise<void>;
}

/** Collects the calls of `run`, and stores all of them when `run` has ended. */
export async function runBatch<T>(
  call: SaverCall,
  encoding: CallEncoding,
  run: (batch: CheckpointBatch) => Promise<T> | T,
): Promise<T> {
  if (typeof (run as unknown) !== "function") throw new InvalidConfigError("run", "must be a function");
  // Which threads the batch is about is known when its function has ended.
  const atCall = call.groups?.hold({ covers: () => true });
  // Values of a batch are stored whole: it is encoded before anything is stored that a splice could refer to.
  const batch = new OpenBatch({ ...encoding, memory: undefined }, atCall);
  try {
    const result = await runInPlace(
      atCall,
      () => run(batch),
      () => batch.mayKeepPlace(),
    ).finally(() => {
      batch.end();
    });
    if (atCall?.hasLeft() === false) atCall.narrow(batch.threads);
    await (atCall?.hasLeft() === false
      ? storeInPlace(call, batch, atCall)
      : holdTurn(call, call.groups, { keys: batch.threads }, () => storeBatch(call, batch)));
    return result;
  } finally {
    atCall?.leave();
  }
}

async function storeInPlace(call: SaverCall, batch: OpenBatch, place: Place): Promise<void> {
  const operations = batch.operations();
  operations.catch(nothing);
  await untilReached(call, place);
  await storeBatch(call, batch);
}

async function storeBatch(call: SaverCall, batch: OpenBatch): Promise<void> {
  const operations = await batch.operations();
  if (call.observer !== undefined) call.observer.addBytes(bytesOf(operations));
  await store(call, operations);
}

function bytesOf(operations: readonly BatchOperation[]): number {
  return operations.reduce((sum, operation) => {
    if (operation.kind === "put") return sum + sizeOfCheckpoint(operation.checkpoint).bytes;
    return operation.kind === "putWrites" ? sum + sizeOfWrites(operation.writes).bytes : sum;
  }, 0);
}

class OpenBatch implements CheckpointBatch {
  readonly #encoding: CallEncoding;
  readonly #operations: Promise<BatchOperation>[] = [];
  readonly #place: Place | undefined;
  /** The threads that its calls are about. */
  readonly threads = new Set<string>();
  #callsBeingEncoded = 0;
  #hasOnlyItsThreads = false;
  #hasEnded = false;

  /** @param place - The place of the batch among the calls on all threads. */
  constructor(encoding: CallEncoding, place: Place | undefined) {
    this.#encoding = encoding;
    this.#place = place;
  }

  put(...call: Parameters<CheckpointBatch["put"]>): Promise<RunnableConfig> {
    return this.#collect(
      () => parsePut(this.#encoding, ...call),
      async (request) => ({ kind: "put", checkpoint: await encodePut(this.#encoding, request) }) as const,
      ({ checkpoint }) => configOf(checkpoint),
    );
  }

  putWrites(...call: Parameters<CheckpointBatch["putWrites"]>): Promise<void> {
    return this.#collect(
      () => parsePutWrites(...call),
      async (request) =>
        ({ kind: "putWrites", writes: await encodePutWrites(this.#encoding, request) }) as const,
      nothing,
    );
  }

  deleteThread(threadId: string): Promise<void> {
    return this.#collect(
      () => ({ kind: "deleteThread", threadId: parseThreadId(threadId) }) as const,
      (request) => Promise.resolve(request),
      nothing,
    );
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** Returns the operations in the order of the calls. */
  operations(): Promise<BatchOperation[]> {
    return Promise.all(this.#operations);
  }

  /**
   * Whether the function waits only for calls of the batch, so that it keeps its place: from now on on the threads that it has named.
   */
  mayKeepPlace(): boolean {
    if (this.#callsBeingEncoded === 0) return false;
    if (!this.#hasOnlyItsThreads) this.#place?.narrow(this.threads);
    this.#hasOnlyItsThreads = true;
    return true;
  }

  #collect<Request extends { readonly threadId: string }, Operation extends BatchOperation, Result>(
    parseCall: () => Request,
    encode: (request: Request) => Promise<Operation>,
    resultOf: (operation: Operation) => Result,
  ): Promise<Result> {
    if (this.#hasEnded) return Promise.reject(new CheckpointError("BATCH_ENDED", "the batch has ended"));
    const operation = this.#encode(parseCall, encode);
    this.#operations.push(operation);
    const result = operation.then(resultOf);
    // The batch itself fails with this error, so the caller need not await each call.
    result.catch(nothing);
    return result;
  }

  /** The arguments are parsed and encoded before it first awaits. */
  async #encode<Request extends { readonly threadId: string }, Operation>(
    parseCall: () => Request,
    encode: (request: Request) => Promise<Operation>,
  ): Promise<Operation> {
    const request = parseCall();
    // Two batches that enter the queues of two threads one after the other could wait for each other.
    if (this.#hasOnlyItsThreads && !this.threads.has(request.threadId)) this.#place?.leave();
    this.threads.add(request.threadId);
    this.#callsBeingEncoded++;
    try {
      return await encode(request);
    } finally {
      this.#callsBeingEncoded--;
    }
  }
}

function nothing(): void {
  // Calls without a result resolve to nothing.
}
