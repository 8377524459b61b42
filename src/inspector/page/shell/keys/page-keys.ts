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
export function pressKey(key: string): boolean {
  const arrow = Object.hasOwn(ARROWS, key) ? ARROWS[key] : undefined;
  if (arrow !== undefined) return moveInList(arrow);
  const field = key === "/" ? document.querySelector<HTMLInputElement>(SEARCH) : null;
  field?.focus();
  field?.select();
  return field !== null;
}

/** Goes to the page of a letter, if the navigation has it. */
export function goToPage(letter: string): boolean {
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
export function rowLinks(list: HTMLElement): HTMLElement[] {
  const rows = [...list.querySelectorAll(":scope > li, tbody > tr, :scope > tr")];
  return rows.flatMap((row) => row.querySelector("a") ?? []);
}
