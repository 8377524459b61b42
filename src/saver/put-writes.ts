import type { SaverCall } from "./call/saver-call.js";
import { sizeOfWrites } from "./codec/call-size.js";
import {
  type CallEncoding,
  encodePutWrites,
  parsePutWrites,
  type PutWritesArguments,
} from "./codec/encode-call.js";
import { storeInTurn } from "./store-in-turn.js";
import { storeWrites } from "./store-checkpoint.js";

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
      call.progress?.about(encoded);
      if (call.observer !== undefined) call.observer.addBytes(sizeOfWrites(encoded).bytes);
      return { kind: "putWrites", writes: encoded } as const;
    },
    store: (within, { writes }) => storeWrites(within, writes),
  });
}
