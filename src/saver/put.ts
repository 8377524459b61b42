import type { RunnableConfig } from "@langchain/core/runnables";
import type { SaverCall } from "./call/saver-call.js";
import { sizeOfCheckpoint } from "./codec/call-size.js";
import { configOf } from "./codec/config-of.js";
import { type CallEncoding, encodePut, parsePut, type PutArguments } from "./codec/encode-call.js";
import { storeInTurn } from "./store-in-turn.js";
import { storeCheckpoint } from "./store-checkpoint.js";

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
      call.progress?.about(encoded);
      if (call.observer !== undefined) call.observer.addBytes(sizeOfCheckpoint(encoded).bytes);
      return { kind: "put", checkpoint: encoded } as const;
    },
    store: (within, operation) => storeCheckpoint(within, operation.checkpoint),
  });
  return configOf(checkpoint);
}
