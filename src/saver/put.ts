import type { RunnableConfig } from "@langchain/core/runnables";
import type { SaverCall } from "./call/saver-call.js";
import { type CallSize, sizeOfCheckpoint, sizeOfWrites } from "./codec/call-size.js";
import { configOf } from "./boundary/parse-config.js";
import {
  type CallEncoding,
  encodePut,
  encodePutWrites,
  parsePut,
  parsePutWrites,
  type PutArguments,
  type PutWritesArguments,
} from "./codec/encode-call.js";
import type { CheckpointKey } from "./model/keys.js";
import { storeInTurn } from "./storing/store.js";

/** Stores a checkpoint; see `PostgresSaver.put`. The arguments are encoded before this function first awaits. */
export async function put(
  call: SaverCall,
  encoding: CallEncoding,
  given: PutArguments,
): Promise<RunnableConfig> {
  const request = parsePut(encoding, ...given);
  const { checkpoint } = await storeInTurn(call, {
    threadId: request.threadId,
    encode: async () => {
      const encoded = await encodePut(encoding, request);
      report(call, encoded, sizeOfCheckpoint);
      return { kind: "put", checkpoint: encoded } as const;
    },
  });
  return configOf(checkpoint);
}

/** Stores the writes of a task; see `PostgresSaver.putWrites`. */
export async function putWrites(
  call: SaverCall,
  encoding: CallEncoding,
  given: PutWritesArguments,
): Promise<void> {
  const request = parsePutWrites(...given);
  await storeInTurn(call, {
    threadId: request.threadId,
    encode: async () => {
      const encoded = await encodePutWrites(encoding, request);
      report(call, encoded, sizeOfWrites);
      return { kind: "putWrites", writes: encoded } as const;
    },
  });
}

function report<Encoded extends CheckpointKey>(
  { progress, observer }: SaverCall,
  encoded: Encoded,
  sizeOf: (encoded: Encoded) => CallSize,
): void {
  progress?.about(encoded);
  if (observer !== undefined) observer.addBytes(sizeOf(encoded).bytes);
}

/** Deletes a thread; see `PostgresSaver.deleteThread`. */
export async function deleteThread(call: SaverCall, threadId: string): Promise<void> {
  await storeInTurn(call, {
    threadId,
    encode: () => Promise.resolve({ kind: "deleteThread", threadId } as const),
  });
}
