import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import type { NamespaceSums } from "../../../../api/memory.js";
import { write } from "../../../server/call-server.js";

/** What a person has chosen to erase. */
export interface Chosen {
  readonly threadIds: readonly string[];
  readonly namespaces: readonly NamespaceSums[];
}

/** Something that could not be erased. */
interface Failed {
  readonly what: string;
  readonly error: unknown;
}

/** How far an erasure is. */
export interface Erasing {
  readonly total: number;
  readonly threads: number;
  readonly namespaces: number;
  readonly items: number;
  readonly failed: readonly Failed[];
  readonly hasEnded: boolean;
}

/** Deletes threads and namespaces, one by one, so that each has a result of its own. It stops when its component goes away. */
export function useErasing() {
  const client = useQueryClient();
  const [erasing, setErasing] = useState<Erasing>();
  const isStopped = useRef(false);
  const stop = (): void => {
    isStopped.current = true;
  };
  useEffect(() => stop, []);
  const start = async ({ threadIds, namespaces }: Chosen): Promise<void> => {
    const total = threadIds.length + namespaces.length;
    let now: Erasing = { total, threads: 0, namespaces: 0, items: 0, failed: [], hasEnded: false };
    const tell = (change: Partial<Erasing>): void => {
      now = { ...now, ...change };
      setErasing(now);
    };
    const attempt = async (what: string, work: () => Promise<Partial<Erasing>>): Promise<void> => {
      if (isStopped.current) return;
      try {
        tell(await work());
      } catch (error) {
        tell({ failed: [...now.failed, { what, error }] });
      }
    };
    tell({});
    for (const threadId of threadIds) {
      await attempt(threadId, async () => {
        await write("deleteThread", { threadId });
        return { threads: now.threads + 1 };
      });
    }
    for (const { namespace, items } of namespaces) {
      await attempt(namespace.join(" / "), async () => {
        const deleted = await write("deleteItems", { namespace, items });
        return { namespaces: now.namespaces + 1, items: now.items + deleted.items };
      });
    }
    tell({ hasEnded: true });
    void client.invalidateQueries();
  };
  return { erasing, start, stop };
}
