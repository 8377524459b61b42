import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { CheckpointError, InvalidConfigError } from "../errors/index.js";
import { parseThreadId } from "./boundary/parse-config.js";
import { configOf } from "./codec/config-of.js";
import { sizeOfCheckpoint, sizeOfWrites } from "./codec/call-size.js";
import {
  type CallEncoding,
  encodePut,
  encodePutWrites,
  parsePut,
  parsePutWrites,
} from "./codec/encode-call.js";
import type { BatchOperation } from "./codec/resolve-batch.js";
import { storeBatch } from "./store-checkpoint.js";
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
  // Values of a batch are stored whole: it is encoded before anything is stored that a splice could refer to.
  const batch = new OpenBatch({ ...encoding, memory: undefined });
  let result: T;
  try {
    result = await run(batch);
  } finally {
    batch.end();
  }
  const operations = await batch.operations();
  if (call.observer !== undefined) call.observer.addBytes(bytesOf(operations));
  await storeBatch(call, operations);
  return result;
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
  #hasEnded = false;

  constructor(encoding: CallEncoding) {
    this.#encoding = encoding;
  }

  put(...call: Parameters<CheckpointBatch["put"]>): Promise<RunnableConfig> {
    return this.#collect(
      async () =>
        ({
          kind: "put",
          checkpoint: await encodePut(this.#encoding, parsePut(this.#encoding, ...call)),
        }) as const,
      ({ checkpoint }) => configOf(checkpoint),
    );
  }

  putWrites(...call: Parameters<CheckpointBatch["putWrites"]>): Promise<void> {
    return this.#collect(
      async () =>
        ({
          kind: "putWrites",
          writes: await encodePutWrites(this.#encoding, parsePutWrites(...call)),
        }) as const,
      nothing,
    );
  }

  deleteThread(threadId: string): Promise<void> {
    return this.#collect(
      async () => Promise.resolve({ kind: "deleteThread", threadId: parseThreadId(threadId) } as const),
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

  #collect<Operation extends BatchOperation, Result>(
    encode: () => Promise<Operation>,
    resultOf: (operation: Operation) => Result,
  ): Promise<Result> {
    if (this.#hasEnded) return Promise.reject(new CheckpointError("BATCH_ENDED", "the batch has ended"));
    const operation = encode();
    this.#operations.push(operation);
    const result = operation.then(resultOf);
    // The batch itself fails with this error, so the caller need not await each call.
    result.catch(nothing);
    return result;
  }
}

function nothing(): void {
  // Calls without a result resolve to nothing.
}
