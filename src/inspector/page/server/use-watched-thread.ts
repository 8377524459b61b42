import { useEffect, useRef, useState } from "preact/hooks";
import type { WatchEvent } from "../../api/threads.js";
import { fileAddress } from "./call-server.js";

/** How long to wait where the browser does not connect again: after an answer that is no stream, such as that of a proxy. */
const RECONNECT_MS = 5_000;

/**
 * Follows a thread: reports its newest checkpoints, and each one as it is stored or gets other writes. The browser connects again by itself
 * when the connection is lost.
 *
 * @returns Whether the thread is followed now. Otherwise, the caller has to read again now and then.
 */
export function useWatchedThread(threadId: string, onEvent: (event: WatchEvent) => void): boolean {
  const [isOpen, setOpen] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => {
    const source = new EventSource(fileAddress("events", { threadId }));
    let timer: number | undefined;
    const close = (): void => {
      clearTimeout(timer);
      source.close();
      setOpen(false);
    };
    source.addEventListener("open", () => {
      setOpen(true);
    });
    source.addEventListener("error", () => {
      setOpen(false);
      if (source.readyState !== EventSource.CLOSED) return;
      timer = window.setTimeout(() => {
        setAttempt(attempt + 1);
      }, RECONNECT_MS);
    });
    source.addEventListener("message", ({ data }: MessageEvent<string>) => {
      latest.current(JSON.parse(data) as WatchEvent);
    });
    // The server has given up. Asking it again at once would not help.
    source.addEventListener("failure", close);
    return close;
  }, [threadId, attempt]);
  return isOpen;
}
