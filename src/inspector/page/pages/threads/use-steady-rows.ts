import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ThreadRow } from "../../../api/threads.js";

interface SteadyRows {
  readonly list: RefObject<HTMLElement>;
  readonly rows: readonly ThreadRow[];
  readonly rowHeight: number;
  /** The first thread below the top edge of the window. */
  readonly firstVisible: string | undefined;
}

/**
 * Keeps the rows that a person reads where they are, and the focus on its thread, when a refreshed list has other rows above. At the top of
 * the list new rows come into view.
 */
export function useSteadyRows({ list, rows, rowHeight, firstVisible }: SteadyRows): void {
  const before = useRef({ rows, anchor: firstVisible });
  const focused = focusedThread(list.current);
  useLayoutEffect(() => {
    const { rows: old, anchor } = before.current;
    before.current = { rows, anchor: firstVisible };
    if (old === rows || list.current === null) return;
    const kept = focused ?? (list.current.getBoundingClientRect().top < 0 ? anchor : undefined);
    const [from, to] = [positionOf(old, kept), positionOf(rows, kept)];
    if (from !== -1 && to !== -1 && from !== to) scrollBy(0, (to - from) * rowHeight);
    // The browser takes the focus from an element that moves in the document.
    if (focused !== undefined && focusedThread(list.current) === undefined)
      linkOf(list.current, focused)?.focus({ preventScroll: true });
  });
}

/** Returns the thread whose row has the focus. */
export function focusedThread(list: HTMLElement | null): string | undefined {
  const { activeElement } = document;
  if (list === null || activeElement === null || !list.contains(activeElement)) return undefined;
  return activeElement.closest<HTMLElement>("[data-thread]")?.dataset.thread;
}

/** Returns the link of a thread's row, if it is rendered. */
export function linkOf(list: HTMLElement | null, threadId: string): HTMLElement | undefined {
  const rows = [...(list?.querySelectorAll<HTMLElement>("[data-thread]") ?? [])];
  return rows.find(({ dataset }) => dataset.thread === threadId)?.querySelector("a") ?? undefined;
}

function positionOf(rows: readonly ThreadRow[], threadId: string | undefined): number {
  return threadId === undefined ? -1 : rows.findIndex((row) => row.threadId === threadId);
}
