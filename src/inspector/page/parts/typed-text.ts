import type { TargetedEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { after } from "./effects.js";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Passes on what a field says, where a person changes it. */
export function typed(take: (text: string) => void): (event: TargetedEvent<Field>) => void {
  return ({ currentTarget }) => {
    take(currentTarget.value);
  };
}

/** Does something when a person sends a form, instead of loading another page. */
export function sent(work: () => void): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    work();
  };
}

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
    return after(PAUSE_MS, () => {
      known.current = text;
      latest.current(text);
    });
  }, [text]);
  return [text, setText];
}
