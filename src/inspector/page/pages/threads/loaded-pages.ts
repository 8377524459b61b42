import type { ThreadRow, ListedThreads } from "../../../api/threads.js";

/** The pages of a list that are loaded, from its start. */
export interface LoadedPages {
  readonly pages: ListedThreads[];
  /** The cursor that each page begins after. */
  readonly pageParams: (string | undefined)[];
}

/** Returns the threads of the pages. One that has moved between two readings is listed where it comes first. */
export function loadedThreads({ pages }: Pick<LoadedPages, "pages">): readonly ThreadRow[] {
  const threads = new Map<string, ThreadRow>();
  for (const thread of pages.flatMap((page) => page.threads)) {
    if (!threads.has(thread.threadId)) threads.set(thread.threadId, thread);
  }
  return [...threads.values()];
}

/** Returns the position of the page that has a thread; that of the last page for an unknown one. */
export function pageOf({ pages }: LoadedPages, threadId: string | undefined): number {
  const found = pages.findIndex(({ threads }) => threads.some((thread) => thread.threadId === threadId));
  return found === -1 ? Math.max(0, pages.length - 1) : found;
}

/**
 * Puts pages that were read again in the place of the old ones. The pages behind them stay where they continue at the same cursor, and are
 * otherwise left out, because threads would be missing or doubled between them.
 */
export function withFresh(loaded: LoadedPages, from: number, fresh: LoadedPages): LoadedPages {
  const end = from + fresh.pages.length;
  const continues = fresh.pages.at(-1)?.next === loaded.pages[end - 1]?.next;
  return {
    pages: [...loaded.pages.slice(0, from), ...fresh.pages, ...(continues ? loaded.pages.slice(end) : [])],
    pageParams: [
      ...loaded.pageParams.slice(0, from),
      ...fresh.pageParams,
      ...(continues ? loaded.pageParams.slice(end) : []),
    ],
  };
}
