import { useEffect, useRef } from "preact/hooks";
import type { WatchEvent } from "../../api/threads.js";

/**
 * Follows a thread: reports each checkpoint as it is stored. The browser connects again by itself after a failure. What was stored meanwhile,
 * and pending writes, are not reported, so the caller reads the newest checkpoints again now and then.
 */
export function useWatchedThread(
  threadId: string,
  enabled: boolean,
  onEvent: (event: WatchEvent) => void,
): void {
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => {
    if (!enabled) return;
    const query = new URLSearchParams({ args: JSON.stringify({ threadId }) });
    const source = new EventSource(`api/events?${query.toString()}`);
    source.addEventListener("message", ({ data }: MessageEvent<string>) => {
      latest.current(JSON.parse(data) as WatchEvent);
    });
    return () => {
      source.close();
    };
  }, [threadId, enabled]);
}
