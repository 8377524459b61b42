import type { SaverCall } from "./call/saver-call.js";
import { sizeOfWrites } from "./codec/call-size.js";
import { type CallEncoding, encodePutWrites, type PutWritesArguments } from "./codec/encode-call.js";
import { storeWrites } from "./store.js";

/** Stores the writes of a task; see `PostgresSaver.putWrites`. */
export async function putWrites(
  call: SaverCall,
  encoding: CallEncoding,
  given: PutWritesArguments,
): Promise<void> {
  const encoded = await encodePutWrites(encoding, ...given);
  call.observer?.about(encoded);
  if (call.observer !== undefined) call.observer.addBytes(sizeOfWrites(encoded).bytes);
  await storeWrites(call, encoded);
}
