import { listen } from "../parts/effects.js";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { type Route, currentRoute } from "../routes/route.js";

/** How far the person had scrolled, by entry of the browser's history. */
const positions = new Map<number, number>();

/**
 * Shows a new page from its top, and goes back to where the person was on an earlier one. The browser can't: it would scroll before the
 * page is there.
 *
 * @param route - What is shown. The address may be newer.
 */
export function useScrollMemory(route: Route): void {
  const page = pageOf(route);
  const wanted = useRef(0);
  // Before the browser scrolls, because the new page may be shorter than the one before.
  useLayoutEffect(() => {
    history.scrollRestoration = "manual";
    let key = entryKey();
    wanted.current = positions.get(key) ?? 0;
    const remember = (): void => {
      // The address changes before the page does. Until then this is the position on the entry before.
      if (pageOf(currentRoute()) === page) key = entryKey();
      positions.set(key, scrollY);
    };
    return listen(window, ["scroll", "hashchange"], remember);
  }, [page]);
  useEffect(() => {
    scrollTo(0, wanted.current);
  }, [page]);
}

function pageOf({ page, subjects }: Route): string {
  return [page, ...subjects].join("/");
}

/** Returns what tells the current entry of the history from the others. A link creates one without a state. */
function entryKey(): number {
  const state: unknown = history.state;
  if (typeof state === "number") return state;
  const key = Math.random();
  history.replaceState(key, "");
  return key;
}
