import { useEffect, useRef, useState } from "preact/hooks";

const PAUSE_MS = 250;

/**
 * The text of an input whose value is elsewhere, such as in the address: it goes there when the person pauses, and comes back when it changes
 * there.
 *
 * @param value - What the input should say.
 * @param commit - Takes what the person has typed.
 * @returns The text of the input, and what takes its changes.
 */
export function useTypedText(
  value: string,
  commit: (text: string) => void,
): readonly [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(value);
  const known = useRef(value);
  const latest = useRef(commit);
  latest.current = commit;
  useEffect(() => {
    if (value === known.current) return;
    known.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === known.current) return;
    const timer = setTimeout(() => {
      known.current = text;
      latest.current(text);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  return [text, setText];
}
