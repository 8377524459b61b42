import { type PagedList, growing } from "../../server/use-pages.js";
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/preact-query";
import type { RefObject } from "preact";
import { useMemo, useEffect, useRef, useState } from "preact/hooks";
import type { LastMessage } from "../../../api/finds.js";
import type { ThreadRow, ListedThreads, ThreadsQuery } from "../../../api/threads.js";
import { read } from "../../server/call-server.js";
import { pageOf, loadedThreads, withFresh } from "./loaded-pages.js";

const PAGE_SIZE = 100;
const REFRESH_MS = 5_000;

/** The threads that are on the screen. */
export interface VisibleRange {
  readonly first: string | undefined;
  readonly last: string | undefined;
}

/** A list of threads that grows while the person scrolls. */
export interface ThreadList extends PagedList {
  readonly threads: readonly ThreadRow[] | undefined;
  /** Why the list could not be refreshed. */
  readonly refreshError: Error | null;
  /** How many threads were looked at, where no index finds those in the state that was asked for. */
  readonly looked: number | undefined;
  /** Whether the index of words has found the threads that were looked at. `undefined` without that index. */
  readonly byWords: boolean | undefined;
  /** How many of those have values that were not searched. */
  readonly unread: number;
}

type Query = Omit<ThreadsQuery, "after" | "limit">;

/**
 * Reads the list of threads page by page, and the pages that are on the screen again every few seconds. Reading all pages again would be
 * a thousand requests in a long list.
 */
export function useThreads(query: Query, enabled: boolean, visible: RefObject<VisibleRange>): ThreadList {
  const queryKey = ["threads", "pages", query];
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read("threads", { ...query, ...pageArgs(pageParam) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: ListedThreads) => next,
    staleTime: Infinity,
    // The list of another search stays until the new one is there.
    placeholderData: keepPreviousData,
    enabled,
  });
  const refreshError = useRefresh(query, queryKey, enabled && list.isSuccess && !list.isFetching, visible);
  const threads = useMemo(() => list.data && loadedThreads(list.data), [list.data]);
  return {
    ...growing(list),
    ...{ threads, refreshError, hasMore: list.hasNextPage && !list.isPlaceholderData },
    looked: sumOf(list.data?.pages, "looked"),
    byWords: list.data?.pages[0]?.byWords,
    unread: sumOf(list.data?.pages, "unread") ?? 0,
  };
}

function sumOf(pages: readonly ListedThreads[] | undefined, name: "looked" | "unread"): number | undefined {
  const counts = (pages ?? []).flatMap((page) => page[name] ?? []);
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}

function pageArgs(after: string | undefined): Pick<ThreadsQuery, "after" | "limit"> {
  return { limit: PAGE_SIZE, ...(after !== undefined && { after }) };
}

function useRefresh(
  query: Query,
  queryKey: readonly unknown[],
  enabled: boolean,
  visible: RefObject<VisibleRange>,
): Error | null {
  const client = useQueryClient();
  const { error } = useQuery<number>({
    queryKey: ["threads", "refresh", query],
    enabled,
    staleTime: REFRESH_MS,
    refetchInterval: ({ state }) => Math.max(REFRESH_MS, 20 * (state.data ?? 0)),
    // Returns how long it took, so that a database that is slow at this is asked less often.
    queryFn: async ({ signal }) => {
      const loaded = client.getQueryData<InfiniteData<ListedThreads, string | undefined>>(queryKey);
      const updatedAt = client.getQueryState(queryKey)?.dataUpdatedAt ?? 0;
      const start = Date.now();
      if (loaded === undefined || start - updatedAt < REFRESH_MS / 2) return 0;
      const from = pageOf(loaded, visible.current?.first);
      const to = Math.max(from, pageOf(loaded, visible.current?.last));
      const fresh: InfiniteData<ListedThreads, string | undefined> = { pages: [], pageParams: [] };
      let after = loaded.pageParams[from];
      for (let position = from; position <= to; position++) {
        const page = await read("threads", { ...query, ...pageArgs(after) }, signal);
        fresh.pages.push(page);
        fresh.pageParams.push(after);
        after = page.next;
        if (after === undefined) break;
      }
      // More pages may have come meanwhile.
      client.setQueryData<InfiniteData<ListedThreads, string | undefined>>(queryKey, (now) =>
        now === undefined ? now : withFresh(now, from, fresh),
      );
      return Date.now() - start;
    },
  });
  return error;
}

/** Long enough that scrolling past a thread doesn't measure it. */
const PAUSE_MS = 200;

/** What is read of the threads on the screen, by their ids. */
interface ThreadDetails {
  /** In bytes. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly messages: ReadonlyMap<string, LastMessage>;
}

/** Reads more about the threads that are on the screen, as far as it is known, and again when they have a newer checkpoint. */
export function useThreadDetails(visible: readonly ThreadRow[]): ThreadDetails {
  const [details, setDetails] = useState<ThreadDetails>({ sizes: new Map(), messages: new Map() });
  const measured = useRef(new Map<string, string>());
  const key = visible.map(({ threadId, checkpointId }) => `${threadId} ${checkpointId}`).join("\n");
  useEffect(() => {
    const missing = visible.filter(
      ({ threadId, checkpointId }) => measured.current.get(threadId) !== checkpointId,
    );
    if (missing.length === 0) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const asked = { threadIds: missing.map(({ threadId }) => threadId) };
      Promise.all([read("threadSizes", asked, abort.signal), read("lastMessages", asked, abort.signal)])
        .then(([{ bytes }, { messages }]) => {
          for (const { threadId, checkpointId } of missing) measured.current.set(threadId, checkpointId);
          setDetails((known) => ({
            sizes: new Map([...known.sizes, ...Object.entries(bytes)]),
            messages: new Map([...known.messages, ...Object.entries(messages)]),
          }));
        })
        // The columns stay empty. The next change of the list tries again.
        .catch(() => undefined);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  return details;
}
