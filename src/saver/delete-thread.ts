import type { SaverCall } from "./call/saver-call.js";
import { storeInTurn } from "./storing/store-in-turn.js";

/** Deletes a thread; see `PostgresSaver.deleteThread`. */
export async function deleteThread(call: SaverCall, threadId: string): Promise<void> {
  await storeInTurn(call, {
    threadId,
    encode: () => Promise.resolve({ kind: "deleteThread", threadId } as const),
  });
}
