import type { RunnableConfig } from "@langchain/core/runnables";
import type { SaverCall } from "./call/saver-call.js";
import { sizeOfCheckpoint } from "./codec/call-size.js";
import { configOf } from "./codec/config-of.js";
import { type CallEncoding, encodePut, type PutArguments } from "./codec/encode-call.js";
import { storeCheckpoint } from "./store.js";

/** Stores a checkpoint; see `PostgresSaver.put`. The arguments are encoded before this function first awaits. */
export async function put(
  call: SaverCall,
  encoding: CallEncoding,
  given: PutArguments,
): Promise<RunnableConfig> {
  const encoded = await encodePut(encoding, ...given);
  call.observer?.about(encoded);
  if (call.observer !== undefined) call.observer.addBytes(sizeOfCheckpoint(encoded).bytes);
  await storeCheckpoint(call, encoded);
  return configOf(encoded);
}
