import type { SaverCall } from "./saver-call.js";

/** Names the threads that a call writes to, for the error where row-level security refuses one. */
export function writingThreads<Call extends SaverCall>(call: Call, threadIds: () => readonly string[]): Call {
  return { ...call, written: () => threadIds().map(rowOf) };
}

function rowOf(threadId: string) {
  const end = threadId.indexOf(":");
  return {
    name: `thread ${JSON.stringify(threadId)}`,
    tenant: end === -1 ? undefined : threadId.slice(0, end),
    threadId,
  };
}
