import { useRef, useState } from "preact/hooks";
import type { ThreadRow } from "../../../api/threads.js";

/** The threads that a person has selected. */
export interface ThreadSelection {
  readonly has: (threadId: string) => boolean;
  /** @param isRange - Whether the rows since the one that was selected before get the same. */
  readonly toggle: (threadId: string, isRange: boolean) => void;
  /** Selects all rows, or none where all are. */
  readonly selectAll: () => void;
  readonly clear: () => void;
  /** Those of the rows, in their order. */
  readonly threads: readonly ThreadRow[];
}

/** Remembers which rows are selected. Threads that leave the list are selected no more. */
export function useThreadSelection(rows: readonly ThreadRow[]): ThreadSelection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string>();
  const threads = rows.filter(({ threadId }) => ids.has(threadId));
  return {
    threads,
    has: (threadId) => ids.has(threadId),
    toggle: (threadId, isRange) => {
      const [from, to] = [isRange ? anchor.current : threadId, threadId].map((id) =>
        rows.findIndex((row) => row.threadId === id),
      );
      anchor.current = threadId;
      const isOn = !ids.has(threadId);
      const start = from === undefined || from === -1 ? (to ?? 0) : from;
      const meant = rows.slice(Math.min(start, to ?? 0), Math.max(start, to ?? 0) + 1);
      const left = new Set(threads.map((row) => row.threadId));
      for (const row of meant) {
        if (isOn) left.add(row.threadId);
        else left.delete(row.threadId);
      }
      setIds(left);
    },
    selectAll: () => {
      setIds(new Set(threads.length === rows.length ? [] : rows.map(({ threadId }) => threadId)));
    },
    clear: () => {
      setIds(new Set());
    },
  };
}
