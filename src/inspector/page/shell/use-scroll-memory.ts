import { useEffect } from "preact/hooks";

/** How far the person had scrolled, by entry of the browser's history. */
const positions = new Map<number, number>();

/**
 * Shows a new page from its top, and goes back to where the person was on an earlier one. The browser can't: it would scroll before the
 * page is there.
 *
 * @param page - What the address shows.
 */
export function useScrollMemory(page: string): void {
  useEffect(() => {
    scrollTo(0, positions.get(entryKey()) ?? 0);
    const remember = (): void => {
      positions.set(entryKey(), scrollY);
    };
    addEventListener("scroll", remember, { passive: true });
    return () => {
      removeEventListener("scroll", remember);
    };
  }, [page]);
}

/** Returns what tells the current entry of the history from the others. A link creates one without a state. */
function entryKey(): number {
  const state: unknown = history.state;
  if (typeof state === "number") return state;
  const key = Math.random();
  history.replaceState(key, "");
  return key;
}
