import { useEffect, useState } from "preact/hooks";
import { readChoice, storeChoice } from "../stored-choice.js";
import { goToPage, pressKey } from "./page-keys.js";

const KEY = "langgraph-inspector-keys";
/** How long `g` waits for the letter of a page. */
const LETTER_MS = 1_500;

/** Whether the keys work, and whether they are being explained. */
export interface Keys {
  readonly areOn: boolean;
  readonly turn: (on: boolean) => void;
  readonly isHelpOpen: boolean;
  readonly openHelp: (open: boolean) => void;
}

/**
 * Listens to the keys of the page. They do nothing while a person types, while a dialog is open, and with a modifier; and a person can turn
 * them off, since speech input may press them by accident.
 */
export function useKeys(): Keys {
  const [areOn, setOn] = useState(() => readChoice(KEY) !== "off");
  const [isHelpOpen, openHelp] = useState(false);
  useEffect(() => {
    if (!areOn) return;
    let pressedG = -LETTER_MS;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isTaken(event)) return;
      const isLetter = event.timeStamp - pressedG < LETTER_MS;
      pressedG = event.key === "g" ? event.timeStamp : -LETTER_MS;
      if (event.key === "?") openHelp(true);
      else if (!(isLetter && goToPage(event.key)) && !pressKey(event.key)) return;
      event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => {
      removeEventListener("keydown", onKeyDown);
    };
  }, [areOn]);
  const turn = (on: boolean): void => {
    setOn(on);
    storeChoice(KEY, on ? "on" : "off");
  };
  return { areOn, turn, isHelpOpen, openHelp };
}

/** Whether a field or a dialog takes the key. */
function isTaken({ target, isComposing }: KeyboardEvent): boolean {
  if (isComposing || document.querySelector("dialog[open]") !== null) return true;
  return (
    target instanceof Element &&
    target.closest("input:not([type=range]), textarea, select, [contenteditable]") !== null
  );
}
