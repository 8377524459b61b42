import { useEffect, useState } from "preact/hooks";

/** Returns a value once it has stayed the same for a while, so that scrubbing doesn't read every checkpoint on the way. */
export function useSettled<Value>(value: Value, pauseMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(() => value);
    }, pauseMs);
    return () => {
      clearTimeout(timer);
    };
  }, [value, pauseMs]);
  return settled;
}
