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
import { type CallEncoding, encodePut, encodePutWrites } from "./codec/encode-call.js";
import type { BatchOperation } from "./codec/resolve-batch.js";
import { storeBatch } from "./store.js";
import type { SaverCall } from "./call/saver-call.js";

/**
 * What a batch is filled through: the writing half of a saver. Each promise settles when its call is checked and
 * encoded; nothing is sent before the batch ends, and nothing of it is read before. A call that is refused fails the
 * batch, whether its promise is looked at or not.
 *
 * A batch is sent as one statement; as one transaction where threads are deleted, in one round trip too up to 2 MiB, or where
 * more than 64 MiB are stored. On a transaction that the saver was lent it is a part of that, and one that fails ends it, as a
 * `put` that fails does: a savepoint would also undo what the application sends through the transaction in the meantime.
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
  /** As `PostgresSaver.put`. The config that it resolves to can be handed to further calls of the batch. */
  put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig>;
  /** As `PostgresSaver.putWrites`. */
  putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath?: string): Promise<void>;
  /** As `PostgresSaver.deleteThread`: what the batch puts into the thread afterwards stays. */
  deleteThread(threadId: string): Promise<void>;
}

/** Collects what `run` does, and stores all of it when `run` has come to its end. */
export async function runBatch<T>(
  call: SaverCall,
  encoding: CallEncoding,
  run: (batch: CheckpointBatch) => Promise<T> | T,
): Promise<T> {
  if (typeof (run as unknown) !== "function") throw new InvalidConfigError("run", "must be a function");
  const batch = new OpenBatch(encoding);
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
      async () => ({ kind: "put", checkpoint: await encodePut(this.#encoding, ...call) }) as const,
      ({ checkpoint }) => configOf(checkpoint),
    );
  }

  putWrites(...call: Parameters<CheckpointBatch["putWrites"]>): Promise<void> {
    return this.#collect(
      async () => ({ kind: "putWrites", writes: await encodePutWrites(this.#encoding, ...call) }) as const,
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

  /** In the order of the calls. */
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
    // The batch itself fails with it, so that the caller need not wait for each call.
    result.catch(nothing);
    return result;
  }
}

function nothing(): void {
  // What a call resolves to that has no result.
}
