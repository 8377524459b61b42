import { useEffect, useState } from "preact/hooks";

/** Renders again every few milliseconds, for ages. */
export function useTick(everyMs: number): void {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      setTicks((ticks) => ticks + 1);
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [everyMs]);
}
