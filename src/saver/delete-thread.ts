import type { SaverCall } from "./call/saver-call.js";
import { storeInTurn } from "./store-in-turn.js";
import { storeBatch } from "./store-checkpoint.js";

/** Deletes a thread; see `PostgresSaver.deleteThread`. */
export async function deleteThread(call: SaverCall, threadId: string): Promise<void> {
  const operation = { kind: "deleteThread", threadId } as const;
  await storeInTurn(call, {
    threadId,
    encode: () => Promise.resolve(operation),
    store: (within) => storeBatch(within, [operation]),
  });
}
