import { listen } from "../../parts/effects.js";
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { readChoice, storeChoice } from "../stored-choice.js";

/** The keys that are other names of arrow keys. */
const ARROWS: Readonly<Record<string, string>> = { j: "ArrowDown", k: "ArrowUp" };

/** The letters of the pages that `g` goes to, by the names of the pages. */
export const PAGE_LETTERS = { threads: "t", storage: "s", memory: "m", cache: "c", health: "h" } as const;

const LIST = "main [data-list]";
const SEARCH = "main input[type=search]";

/** The list that the keys move in: that with the focus, or the first one. */
function findList(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>(LIST) ?? document.querySelector<HTMLElement>(LIST);
}

/** Which keys do something on the page that is shown. */
export function keysOfPage(): { readonly hasList: boolean; readonly hasSearch: boolean } {
  return { hasList: findList() !== null, hasSearch: document.querySelector(SEARCH) !== null };
}

/**
 * Does what a key stands for on the page that is shown.
 *
 * @returns Whether the key stands for something.
 */
function pressKey(key: string): boolean {
  const arrow = Object.hasOwn(ARROWS, key) ? ARROWS[key] : undefined;
  if (arrow !== undefined) return moveInList(arrow);
  const field = key === "/" ? document.querySelector<HTMLInputElement>(SEARCH) : null;
  field?.focus();
  field?.select();
  return field !== null;
}

/** Goes to the page of a letter, if the navigation has it. */
function goToPage(letter: string): boolean {
  const link = document.querySelector<HTMLElement>(`header [data-letter="${CSS.escape(letter)}"]`);
  link?.click();
  return link !== null;
}

/** Presses an arrow key where the list takes it. A list that nothing is selected in begins with its first row on the screen. */
function moveInList(arrow: string): boolean {
  const list = findList();
  if (list === null) return false;
  const selected = list.matches("[role=listbox]")
    ? list
    : list.querySelector<HTMLElement>("[aria-current=step]");
  const { activeElement } = document;
  const from = selected ?? (activeElement !== null && list.contains(activeElement) ? activeElement : null);
  if (from === null) {
    firstShown(list)?.focus();
    return true;
  }
  selected?.focus({ preventScroll: true });
  from.dispatchEvent(new KeyboardEvent("keydown", { key: arrow, bubbles: true, cancelable: true }));
  return true;
}

function firstShown(list: HTMLElement): HTMLElement | undefined {
  const covered = document.querySelector("header")?.getBoundingClientRect().bottom ?? 0;
  const links = rowLinks(list);
  return links.find((link) => link.getBoundingClientRect().top >= covered) ?? links[0];
}

/** The first link of each row of a list. */
function rowLinks(list: HTMLElement): HTMLElement[] {
  const rows = [...list.querySelectorAll(":scope > li, tbody > tr, :scope > tr")];
  return rows.flatMap((row) => row.querySelector("a") ?? []);
}

/** Moves the focus to the next row of a list, or to the one before, by the arrow keys. */
export function moveAmongRows(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  const links = rowLinks(event.currentTarget);
  const row = (document.activeElement ?? event.currentTarget).closest("li, tr");
  const from = links.findIndex((link) => row?.contains(link) === true);
  if (from === -1) return;
  event.preventDefault();
  links[from + step]?.focus();
}

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
    return listen(window, ["keydown"], onKeyDown);
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
