import { useEffect, useRef, useState } from "preact/hooks";
import type { ThreadRow } from "../../../api/threads.js";
import { read } from "../../server/call-server.js";

/** Long enough that scrolling past a thread doesn't measure it. */
const PAUSE_MS = 200;

/**
 * Returns the sizes of threads in bytes by id, as far as they are known. It measures those that are on the screen, and again when they have
 * a newer checkpoint.
 */
export function useThreadSizes(visible: readonly ThreadRow[]): ReadonlyMap<string, number> {
  const [sizes, setSizes] = useState<ReadonlyMap<string, number>>(new Map());
  const measured = useRef(new Map<string, string>());
  const key = visible.map(({ threadId, checkpointId }) => `${threadId} ${checkpointId}`).join("\n");
  useEffect(() => {
    const missing = visible.filter(
      ({ threadId, checkpointId }) => measured.current.get(threadId) !== checkpointId,
    );
    if (missing.length === 0) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      read("threadSizes", { threadIds: missing.map(({ threadId }) => threadId) }, abort.signal)
        .then(({ bytes }) => {
          for (const { threadId, checkpointId } of missing) measured.current.set(threadId, checkpointId);
          setSizes((known) => new Map([...known, ...Object.entries(bytes)]));
        })
        // The column stays empty. The next change of the list tries again.
        .catch(() => undefined);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  return sizes;
}
